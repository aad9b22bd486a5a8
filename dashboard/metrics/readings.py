"""Read the figures for Prometheus with a constant number of queries."""

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
    """The figures at one moment, for the instances that the caller may see."""

    version: str
    started_at: datetime
    silent: timedelta
    ended: Mapping[tuple[str, str], int]
    queue: Mapping[str, Mapping[JobStatus, int]]
    held: Mapping[str, int]
    for_review: Mapping[str, int]
    spent: tuple[ModelUsage, ...]
    paperless: tuple[Mapping[str, RequestStats], ...]
    """Number and duration of the requests to each Paperless, by outcome."""
    currencies: Mapping[str, str]
    known: tuple[KnownInstance, ...]
    down: frozenset[tuple[str, str]]
    """Instance and kind of every outage."""


async def read_metrics(context: AppContext, caller: Caller, ended: Ended) -> Readings:
    """Read the figures from the store."""
    store, names = context.store, tuple(caller.settings)
    queue = await store.health.count_live_jobs()
    spent = await store.health.sum_model_usage(since=context.liveness.started_at)
    return Readings(
        version=context.version,
        started_at=context.liveness.started_at,
        silent=context.liveness.processor_silent(),
        ended={key: count for key, count in ended.items() if key[0] in names},
        queue={name: queue.get(name, {}) for name in names},
        held={name: await store.jobs.count_held(name) for name in names},
        for_review=await store.statistics.count_for_review(names),
        spent=tuple(usage for usage in spent if usage.instance in names),
        paperless=tuple(instance.paperless.request_stats for instance in caller.instances.values()),
        currencies={name: settings.limits.currency for name, settings in caller.settings.items()},
        known=tuple(
            instance for instance in await store.instances.list_all() if instance.name in names
        ),
        down=await _list_outages(caller),
    )


async def _list_outages(caller: Caller) -> frozenset[tuple[str, str]]:
    outages = [hold for hold in await caller.store.holds.list_active() if hold.is_outage]
    return frozenset(
        (name, hold.kind.value)
        for name, instance in caller.instances.items()
        for hold in filter_holds(outages, instance.targets.all_targets)
    )
