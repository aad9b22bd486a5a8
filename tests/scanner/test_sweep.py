"""What waits for a person is withdrawn when its document is no longer in Paperless."""

from collections.abc import Callable, Coroutine
from datetime import timedelta

import pytest

from core.changes import ChangeState
from core.documents import DocumentState
from core.jobs import JobStatus
from core.scans import SkipReason
from daemon.services import Services
from sandbox import Sandbox
from tests.installation import Installation, drain, enqueue_document, home, process, scan
from tests.store.builders import FakeClock


async def for_review(services: Services) -> set[int]:
    return {change.document.id for change in await services.store.changes.list_for_review()}


async def test_what_is_gone_waits_for_nobody(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with installation.open() as services:
        await scan(services)
        await drain(services)
        sandbox.world.delete(2)
        waiting = await for_review(services)
        clock.advance(days=1)
        report = await scan(services)
        left, known = await for_review(services), await services.store.documents.get(home(2))
        changes = await services.store.changes.list_for_document(home(2))

    assert (waiting, left) == ({1, 2, 3}, {1, 3})
    assert report.skipped[SkipReason.GONE] == 1
    assert known is not None
    assert known.state is DocumentState.GONE
    assert {change.state for change in changes} == {ChangeState.REJECTED}


async def withdrawn_by_a_scan(services: Services, clock: FakeClock) -> None:
    clock.advance(days=1)
    await scan(services)


async def withdrawn_by_a_job(services: Services, clock: FakeClock) -> None:
    clock.advance(minutes=1)
    await enqueue_document(services, 2)
    await drain(services)


@pytest.mark.parametrize("gone", [withdrawn_by_a_scan, withdrawn_by_a_job])
async def test_a_document_back_from_the_trash_is_not_paid_for_again(
    installation: Installation,
    sandbox: Sandbox,
    clock: FakeClock,
    gone: Callable[[Services, FakeClock], Coroutine[None, None, None]],
) -> None:
    async with installation.open() as services:
        await scan(services)
        await drain(services)
        before = await proposed(services, 2)
        sandbox.world.delete(2)
        await gone(services, clock)
        asked = len(sandbox.model.state.chats())
        assert await proposed(services, 2) == set()
        restore(sandbox, 2)
        clock.advance(minutes=1)

        await scan(services)
        [finished] = await drain(services)
        after = await proposed(services, 2)

    assert (finished.job.document, finished.job.status) == (home(2), JobStatus.COMPLETED)
    assert len(sandbox.model.state.chats()) == asked
    assert after == before != set()


async def test_a_document_back_from_the_trash_is_asked_about_anew_if_a_person_wants_that(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with installation.open() as services:
        await scan(services)
        await drain(services)
        sandbox.world.delete(2)
        await withdrawn_by_a_scan(services, clock)
        asked = len(sandbox.model.state.chats())
        restore(sandbox, 2)

        await process(services, 2)

    assert len(sandbox.model.state.chats()) == asked + 1


async def proposed(services: Services, number: int) -> set[tuple[str, str]]:
    waiting = await services.store.changes.list_for_review(document=home(number))
    return {(str(change.field), str(change.after)) for change in waiting}


def restore(sandbox: Sandbox, number: int) -> None:
    """Take a document out of the trash, as a person does in Paperless."""
    sandbox.world.documents[number].deleted_at = None
    sandbox.world.touch(sandbox.world.documents[number])


async def test_what_lacks_a_tag_by_now_is_not_gone(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure('[scan]\ninclude_tags = ["Inbox"]\n')
    async with installation.open() as services:
        await scan(services)
        await drain(services)
        sandbox.world.edit(2, tags=[])
        # A number of documents that does not fit makes the daily pass necessary.
        sandbox.world.add_document("Brief", "alt.pdf", added=clock() - timedelta(days=90))
        clock.advance(days=1)
        report = await scan(services)
        left = await for_review(services)

    assert report.seen == 2
    assert left == {1, 2, 3}


async def test_a_scan_of_changes_asks_for_nobody(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with installation.open() as services:
        await scan(services)
        await drain(services)
        sandbox.paperless.requests.clear()
        sandbox.world.edit(1, title="A person was here")
        await scan(services)

    assert not [
        request for request in sandbox.paperless.requests if "id__in" in dict(request.query)
    ]
