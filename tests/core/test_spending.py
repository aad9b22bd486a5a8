"""Limits: what a call may still be made for."""

from decimal import Decimal

import pytest

from core.spending import LimitKind, SpendingLimits, count_days_needed, find_exceeded_limit

DOCUMENTS = LimitKind.DOCUMENTS_PER_DAY
COST = LimitKind.COST_PER_MONTH


@pytest.mark.parametrize(
    ("limits", "documents", "cost", "estimate", "reached"),
    [
        (SpendingLimits(), 999, "999", "9", None),
        (SpendingLimits(documents_per_day=3), 2, "999", "9", None),
        (SpendingLimits(documents_per_day=3), 3, "0", "0", DOCUMENTS),
        (SpendingLimits(documents_per_day=3), 4, "0", "0", DOCUMENTS),
        (SpendingLimits(documents_per_day=3), None, "0", "0", None),
        (SpendingLimits(cost_per_month=Decimal(5)), 999, "4.99", "0.01", None),
        (SpendingLimits(cost_per_month=Decimal(5)), 999, "4.99", "0.011", COST),
        (SpendingLimits(cost_per_month=Decimal(5)), None, "5", "0.000001", COST),
        (SpendingLimits(cost_per_month=Decimal(5)), None, "5", "0", None),
        (SpendingLimits(3, Decimal(5)), 3, "5", "1", DOCUMENTS),
    ],
)
def test_a_call_may_be_made_while_it_passes_no_limit(
    limits: SpendingLimits,
    documents: int | None,
    cost: str,
    estimate: str,
    reached: LimitKind | None,
) -> None:
    error = find_exceeded_limit(
        limits, documents=documents, cost=Decimal(cost), estimate=Decimal(estimate)
    )

    assert (None if error is None else error.kind) == reached


def test_a_reached_limit_says_what_is_used() -> None:
    error = find_exceeded_limit(
        SpendingLimits(cost_per_month=Decimal("2.50")),
        documents=None,
        cost=Decimal("2.49"),
        estimate=Decimal("0.02"),
    )

    assert error is not None
    assert (error.code, error.used, error.limit) == (
        "limit_reached",
        Decimal("2.49"),
        Decimal("2.50"),
    )
    assert str(error) == "monthly budget reached (2.49 of 2.50)"


@pytest.mark.parametrize(
    ("documents", "per_day", "used_today", "days"),
    [
        (500, 0, 0, None),
        (0, 100, 0, 1),
        (100, 100, 0, 1),
        (101, 100, 0, 2),
        (100, 100, 40, 2),
        (60, 100, 40, 1),
        (1204, 100, 0, 13),
        (10, 100, 100, 2),
        # The limit was lowered in the course of the day.
        (10, 5, 100, 3),
    ],
)
def test_a_limit_of_documents_a_day_makes_days(
    documents: int, per_day: int, used_today: int, days: int | None
) -> None:
    assert count_days_needed(documents, per_day=per_day, used_today=used_today) == days
