"""`costs`: what the model calls of a month took, by day and by model."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from core.days import start_of
from core.spending import Spending
from daemon.exits import Exit
from daemon.memory import Memory, Options, open_memory
from daemon.output import console, print_json, print_table

_HEADINGS = ("documents", "calls", "tokens in", "tokens out", "cost")


@dataclass(frozen=True, slots=True)
class Costs:
    """What one instance spent in a month, as `--json` gives it."""

    instance: str
    month: str
    currency: str
    limit: Decimal
    """Most that may be spent in a month; 0 means no limit."""
    total: Spending
    days: Mapping[str, Spending]
    """Days on which something was spent."""
    models: Mapping[str, Spending]


async def costs(options: Options, *, name: str | None, month: date | None, as_json: bool) -> Exit:
    """Show what a month has cost; this month, if none is named."""
    async with open_memory(options) as memory:
        first = (month or memory.clock().astimezone(memory.zone).date()).replace(day=1)
        told = [await _costs(memory, one, first) for one in memory.chosen(name)]
    if as_json:
        print_json(told)
    else:
        for one in told:
            _print(one)
    return Exit.OK


async def _costs(memory: Memory, instance: str, first: date) -> Costs:
    calls, limits = memory.store.calls, memory.settings.instances[instance].limits
    days = [first + timedelta(days=number) for number in range(_length(first))]
    begins = [start_of(day, memory.zone) for day in (*days, days[-1] + timedelta(days=1))]
    by_day = {
        day.isoformat(): await calls.spent(instance, since=since, until=until)
        for day, since, until in zip(days, begins, begins[1:], strict=False)
    }
    span = {"since": begins[0], "until": begins[-1]}
    return Costs(
        instance=instance,
        month=first.strftime("%Y-%m"),
        currency=limits.currency,
        limit=limits.cost_per_month,
        total=await calls.spent(instance, **span),
        days={day: spent for day, spent in by_day.items() if spent.calls},
        models=await calls.spent_by_model(instance, **span),
    )


def _length(first: date) -> int:
    return ((first + timedelta(days=32)).replace(day=1) - first).days


def _print(costs: Costs) -> None:
    of = f" of {costs.limit:.2f}" if costs.limit else ""
    spent = f"{costs.total.cost:.2f}{of} {costs.currency}"
    console().print(f"{costs.instance}, {costs.month}: {spent}")
    if not costs.total.calls:
        console().print("    no model was asked")
        return
    print_table(("day", *_HEADINGS), (_row(*one) for one in costs.days.items()))
    print_table(("model", *_HEADINGS), (_row(*one) for one in costs.models.items()))


def _row(name: str, spent: Spending) -> tuple[str, ...]:
    return (
        name,
        str(spent.documents),
        str(spent.calls),
        str(spent.tokens_in),
        str(spent.tokens_out),
        f"{spent.cost:.4f}",
    )
