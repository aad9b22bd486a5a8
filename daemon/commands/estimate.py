"""`scan-now --estimate`: what a scan would take, before anything is sent."""

from collections.abc import Sequence

from core.calendar import day_start, month_start
from core.errors import PaperclerkError
from core.jobs import ANALYZE, JobStatus
from core.scans import ScanPage
from daemon.cli.estimates import EstimateSummary, lines_of
from daemon.cli.exits import Exit, exit_for, print_error
from daemon.cli.options import Options
from daemon.cli.output import console, print_json
from daemon.commands.scan import ScanRequest
from daemon.context import open_context
from daemon.services import Services, open_services
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

_SAMPLE = 50
"""So many texts are read; they tell the average of thousands well enough."""
_TEXTS_A_REQUEST = 10
_MOST_JOBS = 100_000


async def show_estimate(options: Options, request: ScanRequest) -> Exit:
    """Say what a scan of one instance or of all would take; nothing is queued or sent."""
    async with (
        open_context(options) as memory,
        open_services(memory, memory.select_instances(request.name)) as services,
    ):
        exits = [await _show_one(services, name, request) for name in services.instances]
    if not request.as_json:
        console().print("Nothing has been sent.")
    return max(exits)


async def _show_one(services: Services, name: str, request: ScanRequest) -> Exit:
    try:
        summary = await _summary(services, name, request)
    except (PaperclerkError, PaperlessError) as error:
        print_error(error, about=name)
        return exit_for(error)
    if request.as_json:
        print_json(summary)
    else:
        for line in lines_of(summary):
            console().print(line)
    return Exit.OK


async def _summary(services: Services, name: str, request: ScanRequest) -> EstimateSummary:
    instance = services.instances[name]
    found = await services.scanners[name].preview(request.order)
    queued = [] if request.dry_run else await _queued(services, name)
    new = [job.document.id for job, _ in found.selected]
    endpoint, budget = instance.model.server.endpoint, instance.budget
    experience = await services.store.calls.get_typical_usage(
        name, endpoint=endpoint.base_url, model=endpoint.model
    )
    ids = [*queued, *new]
    reckoned = estimate(len(ids), await _sample(instance, ids), experience, budget.prices)
    return await _with_limits(services, instance, found, reckoned, queued=len(queued))


async def _queued(services: Services, name: str) -> list[int]:
    """Return the documents that a scan would work on because they wait already."""
    wanted = JobFilter(status=JobStatus.PENDING, instance=name, kind=ANALYZE)
    return [job.document.id for job in await services.store.jobs.list(wanted, limit=_MOST_JOBS)]


async def _sample(instance: Instance, ids: Sequence[int]) -> list[int]:
    """Return the tokens of some documents; the text of an excluded one is not even fetched."""
    brief = (await instance.with_custom_fields()).prompt_settings
    names, chosen = await instance.catalogue.names(), sample_evenly(ids, _SAMPLE)
    excluded = names.tag_ids.all_ids(instance.tags.exclude)
    tokens: list[int] = []
    for start in range(0, len(chosen), _TEXTS_A_REQUEST):
        some = frozenset(chosen[start : start + _TEXTS_A_REQUEST])
        texts = await instance.paperless.fetch_texts(some, without_tags=excluded)
        tokens += [
            count_prompt_tokens(one.content, names=names.offered, settings=brief)
            for one in texts.found
        ]
    return tokens


async def _with_limits(
    services: Services, instance: Instance, found: ScanPage, reckoned: Estimate, *, queued: int
) -> EstimateSummary:
    now, budget, calls = services.context.clock(), instance.budget, services.store.calls
    day, month = day_start(now, budget.zone), month_start(now, budget.zone)
    today = (await calls.sum_spending(instance.name, since=day)).documents
    per_day = budget.limits.documents_per_day
    return EstimateSummary(
        instance=instance.name,
        documents=reckoned.documents,
        new=len(found.selected),
        queued=queued,
        skipped={str(reason): count for reason, count in found.skipped.items()},
        asked=reckoned.asked,
        sampled=reckoned.sampled,
        tokens_in=reckoned.tokens_in,
        tokens_out=reckoned.tokens_out,
        model=instance.model.server.endpoint.model,
        cost=reckoned.cost,
        currency=services.context.settings.instances[instance.name].limits.currency,
        seconds=None if reckoned.took is None else round(reckoned.took.total_seconds()),
        cost_per_month=budget.limits.cost_per_month,
        cost_this_month=(await calls.sum_spending(instance.name, since=month)).cost,
        documents_per_day=per_day,
        documents_today=today,
        days=count_days_needed(reckoned.asked, per_day=per_day, used_today=today),
    )
