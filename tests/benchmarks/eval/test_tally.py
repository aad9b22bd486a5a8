import pytest

from benchmarks.eval.__main__ import rows_of
from benchmarks.eval.judging import Mark
from benchmarks.eval.tally import Tally, tally_up
from core.fields import FieldName


@pytest.mark.parametrize(
    ("tally", "precision", "coverage"),
    [
        (Tally(right=3, wrong=1, review=2, missing=2), 0.75, 0.5),
        (Tally(right=2), 1.0, 1.0),
        (Tally(review=1, missing=1), None, 0.0),
        (Tally(), None, None),
    ],
)
def test_precision_is_of_what_was_written_and_coverage_of_all(
    tally: Tally, precision: float | None, coverage: float | None
) -> None:
    assert (tally.precision, tally.coverage) == (precision, coverage)


def test_marks_are_added_up_by_field() -> None:
    one = {FieldName.TITLE: (Mark.RIGHT,), FieldName.TAGS: (Mark.RIGHT, Mark.WRONG)}
    other = {FieldName.TITLE: (Mark.REVIEW,), FieldName.TAGS: (Mark.MISSING,)}

    total = tally_up([one, other])

    assert total[FieldName.TITLE] == Tally(right=1, review=1)
    assert total[FieldName.TAGS] == Tally(right=1, wrong=1, missing=1)
    assert total[FieldName.DATE] == Tally()


def test_the_last_line_counts_all_fields() -> None:
    tallies = {FieldName.TITLE: Tally(right=1, wrong=1), FieldName.DATE: Tally(missing=2)}

    assert rows_of(tallies) == [
        ("title", "1", "1", "0", "0", "50.0%", "100.0%"),
        ("date", "0", "0", "0", "2", "-", "0.0%"),
        ("all", "1", "1", "0", "2", "50.0%", "50.0%"),
    ]
