"""Holds: diagnose what a failure puts on hold, probe outages, lift holds when they are over.

Documents are known by their numbers, which would mean other documents in another archive. So an
instance whose address has changed is on hold until its documents have been compared.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog

from core.analysis import ModelCall
from core.calendar import Clock, day_start, month_start
from core.documents import KnownDocument, content_hash
from core.errors import Problem
from core.holds import (
    Hold,
    HoldCause,
    HoldKind,
    address_target,
    backlog_target,
    filter_holds,
    hours_target,
    limit_target,
)
from core.jobs import CLOCK_TOLERANCE
from core.messages import message
from core.pace import MINUTE, HoursFor, OutsideHours, RateReached
from core.scans import KnownInstance
from core.spending import LimitKind, LimitReached, SpendingLimits
from paperless_client import (
    DocumentQuery,
    OutageSuspected,
    PaperlessError,
    PaperlessUnavailable,
    PermissionMissing,
)
from processor.analysis.errors import (
    KeyRefused,
    ModelError,
    ModelNotFound,
    ModelUnavailable,
    NotSupported,
    RateLimited,
)
from processor.instance import Instance
from processor.verdict import DocumentForbidden, EndpointDown, OverLimit, problem_of
from store import Store

log = structlog.get_logger()

_SAMPLE_SIZE = 10
"""Number of documents that are compared."""
_SILENT = message("no answer in time")


class ProbeLedger:
    """Records the model calls of probes, which belong to no job and ignore the limits."""

    def __init__(self, store: Store, instance: Instance) -> None:
        self._calls = store.calls
        self._instance = instance
        self.mode = ""
        """The response format of the last call."""

    async def reserve(self, call: ModelCall) -> int:
        self.mode = call.mode
        budget = self._instance.budget
        return await self._calls.reserve(
            budget.with_cost(call),
            instance=self._instance.name,
            job_id=None,
            limits=SpendingLimits(),
            day_start=day_start(call.at, budget.zone),
            month_start=month_start(call.at, budget.zone),
        )

    async def finish(self, number: int, call: ModelCall, _: str) -> None:
        """Replace the reserved usage of a call by the actual one; the answer is not kept."""
        await self._calls.finish(number, self._instance.budget.with_cost(call))

    def report_tokens(self, tokens: int, *, is_thinking: bool) -> None:
        """Do nothing: nobody watches a probe."""


@dataclass(frozen=True, slots=True)
class ProbeFailure:
    """What a failed probe found."""

    problem: Problem
    cause: HoldCause
    retry_after: timedelta | None = None
    """The server's Retry-After; None if it sent none."""

    def next_probe(self, probes: int, *, now: datetime) -> datetime:
        """Return the time of the next probe, by the number of probes or by Retry-After."""
        return now + self.cause.wait_before_probe(probes, retry_after=self.retry_after)


async def probe_paperless(instance: Instance) -> ProbeFailure | None:
    """Probe the instance's Paperless; return None if it responds."""
    try:
        async with asyncio.timeout(instance.timeouts.probe.total_seconds()):
            await instance.paperless.probe()
    except PaperlessError as error:
        return _build_failure(error)
    except TimeoutError:
        return _build_failure(PaperlessUnavailable(message("reach Paperless"), _SILENT))
    return None


async def probe_model(instance: Instance) -> ProbeFailure | None:
    """Probe the instance's model server; return None if it lists the model."""
    model = instance.model.server.endpoint.model
    try:
        async with asyncio.timeout(instance.timeouts.probe.total_seconds()):
            offered = await instance.model.server.list_models()
    except ModelError as error:
        return _build_failure(error)
    except TimeoutError:
        return _build_failure(ModelUnavailable(_SILENT))
    if offered and model not in offered:
        return _build_failure(
            ModelNotFound(message("the model server has no model {name}", name=model))
        )
    return None


async def probe_answers(instance: Instance, store: Store) -> ProbeFailure | None:
    """Probe the instance's model with a tiny question; return None if it answers.

    Many servers list their models even to clients without a valid key or quota, or above a rate
    limit. The question is asked only if the list is there.
    """
    failure = await probe_model(instance) or await _probe_by_question(instance, store)
    if failure is None:
        return None
    cause = message("all requests fail: {said}", said=failure.cause.message)
    return replace(
        failure,
        problem=replace(failure.problem, message=cause),
        cause=replace(failure.cause, message=cause, needs_answer=True),
    )


def retry_after_of(error: Exception) -> timedelta | None:
    """Return the server's Retry-After; None if it sent none."""
    return getattr(error, "retry_after", None)


