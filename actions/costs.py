"""Costs: those of a month, the estimate of a run, and a person's consent to a costly one.

Timers and automatic retries need no consent: the limits apply to them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Protocol, TypeVar

from actions.caller import Caller
from actions.errors import ConsentRequired
from core.calendar import day_boundaries, day_start, days_of_month, month_start
from core.documents import DocumentRef
from core.jobs import ANALYZE, DRY_RUN, JobStatus
from core.pace import Pace
from core.scans import ScanPage
from core.settings.instance import LimitsSettings
from core.spending import Consent, Spending, TypicalUsage, count_days_needed
from processor.analysis.errors import PromptTooLong
from processor.analysis.long_documents import split_for_prompt
from processor.analysis.prompt import PromptSettings, build_prompt
from processor.analysis.prompt_blocks import OfferedNames, estimate_tokens
from processor.instance import Instance, Prices
from processor.policy import reason_not_to_ask
from scanner.scan import ScanOrder
from store import JobFilter, Store

__all__ = [
    "Costs",
    "EstimateSummary",
    "ScanOrder",
    "ScanPreviewer",
    "estimate_documents",
    "estimate_scan",
    "list_costs",
]

T = TypeVar("T")

ANY_COST = Decimal("Infinity")
"""Consent to any estimate."""
_SAMPLE_SIZE = 50
"""Number of texts that are read; enough for the average of thousands."""
_TEXTS_PER_REQUEST = 10
_MAX_JOBS = 100_000
_USUAL_ANSWER = 400
"""Tokens of an answer, until the model has been used."""
_EXAMPLE = 80
"""Tokens of one example in the prompt; which ones are shown, only a search can tell."""
_MARK = "0" * 16
"""Stands for the random mark, and is as long."""


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of one instance in a month."""

    instance: str
    month: str
    currency: str
    limit: Decimal
    """The monthly limit; 0 means no limit."""
    total: Spending
    days: Mapping[str, Spending]
    """Only days on which something was spent."""
    models: Mapping[str, Spending]


async def list_costs(
    caller: Caller, instances: Sequence[str], month: date | None = None
) -> list[Costs]:
    """Return the costs of instances in the month of a day; in the current month without one."""
    limits = {name: caller.require_instance(name).limits for name in instances}
    days = days_of_month(month or caller.today())
    periods = await caller.store.calls.sum_periods(instances, day_boundaries(days, caller.zone))
    return [
        Costs(
            instance=name,
            month=days[0].strftime("%Y-%m"),
            currency=limits[name].currency,
            limit=limits[name].cost_per_month,
            total=period.total,
            days={days[number].isoformat(): spent for number, spent in period.spans.items()},
            models=period.models,
        )
        for name, period in periods.items()
    ]


class ScanPreviewer(Protocol):
    """Finds what a scan would select; `Scanner` implements it."""

    async def preview(self, order: ScanOrder) -> ScanPage: ...


