"""The notifier at work: a real store, a real service, and a clock that is moved."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from core.errors import Problem
from core.messages import message, plain
from core.notifications import IN_APP, DeliveryState, NotificationKind
from daemon.notify.notifier import AGAIN_AFTER, Notifier, build_notifier
from daemon.services import Services
from daemon.web import build_app_context
from sandbox.paperless import World
from store import Store
from tests.builders import because
from tests.daemon.notify.receiver import Receiver, running_receiver
from tests.installation import Installation, drain, enqueue_document, scan
from tests.new_senders import add_letters
from tests.store.builders import FakeClock

PROBLEM = Problem("answer_unusable", plain("no JSON"), "The answer was no use.")
UNAVAILABLE = message("the service returned HTTP status {status}", status="503")


@dataclass
class NotifierRig:
    """A notifier with its services and its clock."""

    services: Services
    notifier: Notifier
    clock: FakeClock

    @property
    def store(self) -> Store:
        return self.services.store

    async def send_due_after(self, **later: float) -> None:
        self.clock.advance(**later)
        await self.notifier.run_once()

    async def fail(self, number: int) -> None:
        await enqueue_document(self.services, number)
        job = await self.store.jobs.claim(worker="test", now=self.clock())
        assert job is not None
        await self.store.jobs.fail(job, PROBLEM, now=self.clock())


Opens = Callable[..., AbstractAsyncContextManager[NotifierRig]]


@pytest.fixture
def world(world: World) -> World:
    """Five letters, so that all of them waiting are worth a message."""
    add_letters(world, "Neue Gartenwelt", "Telekontakt")
    return world


@pytest.fixture
def opens(installation: Installation, receiver: Receiver) -> Opens:
    """Start a notifier; a second call is a restart."""

    @asynccontextmanager
    async def started(
        *settings: str, urls: Sequence[str] = (receiver.url,)
    ) -> AsyncIterator[NotifierRig]:
        lines = ["[notify]", f"urls = {json.dumps(list(urls))}", *settings]
        (installation.config / "daemon.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
        async with installation.open() as services:
            context = build_app_context(
                services, processor_silent=timedelta, ring=lambda: None, stopping=asyncio.Event()
            )
            notifier = build_notifier(context)
            yield NotifierRig(services, notifier, installation.clock)

    return started


async def test_what_waits_is_reported_once_also_after_a_restart(
    opens: Opens, receiver: Receiver
) -> None:
    async with opens() as rig:
        await rig.send_due_after()
        await scan(rig.services)
        await drain(rig.services)
        await rig.send_due_after()
        await rig.send_due_after(minutes=1)
    async with opens() as rig:
        await rig.send_due_after()
        await rig.send_due_after(hours=30)

    assert receiver.messages == ["5 documents are waiting for review."]


async def test_what_failed_while_the_process_was_down_or_before_anyone_asked(
    opens: Opens, receiver: Receiver
) -> None:
    async with opens() as rig:
        await rig.fail(1)
        await rig.send_due_after(minutes=10)
        await rig.fail(2)
    async with opens() as rig:
        await rig.send_due_after(minutes=10)
        await rig.send_due_after(hours=2)

    assert receiver.messages == ["1 document failed: The answer was no use."]


async def test_titles_are_sent_if_the_owner_allows_it(opens: Opens, receiver: Receiver) -> None:
    async with opens("show_titles = true") as rig:
        await rig.send_due_after()
        await scan(rig.services)
        job = await rig.store.jobs.claim(worker="test", now=rig.clock.advance(minutes=1))
        assert job is not None
        await rig.store.jobs.fail(job, PROBLEM, now=rig.clock())
        await rig.send_due_after(minutes=10)
        known = await rig.store.documents.get(job.document)

    assert known is not None
    assert receiver.messages == [f"1 document failed: The answer was no use.\n- {known.title}"]


async def test_an_outage_and_its_end_are_reported_over_a_restart(
    opens: Opens, receiver: Receiver
) -> None:
    async with opens() as rig:
        target = rig.services.instances["home"].paperless_target
        await rig.store.holds.place(target, because("down"), next_probe_at=None, now=rig.clock())
        await rig.send_due_after(minutes=14)
        assert receiver.messages == []
        await rig.send_due_after(minutes=1)
    async with opens() as rig:
        await rig.send_due_after(hours=3)
        await rig.store.holds.lift(target, now=rig.clock())
        await rig.send_due_after(minutes=1)
        await rig.send_due_after(minutes=1)

    down, up = receiver.messages
    assert down.startswith("Paperless (home) has been unreachable since 12:00.")
    assert up == "Paperless (home) is reachable again after 3\u00a0h."


async def test_a_service_that_is_away_is_tried_so_often_and_then_let_be(
    opens: Opens, receiver: Receiver, capsys: pytest.CaptureFixture[str]
) -> None:
    receiver.is_unavailable = True
    async with opens() as rig:
        await rig.send_due_after()
        for number in (1, 2):
            await rig.fail(number)
        await rig.send_due_after(minutes=6)
        for pause in AGAIN_AFTER:
            await rig.send_due_after(seconds=pause.total_seconds() - 1)
            await rig.send_due_after(seconds=1)
        tried = receiver.attempts
        receiver.is_unavailable = False
        await rig.send_due_after(days=1)
        last = await rig.store.notifications.get_last_outgoing()

    assert tried == receiver.attempts == len(AGAIN_AFTER) + 1
    assert last is not None
    assert (last.state, last.problem) == (DeliveryState.LOST, UNAVAILABLE)
    assert capsys.readouterr().err.count("notice not taken") == 1


async def test_what_a_service_missed_it_gets_when_it_is_back_and_once(
    opens: Opens, receiver: Receiver
) -> None:
    receiver.is_unavailable = True
    async with opens() as rig:
        await rig.send_due_after()
        await rig.fail(1)
        await rig.send_due_after(minutes=6)
    receiver.is_unavailable = False
    async with opens() as rig:
        await rig.send_due_after(minutes=1)
        await rig.send_due_after(minutes=30)

    assert receiver.messages == ["1 document failed: The answer was no use."]


async def test_an_outage_that_ended_while_nothing_could_be_sent_is_one_message(
    opens: Opens, receiver: Receiver
) -> None:
    receiver.is_unavailable = True
    async with opens() as rig:
        target = rig.services.instances["home"].paperless_target
        await rig.store.holds.place(target, because("down"), next_probe_at=None, now=rig.clock())
        await rig.send_due_after(minutes=15)
        await rig.store.holds.lift(target, now=rig.clock())
        receiver.is_unavailable = False
        await rig.send_due_after(minutes=1)
        await rig.send_due_after(hours=1)
        up, down = await rig.store.notifications.list(limit=10)

    assert receiver.messages == ["Paperless (home) is reachable again after 16\u00a0min."]
    assert [notification.deliveries[1].state for notification in (down, up)] == ["sent", "sent"]


async def test_in_quiet_hours_nothing_is_sent_and_the_morning_tells_all_at_once(
    opens: Opens, receiver: Receiver
) -> None:
    async with opens('quiet_hours = "22:00-07:00"') as rig:
        await rig.send_due_after()
        rig.clock.advance(hours=10)
        for number in (1, 2):
            await rig.fail(number)
            await rig.send_due_after(hours=4)
        assert receiver.attempts == 0
        await rig.send_due_after(minutes=59)
        assert receiver.attempts == 0
        await rig.send_due_after(minutes=1)

    assert rig.clock() == datetime(2026, 12, 2, 7, tzinfo=UTC)
    assert receiver.messages == ["2 documents failed: The answer was no use."]


async def test_quiet_hours_do_not_hold_back_the_list(opens: Opens, receiver: Receiver) -> None:
    async with opens('quiet_hours = "22:00-07:00"') as rig:
        await rig.send_due_after()
        rig.clock.advance(hours=11)
        await rig.fail(1)
        await rig.send_due_after(minutes=10)
        [notification] = await rig.store.notifications.list(limit=10)

    assert receiver.attempts == 0
    assert [
        (delivery.channel, delivery.state, delivery.attempts)
        for delivery in notification.deliveries
    ] == [(IN_APP, DeliveryState.SENT, 1), ("1 (JSON)", DeliveryState.WAITING, 0)]


async def test_without_an_address_notifications_are_listed(opens: Opens) -> None:
    async with opens(urls=()) as rig:
        await rig.send_due_after()
        await rig.fail(1)
        await rig.send_due_after(minutes=10)
        [notification] = await rig.store.notifications.list(limit=10)
        unread = await rig.store.notifications.count_unread()

    assert not rig.notifier.can_send
    assert (notification.kind, unread) == (NotificationKind.FAILED, 1)
    assert [delivery.channel for delivery in notification.deliveries] == [IN_APP]


async def test_each_address_is_retried_by_itself(opens: Opens, receiver: Receiver) -> None:
    with running_receiver() as other:
        other.is_unavailable = True
        async with opens(urls=(receiver.url, other.url)) as rig:
            await rig.send_due_after()
            await rig.fail(1)
            await rig.send_due_after(minutes=10)
            [before] = await rig.store.notifications.list(limit=10)
            other.is_unavailable = False
            await rig.send_due_after(minutes=1)
            [after] = await rig.store.notifications.list(limit=10)
            await rig.send_due_after(minutes=30)

    assert [delivery.state for delivery in before.deliveries] == ["sent", "sent", "waiting"]
    assert before.deliveries[2].problem == UNAVAILABLE
    assert [(delivery.state, delivery.attempts) for delivery in after.deliveries] == [
        ("sent", 1),
        ("sent", 1),
        ("sent", 2),
    ]
    assert receiver.messages == other.messages == ["1 document failed: The answer was no use."]


async def test_nothing_waits_for_an_address_that_was_removed(
    opens: Opens, receiver: Receiver
) -> None:
    receiver.is_unavailable = True
    async with opens() as rig:
        await rig.send_due_after()
        await rig.fail(1)
        await rig.send_due_after(minutes=10)
    async with opens(urls=()) as rig:
        await rig.send_due_after(minutes=1)
        [notification] = await rig.store.notifications.list(limit=10)

    removed = notification.deliveries[1]
    assert (removed.state, str(removed.problem)) == (
        DeliveryState.LOST,
        "the address was removed from notify.urls",
    )


async def test_a_digest_comes_each_morning_after_which_something_happened(
    opens: Opens, receiver: Receiver
) -> None:
    async with opens('about = ["digest"]\nlanguage = "de"') as rig:
        await scan(rig.services)
        await drain(rig.services)
        await rig.send_due_after(hours=19, minutes=59)
        assert receiver.messages == []
        await rig.send_due_after(minutes=1)
        await rig.send_due_after(hours=1)
    async with opens('about = ["digest"]\nlanguage = "de"') as rig:
        await rig.send_due_after(days=1)

    [message] = receiver.messages
    assert message.splitlines() == [
        "Seit gestern, 08:00:",
        "5 Dokumente analysiert",
        "0 Dokumente geändert",
        "5 Dokumente warten auf Prüfung.",
    ]


async def test_a_start_alarms_nobody_and_a_silent_processor_does(
    installation: Installation, receiver: Receiver
) -> None:
    (installation.config / "daemon.toml").write_text(f'[notify]\nurls = ["{receiver.url}"]\n')
    async with installation.open() as services:
        context = build_app_context(
            services,
            processor_silent=lambda: timedelta(minutes=7),
            ring=lambda: None,
            stopping=asyncio.Event(),
        )
        notifier = build_notifier(context)
        await notifier.run_once()
        assert receiver.messages == []
        for _ in range(3):
            installation.clock.advance(minutes=2)
            await notifier.run_once()

    assert receiver.messages == ["The processor has not responded for 7\u00a0min."]


async def test_no_word_of_a_document_and_no_address_is_stored_or_logged(
    opens: Opens, receiver: Receiver, installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    receiver.is_unavailable = True
    async with opens() as rig:
        await rig.send_due_after()
        await rig.fail(1)
        await rig.send_due_after(minutes=6)

    kept = b"".join(path.read_bytes() for path in installation.data.iterdir() if path.is_file())
    assert b"geheim" not in kept
    assert "geheim" not in capsys.readouterr().err
