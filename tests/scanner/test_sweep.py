"""What waits for a person is withdrawn when its document is gone from Paperless."""

from datetime import timedelta

from core.changes import ChangeState
from core.documents import DocumentState
from core.scans import Skip
from daemon.wiring import Clerk
from sandbox import Sandbox
from tests.office import Office, drain, home, scan
from tests.store.builders import FakeClock


async def for_review(clerk: Clerk) -> set[int]:
    return {change.document.id for change in await clerk.store.changes.waiting()}


async def test_what_is_gone_waits_for_nobody(
    office: Office, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with office.open() as clerk:
        await scan(clerk)
        await drain(clerk)
        sandbox.world.delete(2)
        waiting = await for_review(clerk)
        clock.advance(days=1)
        report = await scan(clerk)
        left, known = await for_review(clerk), await clerk.store.documents.get(home(2))
        changes = await clerk.store.changes.of_document(home(2))

    assert (waiting, left) == ({1, 2, 3}, {1, 3})
    assert report.skipped[Skip.GONE] == 1
    assert known is not None
    assert known.state is DocumentState.GONE
    assert {change.state for change in changes} == {ChangeState.REJECTED}


async def test_what_lacks_a_tag_by_now_is_not_gone(
    office: Office, sandbox: Sandbox, clock: FakeClock
) -> None:
    office.configure('[scan]\ninclude_tags = ["Inbox"]\n')
    async with office.open() as clerk:
        await scan(clerk)
        await drain(clerk)
        sandbox.world.edit(2, tags=[])
        # A number of documents that does not fit makes the daily pass necessary.
        sandbox.world.add_document("Brief", "alt.pdf", added=clock() - timedelta(days=90))
        clock.advance(days=1)
        report = await scan(clerk)
        left = await for_review(clerk)

    assert report.seen == 2
    assert left == {1, 2, 3}


async def test_a_scan_of_changes_asks_for_nobody(
    office: Office, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with office.open() as clerk:
        await scan(clerk)
        await drain(clerk)
        sandbox.paperless.requests.clear()
        sandbox.world.edit(1, title="A person was here")
        await scan(clerk)

    assert not [one for one in sandbox.paperless.requests if "id__in" in dict(one.query)]
