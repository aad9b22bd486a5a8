"""Check that the custom fields of a document do not rest on one quote.

A model that quotes one line for an invoice number and a customer number has not told them apart.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from core.changes import CheckResult
from core.fields import CustomField, is_empty
from core.text import fold
from processor.analysis.checks.check import CheckFailure
from processor.analysis.checks.run import Candidate

CUSTOM_VALUE_HAS_ITS_OWN_QUOTE = "custom_value_has_its_own_quote"
"""Name of the check on all custom fields of a document."""


def run_custom_field_checks(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates with the result of the check: fields that share a quote fail."""
    checked = tuple(candidates)
    quoted = {(c.field, fold(c.evidence)) for c in checked if _rests_on_a_quote(c)}
    counts = Counter(quote for _, quote in quoted)
    return tuple(_add_result(candidate, counts) for candidate in checked)


def _rests_on_a_quote(candidate: Candidate) -> bool:
    is_given = not is_empty(candidate.value) and bool(candidate.evidence.strip())
    return isinstance(candidate.field, CustomField) and is_given


def _add_result(candidate: Candidate, counts: Counter[str]) -> Candidate:
    if not _rests_on_a_quote(candidate):
        return candidate
    is_shared = counts[fold(candidate.evidence)] > 1
    failure = CheckFailure.FIELDS_SHARE_A_QUOTE if is_shared else ""
    result = CheckResult(CUSTOM_VALUE_HAS_ITS_OWN_QUOTE, failure)
    return replace(candidate, checks=(*candidate.checks, result))
