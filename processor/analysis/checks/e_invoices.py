"""Check against the e-invoice inside a PDF, which may settle what the text leaves open."""

from collections.abc import Iterable
from dataclasses import replace

from core.changes import CheckResult, Suggestion
from core.fields import Value
from processor.analysis.checks.check import CheckFailure, DocumentFacts, applies_to
from processor.analysis.e_invoice import is_on_page, is_same

_SETTLED = frozenset(
    {
        CheckFailure.DATE_NOT_IN_EVIDENCE,
        CheckFailure.DATE_OF_SOMETHING_ELSE,
        CheckFailure.OTHER_DATE_IS_ITS_OWN,
        CheckFailure.DATE_ORDER_OPEN,
        CheckFailure.NAME_NOT_IN_EVIDENCE,
        CheckFailure.NAME_ONLY_MENTIONED,
        CheckFailure.VALUE_NOT_LABELLED,
        CheckFailure.VALUE_OF_SOMETHING_ELSE,
        CheckFailure.VALUE_NOT_IN_EVIDENCE,
        CheckFailure.NUMBER_TWO_WAYS,
        CheckFailure.CURRENCY_NOT_IN_TEXT,
    }
)
"""Doubts about which value of the page is meant: an e-invoice with the same value answers them."""


def _values_of_an_e_invoice(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    return suggestion.field in facts.e_invoice and value is not None


@applies_to(_values_of_an_e_invoice)
def e_invoice_says_the_same(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    same = is_same(value, facts.e_invoice[suggestion.field])
    return None if same else CheckFailure.E_INVOICE_DIFFERS


def settle_by_e_invoice(
    results: Iterable[CheckResult], suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> tuple[CheckResult, ...]:
    """Return the results, passed where text and e-invoice agree on the value.

    The text must show the value, too: an attachment alone proves nothing about the page.
    """
    results = tuple(results)
    agrees = CheckResult(e_invoice_says_the_same.name) in results
    if not agrees or not is_on_page(facts.e_invoice[suggestion.field], facts.page):
        return results
    return tuple(
        replace(result, failure="") if result.failure in _SETTLED else result for result in results
    )
