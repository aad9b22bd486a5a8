"""The metric families for Prometheus."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from decimal import Decimal

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    InfoMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector

from core.jobs import JobStatus
from dashboard.metrics.readings import Readings

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
        "paperclerk_documents", "Attempts that ended.", labels=["instance", "result"]
    )
    for (instance, result), count in sorted(readings.ended.items()):
        ended.add_metric([instance, result], count)
    yield ended


def _queue(readings: Readings) -> Iterator[Metric]:
    queue = GaugeMetricFamily(
        "paperclerk_queue", "Jobs in the queue; held ones are pending, too.", labels=_STATE
    )
    for instance, states in readings.queue.items():
        for status in (JobStatus.PENDING, JobStatus.PROCESSING):
            queue.add_metric([instance, status], states.get(status, 0))
        queue.add_metric([instance, "held"], readings.held[instance])
    yield queue
    review = GaugeMetricFamily(
        "paperclerk_review", "Documents that wait for a person.", labels=["instance"]
    )
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
        "paperclerk_cost", "What model calls cost.", labels=["instance", "currency"]
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
        "paperclerk_request_seconds", "How long calls took.", labels=["target", "outcome"]
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
        "paperclerk_last_scan_timestamp", "When a scan last went through.", labels=["instance"]
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
        "paperclerk_up", "1 while it answers, 0 in an outage.", labels=["instance", "target"]
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
