"""Two weeks of work, failures included, so that every page has something to show."""

import json
from dataclasses import replace
from datetime import timedelta

from pydantic import JsonValue

from actions.decisions import accept_unchanged, reject
from core.access import ADMIN as ACCOUNT
from core.access import NewToken, Permission
from core.calendar import DateOrder
from core.changes import AcceptedChange, ChangeState
from core.documents import DocumentRef
from core.holds import HoldCause, limit_target, paperless_target
from core.jobs import ANALYZE, DRY_RUN, UNDO, NewJob, Priority, Stage
from core.learning import Approval, Fact, FactCount, FactKind, LearntDecision, LearntDocument
from core.messages import message
from core.notifications import NewNotification, NotificationKind
from core.spending import LimitKind, LimitReached
from daemon.services import Services
from dashboard.auth.account import create_token
from dashboard.auth.login import create_link
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.paperless import Kind
from scanner.scan import ScanOrder
from store import Store
from store.retention import RetentionPolicy
from tests.installation import COMPLETIONS, Installation, drain, home
from tests.store.builders import FakeClock

TABLES = """
[scan]
cron = "*/30 * * * *"

[fields]
title = "review"
correspondent = "fill"
document_type = "fill"
tags = "review"
date = "review"

[limits]
price_in = 2.5
price_out = 10.0
cost_per_month = 0.2

[retry]
max_attempts = 1
"""
_NO = {"finish_reason": "stop", "message": {"content": "I would rather not."}}
_TICK_MS = 120
"""With this tick per reading of the clock, a document takes a few seconds."""
RUBBISH = Answer(status=200, body=json.dumps({"choices": [_NO]}))


def prepare(installation: Installation, sandbox: Sandbox) -> None:
    """Write the settings of two instances, and change the date of one letter to a misread one."""
    letter = sandbox.world.documents[40]
    letter.content = letter.content.replace("10 November 2026", "10 November 2027")
    installation.configure(TABLES)
    limits = "[limits]\nprice_in = 2.5\nprice_out = 10.0\nconsent_above = 0.001\n"
    attic = sandbox.settings(f"[scan]\nenabled = false\n{limits}")
    (installation.config / "attic.toml").write_text(attic, encoding="utf-8")
    (installation.config / "daemon.toml").write_text(
        'time_zone = "Europe/Berlin"\n', encoding="utf-8"
    )


async def fill(services: Services, sandbox: Sandbox, clock: FakeClock) -> str:
    """Simulate two weeks; return the path of a link to choose a password."""
    now = clock()
    clock.advance(days=-13, minutes=-7)
    clock.tick(milliseconds=_TICK_MS)
    for day, ids in enumerate(_DAYS):
        for id_ in ids:
            await _analyse(services, id_)
        clock.advance(days=1 if day < len(_DAYS) - 1 else 0)
    await _fail(services, sandbox)
    await _decide(services)
    clock.tick()
    clock.advance(seconds=(now - clock()).total_seconds())
    await _review(services, clock)
    await _try(services, clock)
    await _scan(services)
    await _expire(services, clock)
    await _place_holds(services.store, clock)
    await _leave_processing(services.store, clock)
    await _notify(services.store, clock)
    await _learn(services.store, sandbox, clock)
    return await _create_access(services.store, clock)


