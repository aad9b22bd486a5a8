"""Tags beside each other."""

import pytest

from core.changes import CheckResult
from core.fields import FieldName, Name
from processor.analysis.checks import Candidate, CheckFailure, run_tag_checks
from processor.analysis.checks.tags import TAG_HAS_ITS_OWN_QUOTE, TAGS_ARE_FEW

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
