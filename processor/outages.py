"""Book questions that belong to no document: nothing that is asked of a model goes unrecorded."""

import asyncio
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog

from core.analysis import ModelCall
from core.calendar import day_start, month_start
from core.clock import Clock
from core.errors import Problem
from core.holds import Hold, HoldCause, HoldKind, limit_target
from core.messages import message
from core.spending import LimitKind, LimitReached, SpendingLimits
from core.waits import TOLERANCE
from paperless_client import (
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


class ProbeLedger:
    """Books the calls of a trial question, which belongs to no job and heeds no limit."""

    def __init__(self, store: Store, instance: Instance) -> None:
        self._calls = store.calls
        self._instance = instance
        self.mode = ""
        """How the model was asked last."""

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
        """Put what a call took in place of what was reserved; its answer is of no interest."""
        await self._calls.finish(number, self._instance.budget.with_cost(call))


_SILENT = message("no answer in time")


@dataclass(frozen=True, slots=True)
class ProbeFailure:
    """What a probe found wrong."""

    problem: Problem
    cause: HoldCause
    retry_after: timedelta | None = None
    """How long the server wants to be left alone; None if it did not say."""

    def next_probe(self, probes: int, *, now: datetime) -> datetime:
        """Return when to ask again: at a probe's turn, or when the server said to come back."""
        return now + self.cause.wait_before_probe(probes, retry_after=self.retry_after)


async def probe_paperless(instance: Instance) -> ProbeFailure | None:
    """Return what is wrong with the instance's Paperless; None if it answers."""
    try:
        async with asyncio.timeout(instance.timeouts.probe.total_seconds()):
            await instance.paperless.probe()
    except PaperlessError as error:
        return _trouble(error)
    except TimeoutError:
        return _trouble(PaperlessUnavailable(message("reach Paperless"), _SILENT))
    return None


async def probe_model(instance: Instance) -> ProbeFailure | None:
    """Return what is wrong with the instance's model server; None if it lists the model."""
    model = instance.model.server.endpoint.model
    try:
        async with asyncio.timeout(instance.timeouts.probe.total_seconds()):
            offered = await instance.model.server.list_models()
    except ModelError as error:
        return _trouble(error)
    except TimeoutError:
        return _trouble(ModelUnavailable(_SILENT))
    if offered and model not in offered:
        return _trouble(ModelNotFound(message("the model server has no model {name}", name=model)))
    return None


async def probe_answers(instance: Instance, store: Store) -> ProbeFailure | None:
    """Return why the instance's model answers no question; None if it answers one.

    Many servers list their models also to whom they answer nothing: without a key, without quota,
    above a rate limit. The question is tiny, and is asked only if the list is there.
    """
    trouble = await probe_model(instance) or await _probe_by_question(instance, store)
    if trouble is None:
        return None
    said = message("no request is answered: {said}", said=trouble.cause.message)
    return replace(
        trouble,
        problem=replace(trouble.problem, message=said),
        cause=replace(trouble.cause, message=said, needs_answer=True),
    )


async def _probe_by_question(instance: Instance, store: Store) -> ProbeFailure | None:
    try:
        async with asyncio.timeout(instance.timeouts.question.total_seconds()):
            await instance.model.probe(ledger=ProbeLedger(store, instance))
    except ModelUnavailable as error:
        return _trouble(error)
    except TimeoutError:
        return _trouble(ModelUnavailable(_SILENT))
    except (ModelError, NotSupported):
        # It is the question that the server dislikes, and who would answer none says so first.
        return None
    return None


def _trouble(error: Exception) -> ProbeFailure:
    problem = problem_of(error)
    # What was attempted when it was noticed is of no interest to who reads the cause.
    said = error.reason if isinstance(error, PaperlessError) else problem.message
    is_daily = isinstance(error, ModelUnavailable) and error.is_daily_quota
    return ProbeFailure(problem, HoldCause(said, is_daily_quota=is_daily), retry_after_of(error))


def retry_after_of(error: Exception) -> timedelta | None:
    """Return how long a server wants to be left alone; None if it did not say."""
    return getattr(error, "retry_after", None)


async def diagnose(error: Exception, instance: Instance, store: Store, now: datetime) -> Exception:
    """Find out what is behind an error: an outage, a limit, or just what it says.

    It is an outage if a probe without a document fails as well. It asks in the way that failed:
    whose key, quota or rate was refused is asked a question.
    """
    match error:
        case LimitReached():
            until = instance.budget.resumes_at(error.kind, now)
            cause = HoldCause(error.message, limit=error.kind)
            return OverLimit(limit_target(instance.name), problem_of(error), cause, until)
        case KeyRefused() | RateLimited():
            down, target = await probe_answers(instance, store), instance.model_target
        case ModelUnavailable():
            down, target = await probe_model(instance), instance.model_target
        case OutageSuspected():
            down, target = await probe_paperless(instance), instance.paperless_target
        case PermissionMissing(document=int()):
            # If nothing can be read at all, the cause is the token, and it may be fixed later.
            down = await probe_paperless(instance)
            return DocumentForbidden(error.message) if down is None else error
        case _:
            return error
    if down is None:
        return error
    said = [one for one in (retry_after_of(error), down.retry_after) if one is not None]
    down = replace(down, retry_after=max(said, default=None))
    return EndpointDown(target, down.problem, down.cause, down.next_probe(1, now=now))


log = structlog.get_logger()


class HoldMonitor:
    """Ends holds: a limit's at its time, an outage's when a probe succeeds.

    It looks after those of the given instances, and after what nobody uses any more. What is
    `configured` beside them is left to whoever works for the others.
    """

    def __init__(
        self,
        store: Store,
        instances: Mapping[str, Instance],
        *,
        clock: Clock,
        lifted: Callable[[], None],
        configured: Set[str] = frozenset(),
    ) -> None:
        self._store = store
        self._instances = instances
        self._clock = clock
        self._lifted = lifted
        self._ours = frozenset().union(*(one.targets.all_targets for one in instances.values()))
        self._of_others = configured - self._ours

    async def check_due(self) -> None:
        """See to every hold whose time has come."""
        for hold in await self._store.holds.list_due(now=self._clock()):
            await self._check(hold)

    async def check_all(self) -> None:
        """See to every hold at once, as at a start: much may have changed meanwhile.

        A pause is not among them: only a person ends it.
        """
        for hold in await self._store.holds.list_active():
            if hold.next_probe_at is not None:
                await self._check(hold)

    async def pull_in(self, *, now: datetime) -> None:
        """Reschedule to now the probes of holds that were planned by a clock that was ahead."""
        for hold in await self._store.holds.list_active():
            latest = self._latest_probe(hold, now)
            if hold.next_probe_at is None or hold.target in self._of_others:
                continue
            if hold.next_probe_at > latest + TOLERANCE:
                await self._pull_in(hold, now)

    async def _pull_in(self, hold: Hold, now: datetime) -> None:
        if await self._store.waits.pull_in_hold(hold, now=now):
            log.warning("hold pulled in", target=hold.target, planned_for=str(hold.next_probe_at))

    def _latest_probe(self, hold: Hold, now: datetime) -> datetime:
        """Return the latest time at which a correct clock can have planned a probe."""
        if hold.kind is not HoldKind.LIMIT:
            return now + hold.cause.longest_wait
        instance = self._instances.get(hold.subject)
        if instance is None:
            return now
        limit = hold.cause.limit or LimitKind.COST_PER_MONTH
        return instance.budget.resumes_at(limit, now)

    async def _check(self, hold: Hold) -> None:
        if hold.target in self._of_others:
            return
        now = self._clock()
        # A limit is not asked; it is set anew by the next call that would pass it.
        trouble = None if hold.kind is HoldKind.LIMIT else await self._probe(hold)
        if trouble is None:
            await self._store.holds.lift(hold.target, now=now)
            log.info(self._ending(hold), target=hold.target, after=_span(now, hold.since))
            self._lifted()
            return
        probes = hold.probes + 1
        if _is_worth_logging(probes):
            log.warning("endpoint still held", target=hold.target, error=str(trouble.cause.message))
        at = trouble.next_probe(probes + 1, now=now)
        await self._store.holds.place(hold.target, trouble.cause, next_probe_at=at, now=now)

    async def _probe(self, hold: Hold) -> ProbeFailure | None:
        """Ask what rests, without a document; nothing is wrong with what nobody uses any more."""
        instance = await self._user_of(hold.target)
        if instance is None:
            return None
        if hold.target == instance.paperless_target:
            return await probe_paperless(instance)
        if hold.cause.needs_answer:
            return await probe_answers(instance, self._store)
        return await probe_model(instance)

    async def _user_of(self, target: str) -> Instance | None:
        """Choose who asks; None if nobody uses the target.

        Best is whose document was behind the hold: others may use the endpoint with another model.
        """
        users = {
            one.name: one for one in self._instances.values() if target in one.targets.all_targets
        }
        behind = await self._store.holds.get_last_document(target)
        if behind is not None and behind.instance in users:
            return users[behind.instance]
        return next(iter(users.values()), None)

    def _ending(self, hold: Hold) -> str:
        if hold.target not in self._ours:
            return "hold dropped"
        return "limit lifted" if hold.kind is HoldKind.LIMIT else "endpoint works again"


def _is_worth_logging(probes: int) -> bool:
    """Tell whether a failed probe is worth a line: at every doubling, not at each."""
    return probes & (probes - 1) == 0


def _span(now: datetime, since: datetime) -> str:
    return str(now - since).partition(".")[0]
