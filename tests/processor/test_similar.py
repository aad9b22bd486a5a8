"""A broken search for similar documents is detected, logged once, and not used for a day."""

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from core.jobs import JobStatus
from daemon.check import Finding, check_paperless
from daemon.services import Services
from processor.examples import EMPTY_SEARCHES, LONG_TEXT
from sandbox import Sandbox
from sandbox.layers import Request
from sandbox.paperless import Release, World, load_world
from tests.installation import HOME, Installation, process
from tests.store.builders import FakeClock

LETTER = "Sehr geehrte Damen und Herren, anbei die Rechnung für den Monat August. " * 10


@pytest.fixture
def world(release: Release) -> World:
    """An archive of sixty long letters."""
    world = load_world(release=release)
    first = min(world.documents)
    world.documents = {first: world.documents[first]}
    for number in range(59):
        document = world.add_document(f"{LETTER} Nr. {number}", f"{number}.pdf")
        document.correspondent = 1
    return world


def searches(sandbox: Sandbox) -> list[Request]:
    """Return the searches since the last time this was called."""
    found = [
        request for request in sandbox.paperless.requests if "more_like_id" in dict(request.query)
    ]
    sandbox.paperless.requests.clear()
    return found


async def file_some(
    services: Services, sandbox: Sandbox, count: int = EMPTY_SEARCHES
) -> list[EventDict]:
    """Process a number of new documents; return the log."""
    known = {job.document.id for job in await services.store.jobs.list(limit=1000)}
    chosen = [id_ for id_ in sorted(sandbox.world.documents) if id_ not in known][1 : count + 1]
    with capture_logs() as logs:
        for id_ in chosen:
            assert (await process(services, id_)).job.status is JobStatus.COMPLETED
    return logs


def warnings(logs: list[EventDict]) -> list[EventDict]:
    return [line for line in logs if line["event"] == "similar documents are not found"]


async def found_by_check(services: Services) -> Finding | None:
    findings = [finding async for finding in check_paperless(services, HOME)]
    return next((finding for finding in findings if finding.name == "Similar documents"), None)


async def test_a_broken_search_is_said_once_and_not_asked_for_a_day(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.world.search_is_broken = True
    async with installation.open() as services:
        logs = await file_some(services, sandbox)
        asked = len(searches(sandbox))
        more = await file_some(services, sandbox, 3)
        during = len(searches(sandbox))
        clock.advance(days=1)
        await file_some(services, sandbox, 1)

    [line] = warnings(logs)
    assert "document_index reindex" in line["remedy"]
    assert asked == EMPTY_SEARCHES + 1
    assert (warnings(more), during) == ([], 0)
    assert len(searches(sandbox)) == 1


async def test_a_restart_does_not_ask_a_broken_search_either(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.search_is_broken = True
    async with installation.open() as services:
        await file_some(services, sandbox)
    searches(sandbox)
    async with installation.open() as services:
        await file_some(services, sandbox, 2)

    assert searches(sandbox) == []


async def test_check_names_the_remedy_and_notices_when_it_has_helped(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.search_is_broken = True
    async with installation.open() as services:
        before = await found_by_check(services)
        await file_some(services, sandbox)
        broken = await found_by_check(services)
        sandbox.world.search_is_broken = False
        mended = await found_by_check(services)
        after = await found_by_check(services)
        searches(sandbox)
        await file_some(services, sandbox, 1)

    assert before is None
    assert broken is not None
    assert not broken.ok
    assert "document_index reindex" in broken.hint
    assert mended is not None
    assert mended.ok
    assert after is None
    assert len(searches(sandbox)) == 1


async def test_a_search_that_works_again_after_a_day_is_used_again(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.world.search_is_broken = True
    async with installation.open() as services:
        await file_some(services, sandbox)
        sandbox.world.search_is_broken = False
        clock.advance(days=1)
        logs = await file_some(services, sandbox, 1)
        fault = await services.store.search_faults.get(HOME)

    assert "similar documents are found again" in [line["event"] for line in logs]
    assert fault is None


async def test_a_small_archive_honestly_has_none(
    installation: Installation, sandbox: Sandbox
) -> None:
    world = sandbox.world
    world.documents = dict(list(world.documents.items())[:30])
    world.search_is_broken = True
    async with installation.open() as services:
        logs = await file_some(services, sandbox, EMPTY_SEARCHES + 2)

    assert warnings(logs) == []


async def test_what_only_a_filter_hides_is_no_fault(
    installation: Installation, sandbox: Sandbox
) -> None:
    """All letters are in the inbox, so that none may serve as an example."""
    inbox = next(tag.id for tag in sandbox.world.tags.values() if tag.is_inbox_tag)
    for document in sandbox.world.documents.values():
        document.tags = {inbox}
    async with installation.open() as services:
        logs = await file_some(services, sandbox, EMPTY_SEARCHES + 2)

    assert warnings(logs) == []


async def test_short_texts_make_nobody_suspicious(
    installation: Installation, sandbox: Sandbox
) -> None:
    for document in sandbox.world.documents.values():
        document.content = document.content[: LONG_TEXT - 1]
    sandbox.world.search_is_broken = True
    async with installation.open() as services:
        logs = await file_some(services, sandbox, EMPTY_SEARCHES + 2)

    assert warnings(logs) == []
