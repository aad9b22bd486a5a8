"""Charts: a round scale, and columns whose parts lie on top of each other."""

from decimal import Decimal

import pytest

from dashboard.pages.charts import Slot, build_chart, choose_steps


@pytest.mark.parametrize(
    ("highest", "steps"),
    [
        (0, (0, 1)),
        (1, (0, 1)),
        (3, (0, 1, 2, 3)),
        (7, (0, 2, 4, 6, 8)),
        (38, (0, 10, 20, 30, 40)),
        (410, (0, 200, 400, 600)),
    ],
)
def test_the_scale_of_whole_numbers_has_round_steps(highest: int, steps: tuple[int, ...]) -> None:
    assert choose_steps(highest, whole=True) == steps


def test_the_scale_of_money_has_round_steps_below_one() -> None:
    steps = choose_steps(Decimal("0.17"), whole=False)

    assert steps == tuple(map(Decimal, ("0.0", "0.05", "0.10", "0.15", "0.20")))


def test_the_parts_of_a_column_lie_on_top_of_each_other() -> None:
    chart = build_chart([Slot("Mon", {"filed": 3, "none": 0, "failed": 1})])

    [column] = chart.columns
    filed, failed = column.segments
    assert (filed.series, failed.series) == ("filed", "failed")
    assert filed.y + filed.height == pytest.approx(100)
    assert failed.y + failed.height == pytest.approx(filed.y)
    assert column.top == failed.y == chart.lines[-1].y


def test_columns_stand_side_by_side_within_the_plot() -> None:
    chart = build_chart([Slot(str(day), {"filed": day}) for day in range(14)])

    ends = [column.x + column.width for column in chart.columns]
    begins = [column.x for column in chart.columns]
    assert begins[0] > 0
    assert ends[-1] < 100
    assert all(end < begin for end, begin in zip(ends, begins[1:], strict=False))
    assert chart.columns[-1].is_labelled
    assert sum(column.is_labelled for column in chart.columns) == 4


def test_a_limit_above_all_columns_is_within_the_plot() -> None:
    chart = build_chart([Slot("1", {"cost": Decimal("0.02")})], limit=Decimal("0.20"))

    assert chart.limit is not None
    assert 0 < chart.limit.y < chart.columns[0].top


def test_columns_far_below_a_limit_are_not_flat() -> None:
    chart = build_chart([Slot("1", {"cost": Decimal("0.02")})], limit=Decimal("10.00"))

    assert chart.limit is not None
    assert chart.is_broken
    assert chart.columns[0].top < 50
    assert 0 < chart.limit.y < chart.lines[-1].y


def test_a_limit_near_the_columns_is_on_their_scale() -> None:
    chart = build_chart([Slot("1", {"cost": Decimal("0.15")})], limit=Decimal("0.20"))

    assert chart.limit is not None
    assert not chart.is_broken
    assert chart.limit.y == chart.lines[-1].y


def test_a_chart_of_nothing_is_empty() -> None:
    assert build_chart([Slot("1", {"cost": 0})]).is_empty