async def diagnose(error: Exception, instance: Instance, store: Store, now: datetime) -> Exception:
    """Return the cause of an error: an outage, a limit, or the error itself.

    It is an outage if a probe without a document fails as well. After a refused key, quota or rate,
    the probe asks the model a question.
    """
    match error:
        case LimitReached() | RateReached() | OutsideHours():
            return _build_over_limit(error, instance, now)
        case KeyRefused() | RateLimited():
            failure, target = await probe_answers(instance, store), instance.model_target
        case ModelUnavailable():
            failure, target = await probe_model(instance), instance.model_target
        case OutageSuspected():
            failure, target = await probe_paperless(instance), instance.paperless_target
        case PermissionMissing(document=int()):
            # If nothing can be read at all, the cause is the token, and it may be fixed later.
            failure = await probe_paperless(instance)
            return DocumentForbidden(error.message) if failure is None else error
        case _:
            return error
    if failure is None:
        return error
    waits = [wait for wait in (retry_after_of(error), failure.retry_after) if wait is not None]
    failure = replace(failure, retry_after=max(waits, default=None))
    return EndpointDown(target, failure.problem, failure.cause, failure.next_probe(1, now=now))


class HoldMonitor:
    """Lifts holds when their time has come, their probe succeeds, or their documents match.

    It is responsible for the targets of the given instances, and for targets that no instance uses
    any more. Other `configured` targets belong to other processes.
    """

    def __init__(
        self,
        store: Store,
        instances: Mapping[str, Instance],
        *,
        clock: Clock,
        on_lifted: Callable[[], None],
        configured: Set[str] = frozenset(),
    ) -> None:
        self._store = store
        self._instances = instances
        self._clock = clock
        self._on_lifted = on_lifted
        self._ours = frozenset().union(
            *(instance.targets.all_targets for instance in instances.values())
        )
        self._of_others = configured - self._ours

    async def check_due(self) -> None:
        """Check every hold whose probe is due."""
        for hold in await self._store.holds.list_due(now=self._clock()):
            await self._check(hold)

    async def check_all(self) -> None:
        """Check every hold now, as at a start, except pauses, which only a person ends."""
        for hold in await self._store.holds.list_active():
            if hold.next_probe_at is not None:
                await self._check(hold)

    async def pull_in(self, *, now: datetime) -> None:
        """Reschedule to now the probes of holds that were planned by a clock that was ahead."""
        for hold in await self._store.holds.list_active():
            latest = self._latest_probe(hold, now)
            if hold.next_probe_at is None or hold.target in self._of_others:
                continue
            if hold.next_probe_at > latest + CLOCK_TOLERANCE:
                planned_for = str(hold.next_probe_at)
                if await self._store.waits.pull_in_hold(hold, now=now):
                    log.warning("hold pulled in", target=hold.target, planned_for=planned_for)

    def _latest_probe(self, hold: Hold, now: datetime) -> datetime:
        """Return the latest time at which a correct clock can have planned a probe."""
        if hold.kind is HoldKind.RATE:
            return now + MINUTE
        if not hold.is_timed:
            return now + hold.cause.longest_wait
        instance = self._instances.get(hold.subject)
        if instance is None:
            return now
        if hold.kind is not HoldKind.LIMIT:
            return instance.budget.pace.opens_at(now)
        limit = hold.cause.limit or LimitKind.COST_PER_MONTH
        return instance.budget.resumes_at(limit, now)

    async def _check(self, hold: Hold) -> None:
        if hold.target in self._of_others:
            return
        now = self._clock()
        if hold.kind is HoldKind.ADDRESS and hold.subject in self._instances:
            await self._check_address(hold, self._instances[hold.subject], now)
            return
        # A limit is not probed; the next call that exceeds it places the hold again.
        failure = None if hold.is_timed else await self._probe(hold)
        if failure is None:
            await self._store.holds.lift(hold.target, now=now)
            event = "endpoint works again" if hold.is_outage else "limit lifted"
            # A rate is reached every few seconds while the queue is long.
            level = logging.DEBUG if hold.kind is HoldKind.RATE else logging.INFO
            facts = {"target": hold.target, "after": str(now - hold.since).partition(".")[0]}
            log.log(level, event if hold.target in self._ours else "hold dropped", **facts)
            self._on_lifted()
            return
        probes = hold.probes + 1
        if probes & (probes - 1) == 0:
            # Logged only when the number of probes has doubled: an outage may last days.
            log.warning("endpoint still held", target=hold.target, error=str(failure.cause.message))
        at = failure.next_probe(probes + 1, now=now)
        await self._store.holds.place(hold.target, failure.cause, next_probe_at=at, now=now)

    async def _check_address(self, hold: Hold, instance: Instance, now: datetime) -> None:
        """Compare the documents at a new address; if they differ, a person must confirm it."""
        url, holds = instance.url, self._store.holds
        try:
            compared = await compare_documents(instance, self._store)
        except PaperlessError:
            at = now + hold.cause.wait_before_probe(hold.probes + 1, retry_after=None)
            await holds.place(hold.target, hold.cause, next_probe_at=at, now=now)
            return
        if is_same_archive(compared):
            await self._store.instances.set_url(instance.name, url)
            await holds.lift(hold.target, now=now)
            log.info("address changed", instance=instance.name, url=url, compared=len(compared))
            self._on_lifted()
            return
        await holds.place(hold.target, build_mismatch(url), next_probe_at=None, now=now)
        log.error(
            "other documents at the address",
            instance=instance.name,
            url=url,
            hint=f"correct paperless.url, or `paperclerk confirm-address {instance.name}`",
        )

    async def _probe(self, hold: Hold) -> ProbeFailure | None:
        """Probe the target of a hold; return None if it works or no instance uses it."""
        users = {
            instance.name: instance
            for instance in self._instances.values()
            if hold.target in instance.targets.all_targets
        }
        if not users:
            return None
        # Preferably the one whose document caused the hold: others may use another model there.
        cause = await self._store.holds.get_last_document(hold.target)
        instance = users.get(cause.instance if cause else "", next(iter(users.values())))
        if hold.target == instance.paperless_target:
            return await probe_paperless(instance)
        if hold.cause.needs_answer:
            return await probe_answers(instance, self._store)
        return await probe_model(instance)


