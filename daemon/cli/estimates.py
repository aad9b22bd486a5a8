"""Estimate what a scan would cost and how long it would take, for `scan-now --estimate`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from core.calendar import day_start, month_start
from core.errors import PaperclerkError
from core.jobs import ANALYZE, JobStatus
from core.scans import ScanPage, SkipReason
from daemon.cli.exits import Exit, exit_for, print_error
from daemon.cli.options import Options
from daemon.cli.output import console, plural, print_json
from daemon.cli.scan import ScanRequest
from daemon.cli.session import open_services
from daemon.services import Services
from i18n.labels import SKIPPED
from paperless_client import PaperlessError
from processor.estimate import (
    Estimate,
    count_days_needed,
    count_prompt_tokens,
    estimate,
    sample_evenly,
)
from processor.instance import Instance
from store import JobFilter

_SAMPLE_SIZE = 50
"""Number of texts that are read; enough for the average of thousands."""
_TEXTS_PER_REQUEST = 10
_MAX_JOBS = 100_000
_FIRST_BATCH = 20
"""Number of documents suggested for a first scan."""
_LEAST = Decimal("0.01")
_DAY, _HOUR, _MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class EstimateSummary:
    """What a scan of one instance would cost, as `--json` prints it."""

    instance: str
    documents: int
    """New documents, and those in the queue."""
    new: int
    queued: int
    skipped: Mapping[str, int]
    asked: int
    """Documents with a text, estimated: only those are sent to the model."""
    sampled: int
    """Number of documents whose texts were read for the estimate."""
    tokens_in: int
    tokens_out: int
    model: str
    cost: Decimal | None
    """None if no price is set."""
    currency: str
    seconds: int | None
    """One document after the other; None if this model has not been called before."""
    cost_per_month: Decimal
    """The limit; 0 means none."""
    cost_this_month: Decimal
    documents_per_day: int
    """The limit; 0 means none."""
    documents_today: int
    days: int | None
    """Days needed, including today; None if there is no daily limit."""


async def print_estimates(options: Options, request: ScanRequest) -> Exit:
    """Print what a scan of one instance or of all would cost; nothing is queued or sent."""
    async with open_services(options, request.name) as services:
        exits = [await _print_estimate(services, name, request) for name in services.instances]
    if not request.as_json:
        console().print("Nothing has been sent.")
    return max(exits)


def lines_of(summary: EstimateSummary) -> list[str]:
    """Return the estimate as text, with a suggestion for a smaller first scan."""
    skipped = _skipped(summary)
    if not summary.documents:
        return [f"{summary.instance}: nothing to analyse{skipped}"]
    waiting = f", {summary.queued} of them in the queue" if summary.queued else ""
    lines = [
        f"{summary.instance}: {plural(summary.documents, 'document')}{waiting}{skipped}",
        f"    {', '.join(_usage(summary))}",
        f"    {_source(summary)}",
        *(f"    {line}" for line in _limits(summary)),
    ]
    if summary.new > _FIRST_BATCH:
        begin = f"paperclerk scan-now {summary.instance} --limit {_FIRST_BATCH}"
        lines.append(f"    Start with {_FIRST_BATCH}:  {begin}")
    return lines


def amount(number: int) -> str:
    """Format a large number: 940, 12 k, 3.1 M."""
    if number < 1_000:
        return str(number)
    return f"{number / 1_000:.0f} k" if number < 999_500 else f"{number / 1_000_000:.1f} M"


def span(seconds: int) -> str:
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


async def _print_estimate(services: Services, name: str, request: ScanRequest) -> Exit:
    try:
        summary = await _estimate_scan(services, name, request)
    except (PaperclerkError, PaperlessError) as error:
        print_error(error, about=name)
        return exit_for(error)
    if request.as_json:
        print_json(summary)
    else:
        for line in lines_of(summary):
            console().print(line)
    return Exit.OK


async def _estimate_scan(services: Services, name: str, request: ScanRequest) -> EstimateSummary:
    instance = services.instances[name]
    found = await services.scanners[name].preview(request.order)
    queued = [] if request.dry_run else await _queued(services, name)
    new = [job.document.id for job, _ in found.selected]
    endpoint, budget = instance.model.server.endpoint, instance.budget
    usage = await services.store.calls.get_typical_usage(
        name, endpoint=endpoint.base_url, model=endpoint.model
    )
    ids = [*queued, *new]
    estimated = estimate(len(ids), await _sample(instance, ids), usage, budget.prices)
    return await _summarize(services, instance, found, estimated, queued=len(queued))


async def _queued(services: Services, name: str) -> list[int]:
    """Return the documents that a scan would process because they are pending already."""
    wanted = JobFilter(status=JobStatus.PENDING, instance=name, kind=ANALYZE)
    return [job.document.id for job in await services.store.jobs.list(wanted, limit=_MAX_JOBS)]


async def _sample(instance: Instance, ids: Sequence[int]) -> list[int]:
    """Return the prompt tokens of a sample of documents.

    The texts of documents with an excluded tag are not fetched.
    """
    settings = (await instance.with_custom_fields()).prompt_settings
    names, chosen = await instance.catalogue.names(), sample_evenly(ids, _SAMPLE_SIZE)
    excluded = names.tag_ids.all_ids(instance.tags.exclude)
    tokens: list[int] = []
    for start in range(0, len(chosen), _TEXTS_PER_REQUEST):
        batch = frozenset(chosen[start : start + _TEXTS_PER_REQUEST])
        texts = await instance.paperless.fetch_texts(batch, without_tags=excluded)
        tokens += [
            count_prompt_tokens(document.content, names=names.offered, settings=settings)
            for document in texts.found
        ]
    return tokens


async def _summarize(
    services: Services, instance: Instance, found: ScanPage, estimated: Estimate, *, queued: int
) -> EstimateSummary:
    now, budget, calls = services.context.clock(), instance.budget, services.store.calls
    day, month = day_start(now, budget.zone), month_start(now, budget.zone)
    today = (await calls.sum_spending(instance.name, since=day)).documents
    per_day = budget.limits.documents_per_day
    return EstimateSummary(
        instance=instance.name,
        documents=estimated.documents,
        new=len(found.selected),
        queued=queued,
        skipped={str(reason): count for reason, count in found.skipped.items()},
        asked=estimated.asked,
        sampled=estimated.sampled,
        tokens_in=estimated.tokens_in,
        tokens_out=estimated.tokens_out,
        model=instance.model.server.endpoint.model,
        cost=estimated.cost,
        currency=services.context.settings.instances[instance.name].limits.currency,
        seconds=None if estimated.took is None else round(estimated.took.total_seconds()),
        cost_per_month=budget.limits.cost_per_month,
        cost_this_month=(await calls.sum_spending(instance.name, since=month)).cost,
        documents_per_day=per_day,
        documents_today=today,
        days=count_days_needed(estimated.asked, per_day=per_day, used_today=today),
    )


def _skipped(summary: EstimateSummary) -> str:
    skipped = "; ".join(
        f"{count} {SKIPPED[SkipReason(reason)]}"
        for reason, count in summary.skipped.items()
        # Queued documents are listed already, among those that will be analysed.
        if not (reason == SkipReason.QUEUED and summary.queued)
    )
    return f" ({skipped})" if skipped else ""


def _usage(summary: EstimateSummary) -> Iterator[str]:
    yield f"about {amount(summary.tokens_in)} input and {amount(summary.tokens_out)} output tokens"
    if summary.cost is None:
        yield f"at {summary.model} (no price is set: limits.price_in, limits.price_out)"
    else:
        yield f"{_about(summary.cost)} {summary.currency} ({summary.model}, your prices)"
    if summary.seconds is not None:
        yield f"about {span(summary.seconds)} one after the other"


def _about(cost: Decimal) -> str:
    return f"about {cost:.2f}" if cost >= _LEAST else f"less than {_LEAST}"


def _source(summary: EstimateSummary) -> str:
    source = f"estimated from the texts of {summary.sampled} of {summary.documents}"
    without = summary.documents - summary.asked
    return f"{source}; about {without} have no text and need no model" if without else source


def _limits(summary: EstimateSummary) -> Iterator[str]:
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