@dataclass(frozen=True, slots=True)
class EstimateSummary:
    """What a run of one instance would cost, as `--json` prints it."""

    instance: str
    documents: int
    """New documents, and those in the queue."""
    new: int
    """Documents that the run adds to the queue."""
    queued: int
    skipped: Mapping[str, int]
    pages: int | None
    """Estimated from the sample; None if Paperless knows the pages of none of its documents."""
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
    hours: str = ""
    """The model's hours; empty: at any time."""
    requests_per_minute: int = 0
    """The model's rate; 0 means no limit."""
    tokens_per_minute: int = 0
    """The model's rate; 0 means no limit."""
    ends_at: datetime | None = None
    """When the run would end at that rate, in those hours; None if neither is set."""
    consent_above: Decimal = Decimal(0)
    """A person must confirm more than this; 0: never."""

    @property
    def needs_consent(self) -> bool:
        """Return whether a person must confirm a run with this estimate."""
        return bool(self.consent_above) and (self.cost or 0) > self.consent_above


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated usage of analyzing documents."""

    documents: int
    asked: int
    """Estimated number of documents with a text worth a model call."""
    sampled: int
    """Number of texts in the sample."""
    tokens_in: int
    tokens_out: int
    cost: Decimal | None
    """None if no price is set."""
    took: timedelta | None
    """Time for one document after the other; None if the model was never used."""


@dataclass(frozen=True, slots=True)
class _Sample:
    """A sample of the documents of a run."""

    tokens: Sequence[int]
    """Prompt tokens of each; 0: it needs no model."""
    pages: Sequence[int]
    """Of the documents whose pages Paperless knows."""

    def estimate_pages(self, documents: int) -> int | None:
        return round(documents * sum(self.pages) / len(self.pages)) if self.pages else None


async def estimate_scan(
    store: Store,
    instance: Instance,
    scanner: ScanPreviewer,
    order: ScanOrder,
    *,
    limits: LimitsSettings,
    now: datetime,
) -> EstimateSummary:
    """Return what a scan would cost; nothing is queued or sent. Raise PaperlessError."""
    found = await scanner.preview(order)
    queued = [] if order.kind == DRY_RUN else await _queued(store, instance.name)
    ids = [*queued, *(job.document.id for job, _ in found.selected)]
    summary = await estimate_documents(store, instance, ids, limits=limits, now=now)
    skipped = {str(reason): count for reason, count in found.skipped.items()}
    return replace(summary, new=len(found.selected), queued=len(queued), skipped=skipped)


async def estimate_documents(
    store: Store,
    instance: Instance,
    ids: Sequence[int],
    *,
    limits: LimitsSettings,
    now: datetime,
) -> EstimateSummary:
    """Return what it would cost to process documents; nothing is queued or sent.

    Raise PaperlessError.
    """
    endpoint, budget = instance.model.server.endpoint, instance.budget
    usage = await store.calls.get_typical_usage(
        instance.name, endpoint=endpoint.base_url, model=endpoint.model
    )
    sample = await _sample(instance, ids)
    estimated = estimate_usage(len(ids), sample.tokens, usage, budget.prices)
    day, month = day_start(now, budget.zone), month_start(now, budget.zone)
    today = (await store.calls.sum_spending(instance.name, since=day)).documents
    this_month = (await store.calls.sum_spending(instance.name, since=month)).cost
    summary = _summarize(instance, estimated, limits, today=today, this_month=this_month)
    calls = estimated.asked * (usage.calls if usage else 1)
    paced = _with_pace(summary, budget.pace, calls=calls, now=now)
    return replace(paced, pages=sample.estimate_pages(len(ids)))


async def require_scan_consent(
    caller: Caller,
    scanner: ScanPreviewer | None,
    name: str,
    order: ScanOrder,
    up_to: Decimal | None,
) -> Consent | None:
    """Return the consent to a scan that costs more than `limits.consent_above`, None for others.

    Raise ConsentRequired, with the estimate, if it is more than the person has confirmed, or
    PaperlessError. Without a scanner the instance is not connected, and nothing can be spent.
    """
    limits = caller.require_instance(name).limits
    if not limits.consent_above or scanner is None:
        return None
    estimate = await estimate_scan(
        caller.store,
        caller.get_instance(name),
        scanner,
        order,
        limits=limits,
        now=caller.now(),
    )
    return _collect_consents(caller, [estimate], up_to).get(name)


async def require_documents_consent(
    caller: Caller, documents: Iterable[DocumentRef], up_to: Decimal | None
) -> Mapping[str, Consent]:
    """Return the consents to processing documents, by instance; none where none is needed.

    Raise as `require_scan_consent` does. `up_to` is for each instance, in its currency.
    """
    ids: defaultdict[str, list[int]] = defaultdict(list)
    for document in documents:
        ids[document.instance].append(document.id)
    estimates = []
    for name, numbers in ids.items():
        # The jobs of an instance that was removed from the settings cannot run.
        if name in caller.settings and (limits := caller.settings[name].limits).consent_above:
            instance, now = caller.get_instance(name), caller.now()
            estimates.append(
                await estimate_documents(caller.store, instance, numbers, limits=limits, now=now)
            )
    return _collect_consents(caller, estimates, up_to)


def estimate_usage(
    documents: int, sample: Sequence[int], experience: TypicalUsage | None, prices: Prices
) -> Estimate:
    """Estimate for `documents` from the prompt tokens of a sample; 0 stands for no call."""
    share = sum(map(bool, sample)) / len(sample) if sample else 0.0
    asked = round(documents * share)
    tokens_in = round(documents * sum(sample) / len(sample)) if sample else 0
    tokens_out = asked * (experience.tokens_out if experience else _USUAL_ANSWER)
    priced = prices.tokens_in or prices.tokens_out
    return Estimate(
        documents=documents,
        asked=asked,
        sampled=len(sample),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=prices.cost(tokens_in=tokens_in, tokens_out=tokens_out) if priced else None,
        took=timedelta(milliseconds=experience.took_ms) * asked if experience else None,
    )


def count_prompt_tokens(text: str, *, names: OfferedNames, settings: PromptSettings) -> int:
    """Return the estimated prompt tokens for `text`; 0 if the model is not called."""
    if reason_not_to_ask(text) is not None:
        return 0
    try:
        split = split_for_prompt(text, names=names, settings=settings)
        texts = set(split.texts.values())
        prompts = [build_prompt(part, names=names, settings=settings, mark=_MARK) for part in texts]
    except PromptTooLong:
        return 0
    shown = _EXAMPLE * settings.examples if split.is_whole else 0
    return shown + sum(estimate_tokens(prompt.system + prompt.user) for prompt in prompts)


def sample_evenly(items: Sequence[T], most: int) -> list[T]:
    """Return at most `most` items, evenly spaced from the first to the last."""
    if len(items) <= most:
        return list(items)
    return [items[number * (len(items) - 1) // (most - 1)] for number in range(most)]


def _with_pace(
    summary: EstimateSummary, pace: Pace, *, calls: int, now: datetime
) -> EstimateSummary:
    """Return the summary with the time that the model's rate and hours make necessary."""
    if not pace:
        return summary
    by_rate = pace.rate.least_time(requests=calls, tokens=summary.tokens_in + summary.tokens_out)
    seconds = max(summary.seconds or 0, round(by_rate.total_seconds()))
    ends_at = pace.ends_at(now, timedelta(seconds=seconds)).astimezone(pace.zone)
    is_one_day = (summary.days or 1) == 1
    return replace(
        summary,
        hours=str(pace.hours or ""),
        requests_per_minute=pace.rate.requests_per_minute,
        tokens_per_minute=pace.rate.tokens_per_minute,
        seconds=seconds or None,
        ends_at=ends_at if seconds and is_one_day else None,
    )


