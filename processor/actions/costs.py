"""What the model calls of a month took, by day and by model."""

from collections.abc import Mapping, Sequence
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


async def costs_of_month(
    caller: Caller, instances: Sequence[str], month: date | None = None
) -> list[Costs]:
    """Add up what instances spent in the month that a day is in; without a day, in this one."""
    limits = {name: caller.require(name).limits for name in instances}
    first = (month or caller.today()).replace(day=1)
    days = [first + timedelta(days=number) for number in range(_length(first))]
    begins = [start_of(day, caller.zone) for day in (*days, days[-1] + timedelta(days=1))]
    spent = await caller.store.calls.periods(instances, begins)
    return [
        Costs(
            instance=name,
            month=first.strftime("%Y-%m"),
            currency=limits[name].currency,
            limit=limits[name].cost_per_month,
            total=period.total,
            days={days[number].isoformat(): one for number, one in period.spans.items()},
            models=period.models,
        )
        for name, period in spent.items()
    ]


def _length(first: date) -> int:
    return ((first + timedelta(days=32)).replace(day=1) - first).days
