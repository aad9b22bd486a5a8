from datetime import date

import pytest

from benchmarks.eval.careless import Mistake
from benchmarks.eval.corpus import LABELS, NUMBER, SampleDocument, Truth
from benchmarks.eval.judging import JudgedValue, Outcome
from benchmarks.eval.scores import (
    CheckScore,
    MistakeScore,
    Score,
    Share,
    group_by_mistake,
    score_checks,
    score_fields,
    score_mistakes,
)
from core.fields import Name, Value

STROM, AUTO = Name(1, "Strom"), Name(2, "Auto")
DAY = date(2026, 3, 18)


def a_value(
    field: str = "date",
    value: Value = DAY,
    *,
    right: bool = True,
    outcome: Outcome = Outcome.WRITTEN,
    passed: tuple[str, ...] = (),
    stopped_by: tuple[str, ...] = (),
    mistake: Mistake = Mistake.NONE,
) -> JudgedValue:
    return JudgedValue("a.txt", field, value, "", right, outcome, passed, stopped_by, mistake)


def find(_: str, name: str) -> Name:
    return {"Strom": STROM, "Auto": AUTO}.get(name, Name(None, name))


@pytest.mark.parametrize(
    ("share", "low", "high"),
    [(Share(0, 100), 0.0, 0.037), (Share(5, 100), 0.0215, 0.1118), (Share(10, 10), 0.7225, 1.0)],
)
def test_an_interval_is_wilsons(share: Share, low: float, high: float) -> None:
    assert share.interval == pytest.approx((low, high), abs=0.0005)


def test_a_share_shows_its_interval() -> None:
    assert str(Share(5, 100)) == "5.0% (2%-11%)"
    assert str(Share(0, 0)) == "-"


@pytest.mark.parametrize(
    ("score", "precision", "coverage"),
    [
        (Score(right=3, wrong=1, review=2, missing=2), 0.75, 0.5),
        (Score(right=2), 1.0, 1.0),
        (Score(review=1, missing=1), None, 0.0),
        (Score(), None, None),
    ],
)
def test_precision_is_of_what_was_written_and_coverage_of_all(
    score: Score, precision: float | None, coverage: float | None
) -> None:
    assert (score.precision.value, score.coverage.value) == (precision, coverage)


def test_values_are_counted_by_field_and_what_is_missing_by_the_truth() -> None:
    truth = Truth(date=DAY, tags=frozenset({"Strom", "Auto"}), invoice_number="4711")
    judged = [
        a_value(),
        a_value("tags", STROM),
        a_value("tags", Name(3, "Bank"), right=False),
        a_value("title", "?", right=False, outcome=Outcome.REVIEW),
        a_value(NUMBER, "4711", outcome=Outcome.LEFT_OUT),
    ]

    scores = score_fields(judged, [SampleDocument(1, "a.txt", "", truth)], find)

    assert set(scores) == set(LABELS)
    assert scores["date"] == Score(right=1)
    assert scores["tags"] == Score(right=1, wrong=1, missing=1)
    assert scores["title"] == Score(review=1)
    assert scores[NUMBER] == Score(missing=1)
    assert scores["correspondent"] == Score()


def test_wrong_values_that_were_written_are_counted_apart_from_right_ones_held_back() -> None:
    judged = [
        a_value(),
        a_value(outcome=Outcome.REVIEW),
        a_value(right=False),
        a_value(right=False, outcome=Outcome.REVIEW),
        a_value(right=False, outcome=Outcome.LEFT_OUT),
    ]

    score = score_mistakes(judged)

    assert score == MistakeScore(wrong=3, written=1, right=2, held_back=1)
    assert (str(score.let_through.value)[:4], score.held.value) == ("0.33", 0.5)


def test_mistakes_are_listed_in_the_order_of_the_fields() -> None:
    judged = [
        a_value(NUMBER, "1", right=False, mistake=Mistake.VAT_ID),
        a_value(right=False, mistake=Mistake.SWAPPED),
        a_value(right=False, mistake=Mistake.OTHER_DATE),
        a_value(),
    ]

    assert list(group_by_mistake(judged)) == [
        ("date", Mistake.OTHER_DATE),
        ("date", Mistake.SWAPPED),
        (NUMBER, Mistake.VAT_ID),
    ]


def test_a_check_is_scored_by_what_it_stopped_let_through_and_held_back() -> None:
    judged = [
        a_value(right=False, passed=("lenient", "strict")),
        a_value(right=False, outcome=Outcome.REVIEW, passed=("lenient",), stopped_by=("strict",)),
        a_value(outcome=Outcome.REVIEW, passed=("lenient",), stopped_by=("strict",)),
        a_value(outcome=Outcome.REVIEW, stopped_by=("strict", "other")),
    ]

    scores = score_checks(judged)

    assert scores == {
        "strict": CheckScore(stopped=1, let_through=1, held_back=2, alone=1),
        "other": CheckScore(held_back=1),
        "lenient": CheckScore(let_through=1),
    }
    assert list(scores) == ["strict", "other", "lenient"]
