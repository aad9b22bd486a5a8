"""What the model calls of a month took, by day and by model."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from core.days import start_of
from core.spending import Spending
from processor.actions.caller import Caller


@dataclass(frozen=True, slots=True)
class Costs:
    """What one instance spent in a month."""

    instance: str
    month: str
    currency: str
    limit: Decimal
    """Most that may be spent in a month; 0 means no limit."""
    total: Spending
    days: Mapping[str, Spending]
    """Days on which something was spent."""
    models: Mapping[str, Spending]


async def costs_of_month(caller: Caller, instance: str, month: date | None = None) -> Costs:
    """Add up what an instance spent in the month that a day is in; without a day, in this one."""
    limits = caller.require(instance).limits
    first = (month or caller.today()).replace(day=1)
    days = [first + timedelta(days=number) for number in range(_length(first))]
    begins = [start_of(day, caller.zone) for day in (*days, days[-1] + timedelta(days=1))]
    calls, since, until = caller.store.calls, begins[0], begins[-1]
    by_day = await calls.spent_by_span(instance, begins)
    return Costs(
        instance=instance,
        month=first.strftime("%Y-%m"),
        currency=limits.currency,
        limit=limits.cost_per_month,
        total=await calls.spent(instance, since=since, until=until),
        days={days[number].isoformat(): spent for number, spent in by_day.items()},
        models=await calls.spent_by_model(instance, since=since, until=until),
    )


def _length(first: date) -> int:
    return ((first + timedelta(days=32)).replace(day=1) - first).days
