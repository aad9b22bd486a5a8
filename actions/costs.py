"""The costs of a month's model calls, by day and by model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from actions.caller import Caller
from core.calendar import day_boundaries, days_of_month
from core.spending import Spending


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of one instance in a month."""

    instance: str
    month: str
    currency: str
    limit: Decimal
    """The monthly limit; 0 means no limit."""
    total: Spending
    days: Mapping[str, Spending]
    """Only days on which something was spent."""
    models: Mapping[str, Spending]


async def list_costs(
    caller: Caller, instances: Sequence[str], month: date | None = None
) -> list[Costs]:
    """Return the costs of instances in the month of a day; in the current month without one."""
    limits = {name: caller.require_instance(name).limits for name in instances}
    days = days_of_month(month or caller.today())
    periods = await caller.store.calls.sum_periods(instances, day_boundaries(days, caller.zone))
    return [
        Costs(
            instance=name,
            month=days[0].strftime("%Y-%m"),
            currency=limits[name].currency,
            limit=limits[name].cost_per_month,
            total=period.total,
            days={days[number].isoformat(): spent for number, spent in period.spans.items()},
            models=period.models,
        )
        for name, period in periods.items()
    ]