async def _learn(store: Store, sandbox: Sandbox, clock: FakeClock) -> None:
    """Record proposed names of the owner, and known numbers of a sender."""
    sender = sandbox.world.find(Kind.CORRESPONDENT, "Stadtwerke Musterstadt").id
    numbers = frozenset(
        {
            Fact(FactKind.IBAN, "DE89370400440532013000"),
            Fact(FactKind.DOMAIN, "stadtwerke-musterstadt.example"),
        }
    )
    await store.learnt.record(
        [LearntDocument(home(id_), numbers, sender, by_person=True) for id_ in (1, 2, 3, 4)]
    )
    day_first = Fact(FactKind.DATE_ORDER, DateOrder.DAY_FIRST.value)
    counts = [
        FactCount(day_first, None, 31, 32),
        FactCount(Fact(FactKind.ADDRESSEE, "erikamustermann", "Erika Mustermann"), None, 24, 32),
        FactCount(Fact(FactKind.ADDRESSEE, "maxmustermann", "Max Mustermann"), None, 8, 32),
    ]
    kinds = {FactKind.ADDRESSEE, FactKind.DATE_ORDER}
    await store.learnt.replace_counts("home", kinds, counts, now=clock())
    confirmed = LearntDecision(counts[1].fact, None, Approval.CONFIRMED, "anna", clock())
    await store.learnt.decide("home", confirmed)


_DAYS = (
    *((1,), (2, 3), (), (4,), (5, 6, 7), (8,), (), (9,), (10, 11), (13,), (14, 15), (), (16,)),
    (17, 20, 34, 35, 40),
)
"""Documents that are analysed on each day; the last day is today."""


async def _analyse(services: Services, id_: int) -> None:
    await _ask(services, home(id_))
    await drain(services)


async def _ask(
    services: Services, ref: DocumentRef, kind: str = ANALYZE, **payload: object
) -> None:
    wanted = NewJob(ref, kind, Priority.BY_HAND, "hand", 1, payload)
    await services.store.jobs.enqueue(wanted, now=services.context.clock())


async def _fail(services: Services, sandbox: Sandbox) -> None:
    """Process two documents for which the model gives no usable answer."""
    sandbox.model.state.faults.add(Fault(path=COMPLETIONS, times=None, effect=RUBBISH))
    for id_ in (21, 22):
        await _analyse(services, id_)
    sandbox.model.state.faults.clear()


async def _decide(services: Services) -> None:
    """Reject the suggestions for some documents, and undo one change."""
    for id_ in (1, 2, 3):
        waiting = await services.store.changes.list_for_review(document=home(id_))
        await services.store.changes.decide(
            home(id_),
            reject(waiting, None),
            by="admin",
            max_attempts=1,
            now=services.context.clock(),
        )
    await drain(services)
    history = await services.store.changes.list_history()
    written = next(change for change in history if change.state is ChangeState.APPLIED)
    await _ask(services, written.document, UNDO, changes=[written.id])
    await drain(services)


_REVIEWS = {4: 10, 5: 9, 6: 9, 7: 8, 8: 6, 9: 5, 10: 3, 11: 3, 13: 2}
"""Age of the decision about each document, in days."""
_EDITED, _REJECTED = frozenset({6, 11}), frozenset({7})


async def _review(services: Services, clock: FakeClock) -> None:
    """Accept the suggestions for some documents, edit the title of others, and reject one."""
    for id_, days in _REVIEWS.items():
        waiting = await services.store.changes.list_for_review(document=home(id_))
        decision = reject(waiting, None) if id_ in _REJECTED else accept_unchanged(waiting)
        if id_ in _EDITED:
            decision = replace(decision, accept=tuple(map(_edit, decision.accept)))
        clock.advance(days=-days)
        await services.store.changes.decide(
            home(id_), decision, by="admin", max_attempts=1, now=clock()
        )
        await drain(services)
        clock.advance(days=days)


def _edit(accepted: AcceptedChange) -> AcceptedChange:
    if not isinstance(accepted.after, str):
        return accepted
    return replace(accepted, after=f"{accepted.after} (copy)", is_edited=True)


async def _try(services: Services, clock: FakeClock) -> None:
    """Start a dry run of two documents, too long ago for the overview."""
    clock.advance(days=-2)
    await services.scanners["home"].scan(ScanOrder(kind=DRY_RUN, limit=2))
    await drain(services)
    clock.advance(days=2)


