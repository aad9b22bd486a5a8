"""Custom fields beside each other: each needs a quote of its own."""

import pytest

from core.changes import CheckResult
from core.fields import CustomField, FieldName, Value
from processor.analysis.checks import (
    CUSTOM_VALUE_HAS_ITS_OWN_QUOTE,
    Candidate,
    CheckFailure,
    run_custom_field_checks,
)

SHARED = CheckFailure.FIELDS_SHARE_A_QUOTE


def a_value(number: int, quote: str, value: Value = "4711") -> Candidate:
    return Candidate(CustomField(number, f"field {number}"), value, quote, 0.9)


@pytest.mark.parametrize(
    ("quotes", "failures"),
    [
        ([], []),
        (["Rechnung 4711"], [()]),
        (["Rechnung 4711", "Kunde 4711"], [(), ()]),
        (["Rechnung 4711", "Kunde 12", "RECHNUNG  4711"], [(SHARED,), (), (SHARED,)]),
        (["", " "], [(), ()]),
    ],
    ids=str,
)
def test_custom_fields_that_share_a_quote_are_for_a_person(
    quotes: list[str], failures: list[tuple[CheckFailure, ...]]
) -> None:
    candidates = [a_value(number, quote) for number, quote in enumerate(quotes)]

    checked = run_custom_field_checks(candidates)

    assert [candidate.failures for candidate in checked] == failures


def test_a_field_that_is_suggested_twice_shares_no_quote() -> None:
    checked = run_custom_field_checks([a_value(1, "Rechnung 4711")] * 2)

    assert {candidate.failures for candidate in checked} == {()}


def test_a_value_that_cannot_be_read_shares_no_quote() -> None:
    candidates = [a_value(1, "Rechnung 4711"), a_value(2, "Rechnung 4711", None)]

    checked = run_custom_field_checks(candidates)

    assert [candidate.failures for candidate in checked] == [(), ()]


def test_other_fields_may_share_the_quote_of_a_custom_field() -> None:
    title = Candidate(FieldName.TITLE, "Rechnung 4711", "Rechnung 4711", 0.9)

    checked = run_custom_field_checks([title, a_value(1, "Rechnung 4711")])

    passed = (CheckResult(CUSTOM_VALUE_HAS_ITS_OWN_QUOTE),)
    assert [candidate.checks for candidate in checked] == [(), passed]
