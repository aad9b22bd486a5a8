"""Tags and custom fields beside each other: each needs a quote of its own."""

import pytest

from core.changes import CheckResult
from core.fields import CustomField, FieldName, Name, Value
from processor.analysis.checks import (
    CUSTOM_VALUE_HAS_ITS_OWN_QUOTE,
    Candidate,
    CheckFailure,
    run_custom_field_checks,
    run_tag_checks,
)
from processor.analysis.checks.shared_quotes import TAG_HAS_ITS_OWN_QUOTE, TAGS_ARE_FEW

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


SHARED, HEAP = CheckFailure.TAGS_SHARE_A_QUOTE, CheckFailure.HEAP_OF_TAGS


def a_tag(number: int, quote: str, *doubts: str) -> Candidate:
    checks = tuple(CheckResult("a_rule", doubt) for doubt in doubts)
    return Candidate(FieldName.TAGS, Name(number, f"tag {number}"), quote, 0.9, checks)


@pytest.mark.parametrize(
    ("quotes", "most", "doubts"),
    [
        ([], 5, []),
        (["Strom"], 5, [()]),
        (["Strom", "Miete"], 5, [(), ()]),
        (["Factuur 2026", "Arbeid", "factuur  2026"], 5, [(SHARED,), (), (SHARED,)]),
        (["", " "], 5, [(), ()]),
        (["a", "b", "c", "d", "e"], 5, [(HEAP,)] * 5),
        (["a", "b", "c", "d"], 5, [()] * 4),
        (["a", "b"], 2, [()] * 2),
        (["a", "b", "c", "d"], 2, [(HEAP,)] * 4),
        (["a", "a", "b", "c"], 4, [(SHARED, HEAP), (SHARED, HEAP), (HEAP,), (HEAP,)]),
    ],
    ids=str,
)
def test_tags_that_share_a_quote_or_fill_every_place_are_doubted(
    quotes: list[str], most: int, doubts: list[tuple[CheckFailure, ...]]
) -> None:
    tags = [a_tag(number, quote) for number, quote in enumerate(quotes)]

    assert [checked.failures for checked in run_tag_checks(tags, most=most)] == doubts


def test_other_fields_may_share_the_quote_of_a_tag() -> None:
    title = Candidate(FieldName.TITLE, "Stromrechnung", "Stromrechnung", 0.9)
    tag = a_tag(1, "Stromrechnung")

    assert [checked.failures for checked in run_tag_checks([title, tag], most=5)] == [(), ()]


def test_a_tag_that_is_named_twice_is_one_tag() -> None:
    twice = [a_tag(1, "Strom")] * 6
    new = [Candidate(FieldName.TAGS, Name(None, name), "Wind", 0.9) for name in ("Wind", "WIND")]

    assert {checked.failures for checked in run_tag_checks([*twice, *new], most=5)} == {()}


def test_what_was_decided_for_all_tags_is_shown_for_each_and_for_nothing_else() -> None:
    title = Candidate(FieldName.TITLE, "Stromrechnung", "Stromrechnung", 0.9)

    weighed = run_tag_checks([title, a_tag(1, "Strom"), a_tag(2, "Strom")], most=5)

    shared = (CheckResult(TAG_HAS_ITS_OWN_QUOTE, SHARED), CheckResult(TAGS_ARE_FEW))
    assert [checked.checks for checked in weighed] == [(), shared, shared]


def test_what_was_doubted_before_stays_so() -> None:
    tags = [a_tag(1, "Strom", "unsure"), a_tag(2, "Strom")]

    first, _ = run_tag_checks(tags, most=5)

    assert first.failures == ("unsure", SHARED)
