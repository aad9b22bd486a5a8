"""`costs`: what the model calls of a month took, by day and by model."""

from datetime import date

from actions.costs import Costs, list_costs
from core.spending import Spending
from daemon.cli.exits import Exit
from daemon.cli.options import Options
from daemon.cli.output import console, print_json, print_table
from daemon.context import open_context
from store import OpenMode

_HEADINGS = ("documents", "calls", "tokens in", "tokens out", "cost")


async def costs(options: Options, *, name: str | None, month: date | None, as_json: bool) -> Exit:
    """Show what a month has cost; this month, if none is named."""
    async with open_context(options, opening=OpenMode.LOOK) as memory:
        told = await list_costs(memory.caller, memory.select_instances(name), month)
    if as_json:
        print_json(told)
    else:
        for one in told:
            _print(one)
    return Exit.OK


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
