"""An e-invoice settles what the page leaves open, or sends a value to review."""

from dataclasses import replace
from datetime import date

import pytest

from core.fields import FieldName, Value
from processor.analysis.checks import CheckFailure, run_checks
from processor.analysis.checks.check import DocumentFacts
from processor.analysis.checks.run import Candidate
from tests.builders import a_source, a_suggestion

PAGE = """Harbour Cloud Ltd
Rechnung
Rechnungsdatum: 08.09.2026
Fällig am 23.09.2026
Gesamtbetrag 128,52 EUR
"""
DUE = date(2026, 9, 23)
OTHER = date(2026, 9, 8)


def checked(day: date, facts: DocumentFacts, evidence: str = "Fällig am 23.09.2026") -> Candidate:
    suggested = a_suggestion(FieldName.DATE, day.isoformat(), evidence=evidence)
    return run_checks(suggested, day, facts)


def facts_with(said: Value, page: str = PAGE) -> DocumentFacts:
    facts = a_source(page, added=date(2026, 9, 24))
    return replace(facts, e_invoice={FieldName.DATE: said} if said else {})


def test_without_an_e_invoice_nothing_is_compared() -> None:
    candidate = checked(DUE, facts_with(None))

    assert candidate.failures == (CheckFailure.DATE_OF_SOMETHING_ELSE,)
    assert candidate.e_invoice is None
    assert "e_invoice_says_the_same" not in {check.check for check in candidate.checks}


def test_a_doubt_about_which_value_is_meant_is_settled_by_the_same_value() -> None:
    candidate = checked(DUE, facts_with(DUE))

    assert checked(DUE, facts_with(None)).failures
    assert candidate.failures == ()
    assert candidate.e_invoice == DUE


def test_another_value_in_the_e_invoice_needs_review_with_both() -> None:
    candidate = checked(DUE, facts_with(OTHER))

    assert CheckFailure.E_INVOICE_DIFFERS in candidate.failures
    assert (candidate.value, candidate.e_invoice) == (DUE, OTHER)


def test_a_value_that_the_page_does_not_show_is_not_settled() -> None:
    page = "Harbour Cloud Ltd\nRechnung\nGesamtbetrag 128,52 EUR\n"

    candidate = checked(DUE, facts_with(DUE, page), evidence="Gesamtbetrag 128,52 EUR")

    assert CheckFailure.DATE_NOT_IN_TEXT in candidate.failures
    assert CheckFailure.DATE_NOT_IN_EVIDENCE in candidate.failures


@pytest.mark.parametrize(
    ("evidence", "failure"),
    [("", CheckFailure.NO_EVIDENCE), ("Ihre Zahlung", CheckFailure.EVIDENCE_NOT_IN_TEXT)],
)
def test_an_invented_quote_is_not_settled(evidence: str, failure: CheckFailure) -> None:
    assert checked(DUE, facts_with(DUE), evidence=evidence).failures == (failure,)