async def _queued(store: Store, name: str) -> list[int]:
    """Return the documents that a scan would process because they are pending already."""
    wanted = JobFilter(status=JobStatus.PENDING, instance=name, kind=ANALYZE)
    return [job.document.id for job in await store.jobs.list(wanted, limit=_MAX_JOBS)]


async def _sample(instance: Instance, ids: Sequence[int]) -> _Sample:
    """Return prompt tokens and pages of a sample of documents.

    The texts of documents with an excluded tag are not fetched.
    """
    settings = (await instance.with_custom_fields()).prompt_settings
    names, chosen = await instance.catalogue.names(), sample_evenly(ids, _SAMPLE_SIZE)
    excluded = names.tag_ids.all_ids(instance.tags.exclude)
    tokens: list[int] = []
    pages: list[int] = []
    for start in range(0, len(chosen), _TEXTS_PER_REQUEST):
        batch = frozenset(chosen[start : start + _TEXTS_PER_REQUEST])
        texts = await instance.paperless.fetch_texts(batch, without_tags=excluded)
        tokens += [
            count_prompt_tokens(document.content, names=names.offered, settings=settings)
            for document in texts.found
        ]
        pages += [document.page_count for document in texts.found if document.page_count]
    return _Sample(tokens, pages)


def _summarize(
    instance: Instance,
    estimated: Estimate,
    limits: LimitsSettings,
    *,
    today: int,
    this_month: Decimal,
) -> EstimateSummary:
    per_day = limits.documents_per_day
    return EstimateSummary(
        instance=instance.name,
        documents=estimated.documents,
        new=estimated.documents,
        queued=0,
        skipped={},
        pages=None,
        asked=estimated.asked,
        sampled=estimated.sampled,
        tokens_in=estimated.tokens_in,
        tokens_out=estimated.tokens_out,
        model=instance.model.server.endpoint.model,
        cost=estimated.cost,
        currency=limits.currency,
        seconds=None if estimated.took is None else round(estimated.took.total_seconds()),
        cost_per_month=limits.cost_per_month,
        cost_this_month=this_month,
        documents_per_day=per_day,
        documents_today=today,
        days=count_days_needed(estimated.asked, per_day=per_day, used_today=today),
        consent_above=limits.consent_above,
    )


def _collect_consents(
    caller: Caller, estimates: Iterable[EstimateSummary], up_to: Decimal | None
) -> Mapping[str, Consent]:
    """Return the caller's consents, by instance; raise ConsentRequired if one is missing."""
    costly = [estimate for estimate in estimates if estimate.needs_consent]
    costs = {estimate.instance: estimate.cost or Decimal() for estimate in costly}
    if any(up_to is None or cost > up_to for cost in costs.values()):
        raise ConsentRequired(costly)
    now = caller.now()
    return {name: Consent(caller.by, now, cost) for name, cost in costs.items()}