async def _scan(services: Services) -> None:
    """Scan once for a few documents, and leave them in the queue."""
    await services.scanners["home"].scan(ScanOrder(limit=3))
    now = services.context.clock()
    await services.store.instances.plan_scan(
        "home", cron="*/30 * * * *", next_scan_at=now + timedelta(minutes=18)
    )


async def _expire(services: Services, clock: FakeClock) -> None:
    """Record a job of three months ago, and let retention delete it."""
    store, then = services.store, clock() - timedelta(days=91)
    job = await store.jobs.enqueue(NewJob(home(30), priority=Priority.BY_HAND), now=then)
    assert job is not None
    taken = await store.jobs.claim(worker="then", now=then)
    assert taken is not None
    assert taken.id == job.id
    await store.jobs.succeed(taken, now=then)
    await store.retention.prune(RetentionPolicy(), now=clock())


async def _notify(store: Store, clock: FakeClock) -> None:
    """Record a notification that was read, one that a service refused, and one for the list."""
    cause: dict[str, JsonValue] = {
        "why": "The language model returned no usable answer.",
        "count": 2,
        "documents": ["home/21"],
    }
    outage: dict[str, JsonValue] = {
        "down": True,
        "model": False,
        "instances": ["attic"],
        "waiting": 3,
    }
    since = (clock() - timedelta(hours=2)).isoformat()
    failed = NewNotification(NotificationKind.FAILED, "failed", "failed", {"causes": [cause]})
    review = NewNotification(NotificationKind.REVIEW, "review", "review", {"documents": 12})
    connection = NewNotification(
        NotificationKind.CONNECTION, "attic", "attic", {**outage, "since": since}
    )
    phone = "1 (ntfy)"
    await store.notifications.record([failed], channels=[phone], now=clock())
    [sent] = await store.notifications.claim_due([phone], now=clock())
    await store.notifications.mark_sent([sent.delivery.id], now=clock())
    await store.notifications.mark_all_read(now=clock())
    await store.notifications.record([review], channels=[phone], now=clock())
    [refused] = await store.notifications.claim_due([phone], now=clock())
    unavailable = message("the service returned HTTP status {status}", status="503")
    await store.notifications.postpone(
        [refused.delivery.id], until=clock() + timedelta(minutes=5), problem=unavailable
    )
    await store.notifications.record([connection], now=clock())


async def _create_access(store: Store, clock: FakeClock) -> str:
    """Set a password, log two browsers in, create a token, and return a link for a new password."""
    await store.access.set_password("no hash of anything", now=clock())
    until = clock() + timedelta(days=30)
    for agent in ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0", "Mobile Safari"):
        await store.access.sessions.begin(
            agent, ACCOUNT, user_agent=agent, now=clock(), until=until
        )
    await create_token(store, NewToken("Home Assistant", Permission.READ, None), now=clock())
    return await create_link(store, "", now=clock())


async def _leave_processing(store: Store, clock: FakeClock) -> None:
    """Leave one job in the middle of its analysis."""
    job = await store.jobs.claim(worker="another", now=clock())
    assert job is not None
    await store.jobs.record_progress(job, Stage.ANALYZE, 45, now=clock())


async def _place_holds(store: Store, clock: FakeClock) -> None:
    """Put the attic on hold: its Paperless is unreachable, and a limit is reached."""
    soon = clock() + timedelta(minutes=2)
    silent = message(
        "no answer from {address} ({why})", address="http://attic:8000/api/", why="ConnectError"
    )
    away, since = paperless_target("attic"), clock() - timedelta(minutes=9)
    await store.holds.place(away, HoldCause(silent), next_probe_at=soon, now=since)
    limit = limit_target("attic")
    tomorrow = clock() + timedelta(hours=12)
    reached = LimitReached(LimitKind.DOCUMENTS_PER_DAY, used=100, limit=100)
    cause = HoldCause(reached.message, limit=reached.kind)
    await store.holds.place(limit, cause, next_probe_at=tomorrow, now=clock())
