"""What is measured: a handful of questions to the store, however much it holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from actions.caller import Caller
from core.holds import filter_holds
from core.jobs import JobStatus
from core.scans import KnownInstance
from dashboard.context import AppContext
from dashboard.metrics.tally import Ended
from paperless_client import RequestStats
from store.statistics import ModelUsage


@dataclass(frozen=True, slots=True)
class Readings:
    """Everything at one moment, for the instances that the caller may see."""

    version: str
    started_at: datetime
    silent: timedelta
    ended: Mapping[tuple[str, str], int]
    queue: Mapping[str, Mapping[JobStatus, int]]
    held: Mapping[str, int]
    for_review: Mapping[str, int]
    spent: tuple[ModelUsage, ...]
    paperless: tuple[Mapping[str, RequestStats], ...]
    """How requests to each Paperless ended, and how long they took."""
    currencies: Mapping[str, str]
    known: tuple[KnownInstance, ...]
    down: frozenset[tuple[str, str]]
    """Instance and target of what is held because of an outage."""


async def read_metrics(context: AppContext, caller: Caller, ended: Ended) -> Readings:
    """Ask the store."""
    store, names = context.store, tuple(caller.settings)
    queue, for_review = (
        await store.health.count_live_jobs(),
        await store.statistics.count_for_review(names),
    )
    spent = await store.health.sum_model_usage(since=context.liveness.started_at)
    return Readings(
        version=context.version,
        started_at=context.liveness.started_at,
        silent=context.liveness.processor_silent(),
        ended={key: count for key, count in ended.items() if key[0] in names},
        queue={name: queue.get(name, {}) for name in names},
        held={name: await store.jobs.count_held(name) for name in names},
        for_review=for_review,
        spent=tuple(one for one in spent if one.instance in names),
        paperless=tuple(one.paperless.request_stats for one in caller.instances.values()),
        currencies={name: one.limits.currency for name, one in caller.settings.items()},
        known=tuple(one for one in await store.instances.list_all() if one.name in names),
        down=await _down(caller),
    )


async def _down(caller: Caller) -> frozenset[tuple[str, str]]:
    outages = [hold for hold in await caller.store.holds.list_active() if hold.is_outage]
    return frozenset(
        (name, hold.kind.value)
        for name, one in caller.instances.items()
        for hold in filter_holds(outages, one.targets.all_targets)
    )