async def hold_for_address(store: Store, known: KnownInstance, url: str, *, now: datetime) -> None:
    """Put an instance on hold if its address is not the one whose documents are known.

    The hold monitor compares the documents. If the former address is back, the hold ends.
    """
    target = address_target(known.name)
    is_held = bool(filter_holds(await store.holds.list_active(), {target}))
    if known.url == url:
        if is_held:
            await store.holds.lift(target, now=now)
        return
    cause = HoldCause(
        message(
            "its address has changed from {former} to {url}; the documents are being compared",
            former=known.url or "",
            url=url,
        )
    )
    if is_held:
        # Whoever asked about another address gets an answer about this one.
        await store.holds.lift(target, now=now)
    await store.holds.place(target, cause, next_probe_at=now, now=now)


async def compare_documents(instance: Instance, store: Store) -> tuple[bool, ...]:
    """Return for known documents whether Paperless has the same text under their numbers.

    Documents with an excluded tag are left out: their text is never fetched. Raise PaperlessError.
    """
    known = await store.documents.list_latest_read(instance.name, _SAMPLE_SIZE)
    if not known:
        return ()
    names = await instance.catalogue.names()
    excluded = names.tag_ids.all_ids(instance.tags.exclude)
    ids = frozenset(document.ref.id for document in known)
    page = await instance.paperless.list_documents(
        DocumentQuery(ids=ids), page=1, page_size=len(ids)
    )
    left_out = {listed.id for listed in page.results if listed.tags & excluded}
    return tuple(
        [
            await _has_same_text(document, instance, excluded)
            for document in known
            if document.ref.id not in left_out
        ]
    )


def is_same_archive(compared: Sequence[bool]) -> bool:
    """Return whether most of the documents are the same, or there is none to compare."""
    return 2 * sum(compared) > len(compared) or not compared


def build_mismatch(url: str) -> HoldCause:
    """Return the cause of a hold that only a person ends."""
    return HoldCause(
        message(
            "the documents at {url} are not those that Paperclerk knows for this instance",
            url=url,
        )
    )


async def _has_same_text(
    known: KnownDocument, instance: Instance, excluded: frozenset[int]
) -> bool:
    """Return whether Paperless has the document, with the text that was read before."""
    found = await instance.paperless.fetch_document_unless_tagged(
        known.ref.id, without_tags=excluded
    )
    return found is not None and content_hash(found.content) == known.content_hash


async def _probe_by_question(instance: Instance, store: Store) -> ProbeFailure | None:
    try:
        async with asyncio.timeout(instance.timeouts.question.total_seconds()):
            await instance.model.probe(ledger=ProbeLedger(store, instance))
    except ModelUnavailable as error:
        return _build_failure(error)
    except TimeoutError:
        return _build_failure(ModelUnavailable(_SILENT))
    except (ModelError, NotSupported):
        # The server refuses this question only: without key or quota it refuses earlier.
        return None
    return None


def _build_failure(error: Exception) -> ProbeFailure:
    problem = problem_of(error)
    # Without what was attempted when it was noticed: the cause is shown for the whole outage.
    cause = error.reason if isinstance(error, PaperlessError) else problem.message
    is_daily = isinstance(error, ModelUnavailable) and error.is_daily_quota
    return ProbeFailure(problem, HoldCause(cause, is_daily_quota=is_daily), retry_after_of(error))


def _build_over_limit(
    error: LimitReached | RateReached | OutsideHours, instance: Instance, now: datetime
) -> OverLimit:
    """Return what is on hold because of a limit, a rate or the hours, and until when."""
    cause, pace, name = HoldCause(error.message), instance.budget.pace, instance.name
    match error:
        case LimitReached():
            target, until = limit_target(name), instance.budget.resumes_at(error.kind, now)
            cause = replace(cause, limit=error.kind)
        case RateReached():
            target, until = instance.rate_target, error.free_at
        case OutsideHours():
            is_all = pace.hours_for is HoursFor.ALL
            target = hours_target(name) if is_all else backlog_target(name)
            until = pace.opens_at(now)
    return OverLimit(target, problem_of(error), cause, until)
