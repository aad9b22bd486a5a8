"""`costs`: what the model calls of a month have cost, by day and by model."""

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from core.spending import Spending
from daemon.cli import parsing
from daemon.cli.app import app
from daemon.cli.arguments import AsJson, Instance
from daemon.cli.exits import Exit, async_command
from daemon.cli.output import console, print_json, print_table
from daemon.cli.session import open_context_for_reading

if TYPE_CHECKING:
    from actions.costs import Costs

_HEADINGS = ("documents", "pages", "calls", "input tokens", "output tokens", "cost")


@app.command("costs")
@async_command
async def costs(
    ctx: typer.Context,
    name: Instance = None,
    month: Annotated[
        date | None,
        typer.Option(
            parser=parsing.month, metavar="MONTH", help="As in 2026-01; default: this month."
        ),
    ] = None,
    as_json: AsJson = False,
) -> Exit:
    """Show the costs of a month, by day and by model."""
    from actions.costs import list_costs

    async with open_context_for_reading(ctx.obj) as context:
        listed = await list_costs(context.caller, context.select_instances(name), month)
    if as_json:
        print_json(listed)
    else:
        for instance_costs in listed:
            _print_costs(instance_costs)
    return Exit.OK


def _print_costs(costs: "Costs") -> None:
    limit = f" of {costs.limit:.2f}" if costs.limit else ""
    spent = f"{costs.total.cost:.2f}{limit} {costs.currency}"
    console().print(f"{costs.instance}, {costs.month}: {spent}")
    if not costs.total.calls:
        console().print("    no model calls")
        return
    console().print(f"    {', '.join(_means(costs.total))}")
    print_table(("day", *_HEADINGS), (_row(*day) for day in costs.days.items()))
    print_table(("model", *_HEADINGS), (_row(*model) for model in costs.models.items()))


def _means(total: Spending) -> Iterator[str]:
    yield f"{total.cost_per_document:.4f} a document"
    if total.cost_per_page is not None:
        yield f"{total.cost_per_page:.4f} a page"


def _row(name: str, spent: Spending) -> tuple[str, ...]:
    return (
        name,
        str(spent.documents),
        str(spent.pages or ""),
        str(spent.calls),
        str(spent.tokens_in),
        str(spent.tokens_out),
        f"{spent.cost:.4f}",
    )
