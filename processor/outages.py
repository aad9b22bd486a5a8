"""Watch over what rests: ask again at its time, and let it work when it answers."""

from collections.abc import Callable, Mapping, Set
from datetime import datetime

import structlog

from core.clock import Clock
from core.holds import Hold, HoldKind
from core.spending import LimitKind
from core.waits import TOLERANCE
from processor.instance import Instance
from processor.probes import (
    Trouble,
    probe_answers,
    probe_model,
    probe_paperless,
)
from store import Store

log = structlog.get_logger()


class HoldKeeper:
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
        self._ours = frozenset().union(*(one.targets.every for one in instances.values()))
        self._of_others = configured - self._ours

    async def look(self) -> None:
        """See to every hold whose time has come."""
        for hold in await self._store.holds.due(now=self._clock()):
            await self._see_to(hold)

    async def look_at_all(self) -> None:
        """See to every hold at once, as at a start: much may have changed meanwhile.

        A pause is not among them: only a person ends it.
        """
        for hold in await self._store.holds.active():
            if hold.next_probe_at is not None:
                await self._see_to(hold)

    async def pull_in(self, *, now: datetime) -> None:
        """Reschedule to now the probes of holds that were planned by a clock that was ahead."""
        for hold in await self._store.holds.active():
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

    async def _see_to(self, hold: Hold) -> None:
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
        if _worth_telling(probes):
            log.warning("endpoint still held", target=hold.target, error=str(trouble.cause.message))
        at = trouble.next_probe(probes + 1, now=now)
        await self._store.holds.place(hold.target, trouble.cause, next_probe_at=at, now=now)

    async def _probe(self, hold: Hold) -> Trouble | None:
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
        users = {one.name: one for one in self._instances.values() if target in one.targets.every}
        behind = await self._store.holds.last_cause(target)
        if behind is not None and behind.instance in users:
            return users[behind.instance]
        return next(iter(users.values()), None)

    def _ending(self, hold: Hold) -> str:
        if hold.target not in self._ours:
            return "hold dropped"
        return "limit lifted" if hold.kind is HoldKind.LIMIT else "endpoint works again"


def _worth_telling(probes: int) -> bool:
    """Tell whether a failed probe is worth a line: at every doubling, not at each."""
    return probes & (probes - 1) == 0


def _span(now: datetime, since: datetime) -> str:
    return str(now - since).partition(".")[0]
