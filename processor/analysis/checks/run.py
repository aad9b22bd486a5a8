"""Run every check that applies to a suggestion."""

from dataclasses import dataclass, replace

from core.changes import CheckResult, Suggestion
from core.fields import Field, Value
from processor.analysis.checks.check import (
    Check,
    CheckFailure,
    DocumentFacts,
    applies_to,
    every_suggestion,
)
from processor.analysis.checks.custom_fields import (
    currency_stands_in_text,
    custom_value_has_a_fitting_label,
    custom_value_is_readable,
    evidence_shows_the_custom_value,
)
from processor.analysis.checks.dates import (
    date_is_plausible,
    date_is_real,
    date_is_the_documents,
    date_stands_in_text,
    day_and_month_are_in_order,
)
from processor.analysis.checks.evidence import (
    e_invoice_says_the_same,
    evidence_shows_the_date,
    evidence_shows_the_document_type,
    evidence_shows_the_name,
    evidence_shows_the_tag,
    evidence_stands_in_text,
    find_evidence,
    most_was_read,
    settle_by_e_invoice,
    text_can_be_read,
)
from processor.analysis.checks.names import (
    correspondent_is_not_only_mentioned,
    correspondent_is_not_the_owner,
    correspondent_is_not_the_recipient,
    new_name_is_not_misread,
    new_name_is_of_one_script,
    new_name_is_short,
    no_number_of_another_sender,
    no_other_name_fits_better,
)
from processor.analysis.checks.titles import (
    title_is_in_the_language_wanted,
    title_is_not_the_file_name,
    title_is_short,
    title_stands_in_text,
)

_SURE_ENOUGH = 0.5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A suggestion as a value of its field, with the results of its checks."""

    field: Field
    value: Value
    evidence: str
    confidence: float
    checks: tuple[CheckResult, ...] = ()
    similar: tuple[str, ...] = ()
    """Names in use that a new name may mean."""
    is_evidence_found: bool = False
    """Whether we found the evidence, because the model's quote does not show the value."""
    e_invoice: Value = None
    """The value that the e-invoice inside the document has for this field."""

    @property
    def failures(self) -> tuple[str, ...]:
        """Return the failures of the checks that did not pass."""
        return tuple(check.failure for check in self.checks if check.failure)


def run_checks(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> Candidate:
    """Run every check that applies to a suggestion whose text was read as `value`.

    If the model's quote does not show the value, they run with a line that does.
    """
    found = find_evidence(suggestion, value, facts)
    checked = replace(suggestion, evidence=found) if found is not None else suggestion
    run = (check.run(checked, value, facts) for check in CHECKS)
    results = (result for result in run if result is not None)
    return Candidate(
        checked.field,
        value,
        checked.evidence,
        checked.confidence,
        settle_by_e_invoice(results, checked, value, facts),
        is_evidence_found=found is not None,
        e_invoice=facts.e_invoice.get(checked.field),
    )


@applies_to(every_suggestion)
def model_is_sure(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    return CheckFailure.UNSURE if suggestion.confidence < _SURE_ENOUGH else None


CHECKS: tuple[Check, ...] = (
    text_can_be_read,
    most_was_read,
    evidence_stands_in_text,
    evidence_shows_the_date,
    evidence_shows_the_name,
    evidence_shows_the_document_type,
    evidence_shows_the_tag,
    date_is_real,
    date_stands_in_text,
    day_and_month_are_in_order,
    date_is_the_documents,
    date_is_plausible,
    new_name_is_short,
    new_name_is_of_one_script,
    new_name_is_not_misread,
    correspondent_is_not_the_owner,
    correspondent_is_not_the_recipient,
    correspondent_is_not_only_mentioned,
    no_other_name_fits_better,
    no_number_of_another_sender,
    title_is_short,
    title_is_not_the_file_name,
    title_stands_in_text,
    title_is_in_the_language_wanted,
    custom_value_is_readable,
    evidence_shows_the_custom_value,
    currency_stands_in_text,
    custom_value_has_a_fitting_label,
    e_invoice_says_the_same,
    model_is_sure,
)
