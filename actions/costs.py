"""What the model calls of a month took, by day and by model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from actions.caller import Caller
from core.calendar import day_boundaries, days_of_month
from core.spending import Spending


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


async def list_costs(
    caller: Caller, instances: Sequence[str], month: date | None = None
) -> list[Costs]:
    """Add up what instances spent in the month that a day is in; without a day, in this one."""
    limits = {name: caller.require_instance(name).limits for name in instances}
    days = days_of_month(month or caller.today())
    spent = await caller.store.calls.sum_periods(instances, day_boundaries(days, caller.zone))
    return [
        Costs(
            instance=name,
            month=days[0].strftime("%Y-%m"),
            currency=limits[name].currency,
            limit=limits[name].cost_per_month,
            total=period.total,
            days={days[number].isoformat(): one for number, one in period.spans.items()},
            models=period.models,
        )
        for name, period in spent.items()
    ]
