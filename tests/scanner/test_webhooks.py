"""Documents that a webhook names: merged, judged as in a scan, due when they are old enough."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from actions import instances
from core.jobs import ANALYZE, Actor, Priority
from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.paperless import Kind
from scanner.webhooks import HintQueue
from tests.installation import HOME, Installation, home, scan
from tests.store.builders import FakeClock
from tests.waiting import until

RULES = '[scan]\nmin_age = "5m"\nexclude_tags = ["Privat"]\n'


@pytest.fixture
async def services(installation: Installation) -> AsyncIterator[Services]:
    installation.configure(RULES)
    async with installation.open() as services:
        yield services


@asynccontextmanager
async def running(
    services: Services, clock: FakeClock, found: Callable[[], None] = lambda: None
) -> AsyncIterator[HintQueue]:
    """Run a queue of hints; at the end it is stopped."""
    hints = HintQueue(services.scanners, store=services.store, clock=clock, found=found)
    stop = asyncio.Event()
    task = asyncio.create_task(hints.run(stop))
    yield hints
    stop.set()
    await task


async def follow(services: Services, clock: FakeClock, *documents: int) -> list[dict[str, object]]:
    """Name documents, and return the line of the log when they have been looked up."""
    with capture_logs() as logs:
        async with running(services, clock) as hints:
            for document in documents:
                hints.add(HOME, document)
            await until(lambda: any("webhook" in line["event"] for line in logs))
    return [dict(line) for line in logs if "webhook" in line["event"]]


def lists(sandbox: Sandbox) -> int:
    """Return how often documents were listed by id."""
    return sum("id__in" in dict(request.query) for request in sandbox.paperless.requests)


async def test_a_burst_is_looked_up_with_one_request_and_wakes_the_processor_once(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    woken: list[bool] = []
    async with running(services, clock, lambda: woken.append(True)) as hints:
        for document in (1, 2, 3) * 100:
            hints.add(HOME, document)
        await until(lambda: bool(woken))

    assert lists(sandbox) == 1
    assert woken == [True]
    assert len(await services.store.jobs.list()) == 3


async def test_a_young_document_is_queued_at_once_and_due_when_it_is_old_enough(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.world.documents[1].added = clock() - timedelta(minutes=1)

    await follow(services, clock, 1)

    [job] = await services.store.jobs.list()
    [enqueued] = await services.store.jobs.list_events(job.id)
    known = await services.store.documents.get(home(1))
    assert (job.document, job.kind, job.priority) == (home(1), ANALYZE, Priority.NEW)
    assert (job.asked_by, enqueued.actor) == ("webhook", Actor.SYSTEM)
    assert job.scheduled_for == clock() + timedelta(minutes=4)
    assert known is not None
    assert known.title == sandbox.world.documents[1].title


async def test_what_a_scan_would_skip_is_not_queued(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.world.documents[1].tags.add(sandbox.world.find(Kind.TAG, "Privat").id)
    await services.store.documents.ignore(home(2), by="anna", now=clock())

    [line] = await follow(services, clock, 1, 2, 99)

    assert (line["documents"], line["enqueued"]) == (3, 0)
    assert sorted(str(line["skipped"]).split(", ")) == ["1 excluded_tag", "1 gone", "1 ignored"]
    assert await services.store.jobs.list() == ()


async def test_a_document_in_the_queue_is_not_queued_twice(
    services: Services, clock: FakeClock
) -> None:
    await scan(services)

    [line] = await follow(services, clock, 1, 2, 3)

    assert (line["enqueued"], line["skipped"]) == (0, "3 queued")
    assert len(await services.store.jobs.list()) == 3


async def test_a_paused_instance_is_left_alone_and_the_scan_finds_the_document_later(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    await instances.pause(services.caller, HOME)
    sandbox.paperless.requests.clear()

    [line] = await follow(services, clock, 1)

    assert (line["event"], line["reason"]) == ("webhook skipped", "on hold")
    assert lists(sandbox) == 0


async def test_a_hint_that_cannot_be_looked_up_is_dropped_and_others_are_followed(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.paperless.faults.add(Fault(path="/api/documents/", effect=Answer(status=503), times=1))

    failed = await follow(services, clock, 1)
    [line] = await follow(services, clock, 2)

    assert failed[0]["event"] == "webhook not followed"
    assert (line["event"], line["enqueued"]) == ("webhook followed", 1)
    assert "skipped" not in line


async def test_when_it_was_last_received_is_stored(services: Services, clock: FakeClock) -> None:
    await services.store.webhooks.save(HOME, secret_hash="x", workflow=1, now=clock())
    clock.advance(hours=1)

    await follow(services, clock, 1)

    webhook = await services.store.webhooks.get(HOME)
    assert webhook is not None
    assert webhook.received_at == clock()
