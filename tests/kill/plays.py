"""What the daemons are doing when they die: filing, writing what was accepted, taking it back."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby

from core.changes import Accepted, Decision
from core.clock import utc_now
from core.jobs import UNDO, NewJob, Priority
from processor.undo import newest_first
from store import Store, open_store
from tests.kill.points import DECIDING, FILING, Point
from tests.kill.scene import HOME, Scene
from tests.kill.stage import DONE

NEVER = "0 0 1 1 *"
MOST_ATTEMPTS = 10
_RULES = f"""
[scan]
cron = "{NEVER}"
exclude_tags = ["Privat"]
done_tag = "{DONE}"
remove_tags = ["Inbox"]

[names]
correspondents = "create"

[retry]
max_attempts = {MOST_ATTEMPTS}
"""
_FILL = '[fields]\ntitle = "fill"\ncorrespondent = "fill"\ndocument_type = "fill"\n'
_FILL += 'tags = "fill"\ndate = "fill"\n'


@dataclass(frozen=True, slots=True)
class Play:
    """Work that is killed again and again, and what leads up to it."""

    name: str
    tables: str
    points: tuple[Point, ...]
    lead_up: Callable[[Store], Awaitable[None]] | None = None
    """What a person asks for once everything is filed; None: the filing itself is killed."""

    def begin(self, scene: Scene) -> None:
        """Bring the scene to where the killing begins."""
        scene.configure(self.tables)
        _in_store(scene, _have_a_scan_due)
        if self.lead_up is not None:
            scene.drain()
            _in_store(scene, self.lead_up)
            scene.stage.effects.clear()


def _in_store(scene: Scene, work: Callable[[Store], Awaitable[None]]) -> None:
    async def carry_out() -> None:
        async with open_store(scene.manner.url, scene.data) as store:
            await work(store)

    asyncio.run(carry_out())


async def _have_a_scan_due(store: Store) -> None:
    now = utc_now()
    await store.instances.register(HOME, endpoint="", now=now)
    await store.instances.plan_scan(HOME, cron=NEVER, next_scan_at=now - timedelta(minutes=1))


async def _accept_everything(store: Store) -> None:
    waiting = sorted(
        await store.changes.waiting(limit=1000), key=lambda change: (change.document, change.id)
    )
    for document, changes in groupby(waiting, key=lambda change: change.document):
        accepted = [Accepted(one.id, after=one.after, seen=one.before) for one in changes]
        await store.changes.decide(
            document,
            Decision(accept=tuple(accepted)),
            by="hand",
            max_attempts=MOST_ATTEMPTS,
            now=utc_now(),
        )


async def _undo_everything(store: Store) -> None:
    written = newest_first(await store.changes.history(limit=1000))
    by_document = sorted(written, key=lambda change: change.document)
    for document, changes in groupby(by_document, key=lambda change: change.document):
        wanted = NewJob(
            document,
            UNDO,
            Priority.BY_HAND,
            asked_by="hand",
            max_attempts=MOST_ATTEMPTS,
            payload={"changes": [change.id for change in changes]},
        )
        assert await store.jobs.enqueue(wanted, now=utc_now()) is not None


FILING_PLAY = Play("filing", _RULES + _FILL, FILING)
REVIEW_PLAY = Play("an accepted review", _RULES, DECIDING, _accept_everything)
UNDO_PLAY = Play("an undo", _RULES + _FILL, DECIDING, _undo_everything)
PLAYS = (FILING_PLAY, REVIEW_PLAY, UNDO_PLAY)
