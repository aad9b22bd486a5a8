"""`costs`: the cost of a month's model calls. Also the estimate of `scan-now` and consent to it."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated

import typer

from core.scans import SkipReason
from core.spending import Spending
from daemon.cli.app import app
from daemon.cli.arguments import AsJson, Instance, Options, parse_month
from daemon.cli.exits import Exit, async_command, exit_for, print_error, reported_errors
from daemon.cli.session import open_context_for_reading, open_services
from daemon.cli.terminal import console, plural, print_json, print_table
from i18n.labels import SKIPPED

if TYPE_CHECKING:
    from actions.costs import Costs, EstimateSummary
    from daemon.cli.scan import ScanRequest
    from daemon.services import Services

_HEADINGS = ("documents", "pages", "calls", "input tokens", "output tokens", "cost")
_FIRST_BATCH = 20
"""Number of documents suggested for a first scan."""
_MIN_SHOWN = Decimal("0.01")
_DAY, _HOUR, _MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


@app.command("costs")
@async_command
async def costs(
    ctx: typer.Context,
    name: Instance = None,
    month: Annotated[
        date | None,
        typer.Option(
            parser=parse_month, metavar="MONTH", help="As in 2026-01; default: this month."
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


async def print_estimates(options: Options, request: "ScanRequest") -> Exit:
    """Print what a scan of one instance or of all would cost; nothing is queued or sent."""
    async with open_services(options, request.name) as services:
        exits = [await _print_estimate(services, name, request) for name in services.instances]
    if not request.as_json:
        console().print("Nothing has been sent.")
    return max(exits)


def format_estimate(summary: "EstimateSummary") -> list[str]:
    """Return the estimate as text, with a suggestion for a smaller first scan."""
    skipped = _skipped(summary)
    if not summary.documents:
        return [f"{summary.instance}: nothing to analyse{skipped}"]
    waiting = f", {summary.queued} of them in the queue" if summary.queued else ""
    pages = f", about {format_count(summary.pages)} pages" if summary.pages else ""
    lines = [
        f"{summary.instance}: {plural(summary.documents, 'document')}{waiting}{pages}{skipped}",
        f"    {', '.join(_usage(summary))}",
        f"    {_source(summary)}",
        *(f"    {line}" for line in _limits(summary)),
    ]
    if summary.new > _FIRST_BATCH:
        begin = f"paperclerk scan-now {summary.instance} --limit {_FIRST_BATCH}"
        lines.append(f"    Start with {_FIRST_BATCH}:  {begin}")
    return lines


def format_count(number: int) -> str:
    """Format a large number: 940, 12 k, 3.1 M."""
    if number < 1_000:
        return str(number)
    return f"{number / 1_000:.0f} k" if number < 999_500 else f"{number / 1_000_000:.1f} M"


def format_duration(seconds: int) -> str:
    """Format a duration to about a hundredth: 40 s, 12 min, 2 h 10 min, 3 days 4 h."""
    took = timedelta(seconds=seconds)
    if took < _MINUTE:
        return f"{seconds} s"
    if took < _HOUR:
        return f"{round(took / _MINUTE)} min"
    if took < 2 * _DAY:
        minutes = round(took / _MINUTE)
        return f"{minutes // 60} h {minutes % 60} min"
    hours = round(took / _HOUR)
    return f"{hours // 24} days {hours % 24} h"


async def list_costly(options: Options, request: "ScanRequest") -> "tuple[EstimateSummary, ...]":
    """Return the estimates of the scans that need consent.

    An instance that cannot be estimated is left out: its scan reports the error.
    """
    costly = []
    async with open_services(options, request.name) as services:
        for name in services.instances:
            if not services.context.settings.instances[name].limits.consent_above:
                continue
            with suppress(*reported_errors()):
                summary = await estimate_for(services, name, request)
                if summary.needs_consent:
                    costly.append(summary)
    return tuple(costly)


async def estimate_for(
    services: "Services", name: str, request: "ScanRequest"
) -> "EstimateSummary":
    """Return what a scan of an instance would cost."""
    from actions.costs import estimate_scan

    return await estimate_scan(
        services.store,
        services.instances[name],
        services.scanners[name],
        request.order,
        limits=services.context.settings.instances[name].limits,
        now=services.context.clock(),
    )


def build_consent_question(costly: "Sequence[EstimateSummary]") -> str:
    """Return the question whether to start what costs more than `limits.consent_above`."""
    runs = "; ".join(
        f"{summary.instance}: {plural(summary.documents, 'document')}, "
        f"{_about(summary.cost or Decimal())} {summary.currency}"
        for summary in costly
    )
    return f"{runs}. Start?"


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


async def _print_estimate(services: "Services", name: str, request: "ScanRequest") -> Exit:
    try:
        summary = await estimate_for(services, name, request)
    except reported_errors() as error:
        print_error(error, about=name)
        return exit_for(error)
    if request.as_json:
        print_json(summary)
    else:
        for line in format_estimate(summary):
            console().print(line)
    return Exit.OK


def _skipped(summary: "EstimateSummary") -> str:
    skipped = "; ".join(
        f"{count} {SKIPPED[SkipReason(reason)]}"
        for reason, count in summary.skipped.items()
        # Queued documents are listed already, among those that will be analysed.
        if not (reason == SkipReason.QUEUED and summary.queued)
    )
    return f" ({skipped})" if skipped else ""


def _usage(summary: "EstimateSummary") -> Iterator[str]:
    tokens_in, tokens_out = format_count(summary.tokens_in), format_count(summary.tokens_out)
    yield f"about {tokens_in} input and {tokens_out} output tokens"
    if summary.cost is None:
        yield f"at {summary.model} (no price is set: limits.price_in, limits.price_out)"
    else:
        yield f"{_about(summary.cost)} {summary.currency} ({summary.model}, your prices)"
    if summary.seconds is not None:
        yield f"about {format_duration(summary.seconds)} one after the other"


def _about(cost: Decimal) -> str:
    return f"about {cost:.2f}" if cost >= _MIN_SHOWN else f"less than {_MIN_SHOWN}"


def _source(summary: "EstimateSummary") -> str:
    source = f"estimated from the texts of {summary.sampled} of {summary.documents}"
    without = summary.documents - summary.asked
    return f"{source}; about {without} have no text and need no model" if without else source


def _limits(summary: "EstimateSummary") -> Iterator[str]:
    if summary.cost_per_month:
        used = f"{summary.cost_this_month:.2f} used"
        limit = f"your limit is {summary.cost_per_month:.2f} {summary.currency} a month, {used}"
        left = summary.cost_per_month - summary.cost_this_month
        exceeds = summary.cost is not None and summary.cost > left
        yield f"{limit}: the rest waits for the next month" if exceeds else limit
    if summary.days is not None:
        used = f", {summary.documents_today} used" if summary.documents_today else ""
        of_a_day = f"your limit is {summary.documents_per_day} documents a day{used}"
        yield f"{of_a_day}: {plural(summary.days, 'day')}"
    if pace := ", ".join(_pace(summary)):
        end = summary.ends_at
        yield f"{pace}: finished at about {end:%Y-%m-%d %H:%M}" if end else pace


def _pace(summary: "EstimateSummary") -> Iterator[str]:
    if summary.hours:
        yield f"the model's hours are {summary.hours}"
    if summary.requests_per_minute:
        yield f"requests per minute: at most {summary.requests_per_minute}"
    if summary.tokens_per_minute:
        yield f"tokens per minute: at most {summary.tokens_per_minute}"
