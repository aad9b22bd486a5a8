"""What a month cost, by the owner's days."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from actions.caller import Caller
from actions.costs import list_costs
from core.analysis import ModelCall
from store import Store
from tests.store.builders import record_call

BERLIN = ZoneInfo("Europe/Berlin")
OCTOBER_ENDS = datetime(2026, 10, 31, 23, tzinfo=UTC)
"""In Berlin; the month has a day of 25 hours."""


@pytest.mark.parametrize(
    ("ago", "month", "day"),
    [(timedelta(seconds=1), "2026-10", "2026-10-31"), (timedelta(), "2026-11", "2026-11-01")],
    ids=["the last second", "the first"],
)
async def test_a_call_counts_for_the_day_that_it_was_for_the_owner(
    caller: Caller, store: Store, ago: timedelta, month: str, day: str
) -> None:
    call = ModelCall("e", "gemma", "text", "ok", 900, 80, 5, OCTOBER_ENDS - ago, Decimal("0.5"))
    await record_call(store, call, instance="home", job_id=None)

    [costs] = await list_costs(
        replace(caller, zone=BERLIN), ["home"], date.fromisoformat(f"{month}-15")
    )

    assert (costs.month, costs.total.cost, costs.currency) == (month, Decimal("0.5"), "EUR")
    assert {name: spent.cost for name, spent in costs.days.items()} == {day: Decimal("0.5")}
    assert list(costs.models) == ["gemma"]


async def test_without_a_day_it_is_the_month_that_the_owner_has(caller: Caller) -> None:
    listed = [
        costs
        for zone in (UTC, BERLIN)
        for costs in await list_costs(
            replace(caller, zone=zone, clock=lambda: OCTOBER_ENDS), ["home"]
        )
    ]

    assert [costs.month for costs in listed] == ["2026-10", "2026-11"]
