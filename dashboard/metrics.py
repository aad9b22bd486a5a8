"""`/metrics` for Prometheus: figures read from the store on each request, and their families."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    InfoMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from actions.caller import Caller
from core.holds import filter_holds
from core.jobs import EventName, JobStatus
from core.scans import KnownInstance
from dashboard.api.router import error_responses
from dashboard.auth.dependencies import ContextDep, ReadCaller
from dashboard.context import AppContext
from paperless_client import RequestStats
from store import Store
from store.statistics import ModelUsage

_RESULTS = {
    EventName.COMPLETED: "completed",
    EventName.RETRIED: "retried",
    EventName.FAILED: "failed",
    EventName.CANCELLED: "cancelled",
}
_AT_ONCE = 1_000

Ended = Counter[tuple[str, str]]
"""By instance and result."""


class Tally:
    """Counts from the event log how attempts ended since the first request.

    Counting jobs would not do: old jobs are deleted and failed ones retried, and a counter must
    not decrease.
    """

    def __init__(self, store: Store) -> None:
        self._jobs = store.jobs
        self._position: int | None = None
        self._ended: Ended = Counter()
        self._counting = asyncio.Lock()

    async def count_ended(self) -> Ended:
        """Return the number of ended attempts by instance and result."""
        async with self._counting:
            if self._position is None:
                self._position = await self._jobs.get_last_event_id()
            while found := await self._jobs.list_events_with_jobs(self._position, limit=_AT_ONCE):
                for followed in found:
                    if result := _RESULTS.get(followed.event.name):
                        self._ended[followed.document.instance, result] += 1
                self._position = found[-1].event.id
            return self._ended.copy()


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


_PAPERLESS, _MODEL = _TARGETS = ("paperless", "model")
_STATE = ["instance", "state"]


class MetricsCollector(Collector):
    """Yields the metrics of one reading to a registry."""

    def __init__(self, readings: Readings) -> None:
        self._readings = readings

    def collect(self) -> Iterator[Metric]:
        for family in FAMILIES:
            yield from family(self._readings)


def _process(readings: Readings) -> Iterator[Metric]:
    build = InfoMetricFamily("paperclerk_build", "The version that runs.")
    build.add_metric([], {"version": readings.version})
    yield build
    yield GaugeMetricFamily(
        "paperclerk_start_timestamp",
        "When the process started.",
        value=readings.started_at.timestamp(),
    )
    yield GaugeMetricFamily(
        "paperclerk_processor_silent_seconds",
        "How long the processor has shown no sign of life.",
        value=readings.silent.total_seconds(),
    )


def _documents(readings: Readings) -> Iterator[Metric]:
    ended = CounterMetricFamily(
        "paperclerk_documents", "Ended attempts.", labels=["instance", "result"]
    )
    for (instance, result), count in sorted(readings.ended.items()):
        ended.add_metric([instance, result], count)
    yield ended


def _queue(readings: Readings) -> Iterator[Metric]:
    queue = GaugeMetricFamily(
        "paperclerk_queue", "Jobs in the queue; jobs on hold are pending, too.", labels=_STATE
    )
    for instance, states in readings.queue.items():
        for status in (JobStatus.PENDING, JobStatus.PROCESSING):
            queue.add_metric([instance, status], states.get(status, 0))
        queue.add_metric([instance, "held"], readings.held[instance])
    yield queue
    review = GaugeMetricFamily("paperclerk_review", "Documents for review.", labels=["instance"])
    for instance, count in readings.for_review.items():
        review.add_metric([instance], count)
    yield review


def _tokens(readings: Readings) -> Iterator[Metric]:
    sums: defaultdict[tuple[str, str, str], int] = defaultdict(int)
    for usage in readings.spent:
        sums[usage.instance, usage.model, "in"] += usage.tokens_in
        sums[usage.instance, usage.model, "out"] += usage.tokens_out
    tokens = CounterMetricFamily(
        "paperclerk_tokens", "Tokens of model calls.", labels=["instance", "model", "kind"]
    )
    for labels, count in sums.items():
        tokens.add_metric(labels, count)
    yield tokens


def _cost(readings: Readings) -> Iterator[Metric]:
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for usage in readings.spent:
        sums[usage.instance] += usage.cost
    cost = CounterMetricFamily(
        "paperclerk_cost", "Cost of model calls.", labels=["instance", "currency"]
    )
    for instance, currency in readings.currencies.items():
        cost.add_metric([instance, currency], float(sums[instance]))
    yield cost


def _requests(readings: Readings) -> Iterator[Metric]:
    counts: Counter[tuple[str, str]] = Counter()
    seconds: defaultdict[tuple[str, str], float] = defaultdict(float)
    for target, outcome, count, took in _list_requests(readings):
        counts[target, outcome] += count
        seconds[target, outcome] += took
    requests = SummaryMetricFamily(
        "paperclerk_request_seconds", "Duration of requests.", labels=["target", "outcome"]
    )
    for key, count in sorted(counts.items()):
        requests.add_metric(key, count_value=count, sum_value=seconds[key])
    yield requests


def _list_requests(readings: Readings) -> Iterator[tuple[str, str, int, float]]:
    """Yield target, outcome, number and seconds of requests to models and to Paperless."""
    for usage in readings.spent:
        yield _MODEL, usage.outcome, usage.calls, usage.took_ms / 1000
    for by_outcome in readings.paperless:
        for outcome, stats in by_outcome.items():
            yield _PAPERLESS, outcome, stats.requests, stats.seconds


def _scans(readings: Readings) -> Iterator[Metric]:
    last = GaugeMetricFamily(
        "paperclerk_last_scan_timestamp", "When the last scan succeeded.", labels=["instance"]
    )
    coming = GaugeMetricFamily(
        "paperclerk_next_scan_timestamp", "When the next scan is due.", labels=["instance"]
    )
    for known in readings.known:
        if known.last_scan_at is not None:
            last.add_metric([known.name], known.last_scan_at.timestamp())
        if known.next_scan_at is not None:
            coming.add_metric([known.name], known.next_scan_at.timestamp())
    yield last
    yield coming


def _up(readings: Readings) -> Iterator[Metric]:
    up = GaugeMetricFamily(
        "paperclerk_up", "1 if reachable, 0 during an outage.", labels=["instance", "target"]
    )
    for instance in readings.queue:
        for target in _TARGETS:
            up.add_metric([instance, target], int((instance, target) not in readings.down))
    yield up


FAMILIES: tuple[Callable[[Readings], Iterator[Metric]], ...] = (
    _process,
    _documents,
    _queue,
    _tokens,
    _cost,
    _requests,
    _scans,
    _up,
)


router = APIRouter(tags=["health"])


@router.get("/metrics", response_class=PlainTextResponse, responses=error_responses())
async def metrics(request: Request, context: ContextDep, caller: ReadCaller) -> PlainTextResponse:
    """Return the metrics for Prometheus; a token needs the permission to read."""
    tally: Tally = request.app.state.tally
    registry = CollectorRegistry()
    registry.register(
        MetricsCollector(await read_metrics(context, caller, await tally.count_ended()))
    )
    return PlainTextResponse(generate_latest(registry), media_type=CONTENT_TYPE_PLAIN_0_0_4)
