"""What the daemons do when they die: filing, writing accepted changes, undoing them."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby

from core.calendar import utc_now
from core.changes import AcceptedChange, ChangeState, Decision
from core.jobs import UNDO, JobStatus, NewJob, Priority
from store import JobFilter, Store, open_store
from tests.kill.killer import HOME, DaemonKiller
from tests.kill.points import DECIDING, FILING, Point
from tests.kill.recording_sandbox import DONE

NEVER = "0 0 1 1 *"
MAX_ATTEMPTS = 10
_RULES = f"""
[scan]
cron = "{NEVER}"
exclude_tags = ["Privat"]
done_tag = "{DONE}"
remove_tags = ["Inbox"]

[names]
correspondents = "create"
"""
_MAY_BE_THERE = {ChangeState.APPLIED, ChangeState.UNCONFIRMED}
_FILL = '[fields]\ntitle = "fill"\ncorrespondent = "fill"\ndocument_type = "fill"\n'
_FILL += 'tags = "fill"\ndate = "fill"\n'


@dataclass(frozen=True, slots=True)
class Scenario:
    """Work that is killed repeatedly, and its preparation."""

    name: str
    tables: str
    points: tuple[Point, ...]
    request: Callable[[Store, int], Awaitable[None]] | None = None
    """What a person requests after everything is filed; None: the filing itself is killed."""
    attempts: int = MAX_ATTEMPTS
    """Maximum number of attempts per job."""

    def begin(self, killer: DaemonKiller) -> None:
        """Prepare the installation for the kills."""
        killer.configure(f'{self.tables}[retry]\nmax_attempts = {self.attempts}\nstep = "1s"\n')
        in_store(killer, _make_scan_due)
        if self.request is not None:
            killer.drain()
            self.ask(killer)

    def ask(self, killer: DaemonKiller) -> None:
        """Request what the scenario is about; earlier writes do not count."""
        if (request := self.request) is not None:
            in_store(killer, lambda store: request(store, self.attempts))
            killer.recording_sandbox.effects.clear()


def cancel_processing(killer: DaemonKiller) -> None:
    """Cancel each job that a daemon is processing."""
    in_store(killer, _cancel_processing)


def restart_cancelled(killer: DaemonKiller) -> None:
    """Restart each cancelled job."""
    in_store(killer, _restart_cancelled)


def in_store(killer: DaemonKiller, work: Callable[[Store], Awaitable[None]]) -> None:
    async def carry_out() -> None:
        async with open_store(killer.options.url, killer.data) as store:
            await work(store)

    asyncio.run(carry_out())


async def _make_scan_due(store: Store) -> None:
    now = utc_now()
    await store.instances.register(HOME, endpoint="", now=now)
    await store.instances.plan_scan(HOME, cron=NEVER, next_scan_at=now - timedelta(minutes=1))


async def _cancel_processing(store: Store) -> None:
    for job in await store.jobs.list(JobFilter(status=JobStatus.PROCESSING)):
        await store.jobs.cancel(job.id, by="hand", now=utc_now())


async def _restart_cancelled(store: Store) -> None:
    for job in await store.jobs.list(JobFilter(status=JobStatus.CANCELLED)):
        await store.jobs.restart(job.id, by="hand", now=utc_now())


async def _accept_everything(store: Store, attempts: int) -> None:
    waiting = sorted(
        await store.changes.list_for_review(limit=1000),
        key=lambda change: (change.document, change.id),
    )
    for document, changes in groupby(waiting, key=lambda change: change.document):
        accepted = [
            AcceptedChange(change.id, after=change.after, seen=change.before) for change in changes
        ]
        await store.changes.decide(
            document,
            Decision(accept=tuple(accepted)),
            by="hand",
            max_attempts=attempts,
            now=utc_now(),
        )


async def _undo_everything(store: Store, attempts: int) -> None:
    history = await store.changes.list_history(limit=1000)
    written = [change for change in history if change.state in _MAY_BE_THERE]
    by_document = sorted(written, key=lambda change: (change.document, -change.id))
    for document, changes in groupby(by_document, key=lambda change: change.document):
        wanted = NewJob(
            document,
            UNDO,
            Priority.BY_HAND,
            asked_by="hand",
            max_attempts=attempts,
            payload={"changes": [change.id for change in changes]},
        )
        assert await store.jobs.enqueue(wanted, now=utc_now()) is not None


FILING_SCENARIO = Scenario("filing", _RULES + _FILL, FILING)
REVIEW_SCENARIO = Scenario("review", _RULES, DECIDING, _accept_everything)
UNDO_SCENARIO = Scenario("undo", _RULES + _FILL, DECIDING, _undo_everything)
SCENARIOS = (FILING_SCENARIO, REVIEW_SCENARIO, UNDO_SCENARIO)
