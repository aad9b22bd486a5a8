"""A scan looks at what changed since the last one, and costs one request if nothing did."""

from datetime import timedelta

import pytest

from core.jobs import DRY_RUN
from core.scans import SkipReason
from daemon.services import Services
from paperless_client import PaperlessUnavailable
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.paperless import Kind
from scanner.scan import ScanOrder
from tests.installation import HOME, Installation, drain, home, scan
from tests.store.builders import FakeClock

LISTING = "/api/documents/"
TRIGGER = '[scan]\ninclude_tags = ["Inbox"]\nremove_tags = ["Inbox"]\n'


def asked(sandbox: Sandbox, path: str = "") -> list[dict[str, str]]:
    """Return what Paperless was asked for since the last time this was called."""
    found = [dict(request.query) for request in sandbox.paperless.requests if path in request.path]
    sandbox.paperless.requests.clear()
    return found


async def test_a_scan_with_nothing_new_costs_one_small_request(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(TRIGGER)
    async with installation.open() as services:
        await scan(services)
        asked(sandbox)
        again = await scan(services)

    [look] = asked(sandbox)
    assert look["ordering"] == "-modified,-id"
    assert (again.seen, again.enqueued, again.problem) == (0, 0, None)
    assert again.changed_since == max(
        document.modified for document in sandbox.world.documents.values()
    )


async def test_what_arrives_is_found_without_the_rest_being_read(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with installation.open() as services:
        await scan(services)
        sandbox.world.edit(3, title="A person was here")
        await scan(services)
        new = sandbox.world.add_document("Brief", "neu.pdf", added=clock())
        clock.advance(minutes=10)
        again = await scan(services)
        queued = await services.store.documents.get(home(new.id))

    # The one around which the scan before had ended is looked at once more.
    assert (again.seen, again.enqueued) == (2, 1)
    assert queued is not None


async def test_what_is_tagged_later_is_found(installation: Installation, sandbox: Sandbox) -> None:
    sandbox.world.edit(1, tags=["Bank"])
    installation.configure(TRIGGER)
    async with installation.open() as services:
        first = await scan(services)
        sandbox.world.edit(1, tags=["Bank", "Inbox"])
        second = await scan(services)

    assert (first.enqueued, second.enqueued) == (2, 1)
    assert second.changed_since is not None


async def test_a_trigger_tag_put_back_is_found(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(TRIGGER, all_fields="replace")
    async with installation.open() as services:
        await scan(services)
        await drain(services)
        await scan(services)
        sandbox.world.edit(1, tags=["Inbox"])
        again = await scan(services)

    assert again.enqueued == 1


async def test_our_own_writes_are_looked_at_once_and_then_it_is_quiet(
    services: Services, sandbox: Sandbox
) -> None:
    await scan(services)
    await drain(services)
    once = await scan(services)
    asked(sandbox)
    quiet = await scan(services)

    assert (once.enqueued, once.skipped) == (0, {SkipReason.DONE: 3})
    assert quiet.seen == 0
    assert len(asked(sandbox)) == 1


async def test_a_write_that_shows_late_is_found(
    installation: Installation, sandbox: Sandbox
) -> None:
    """A transaction of Paperless that began first may be the last to end."""
    async with installation.open() as services:
        sandbox.world.edit(1, title="A")
        await scan(services)
        late = sandbox.world.add_document("Brief", "spaet.pdf")
        late.modified = late.added = sandbox.world.documents[1].modified - timedelta(minutes=4)
        found = await scan(services)

    assert found.changed_since is not None
    assert found.enqueued == 1


async def test_what_was_too_young_is_looked_at_again_though_nothing_changed(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with installation.open() as services:
        young = sandbox.world.add_document("Brief", "neu.pdf", added=clock())
        first = await scan(services)
        sandbox.world.edit(1, title="A person was here")
        clock.advance(minutes=30)
        second = await scan(services)
        known = await services.store.documents.get(home(young.id))

    assert first.skipped == {SkipReason.TOO_YOUNG: 1}
    assert (second.enqueued, second.changed_since) == (1, young.modified)
    assert known is not None


async def test_after_a_clock_that_was_ahead_the_whole_list_is_gone_through(
    installation: Installation, clock: FakeClock
) -> None:
    async with installation.open() as services:
        await scan(services)
        clock.advance(days=-30)
        again = await scan(services)

    assert (again.seen, again.changed_since) == (3, None)


@pytest.mark.parametrize(
    "rules",
    [
        '[scan]\ninclude_tags = ["Inbox"]\n',
        '[scan]\nexclude_tags = ["Privat"]\n',
        "[scan]\nsince = 2026-09-05\n",
    ],
)
async def test_other_rules_make_older_documents_count(
    installation: Installation, rules: str
) -> None:
    async with installation.open() as services:
        await scan(services)
    installation.configure(rules)
    async with installation.open() as services:
        again = await scan(services)

    assert again.changed_since is None
    assert again.seen > 0


async def test_another_user_sees_other_documents(
    installation: Installation, sandbox: Sandbox
) -> None:
    async with installation.open() as services:
        await scan(services)
    admin = sandbox.world.users["admin"].token
    usual = installation.settings_file.read_text()
    installation.settings_file.write_text(usual.replace(sandbox.token, admin))
    async with installation.open() as services:
        again = await scan(services)

    assert again.changed_since is None


async def test_a_tag_that_was_deleted_and_made_again_makes_older_documents_count(
    installation: Installation, sandbox: Sandbox
) -> None:
    """Its number is another one; what carries it was modified, so the scan finds out."""
    installation.configure(TRIGGER)
    async with installation.open() as services:
        await scan(services)
        sandbox.world.find(Kind.TAG, "Inbox").name = "Alt"
        sandbox.world.add_name(Kind.TAG, "Inbox")
        sandbox.world.edit(2, tags=["Inbox"])
        again = await scan(services)

    assert again.changed_since is None


async def test_a_restart_goes_on_where_the_last_scan_ended(
    installation: Installation, sandbox: Sandbox
) -> None:
    async with installation.open() as services:
        await scan(services)
    asked(sandbox)
    async with installation.open() as services:
        again = await scan(services)

    assert again.changed_since is not None
    assert all("modified__gte" in request for request in asked(sandbox, LISTING))


async def test_a_scan_that_failed_leaves_the_mark_where_it_was(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure('[scan]\nexclude_tags = ["Privat"]\n')
    async with installation.open() as services:
        await scan(services)
        before = await services.store.scans.get_mark(HOME)
        sandbox.world.add_document("Brief", "neu.pdf", added=clock())
        clock.advance(minutes=6)
        sandbox.paperless.faults.add(Fault(path="/api/tags/", effect=Answer(status=503)))
        with pytest.raises(PaperlessUnavailable):
            await scan(services)
        after = await services.store.scans.get_mark(HOME)
        found = await scan(services)

    assert before == after
    assert found.enqueued == 1


@pytest.mark.parametrize("order", [ScanOrder(limit=1), ScanOrder(kind=DRY_RUN)])
async def test_what_leaves_something_over_does_not_move_the_mark(
    installation: Installation, sandbox: Sandbox, order: ScanOrder
) -> None:
    async with installation.open() as services:
        await scan(services, order)
        untouched = await services.store.scans.get_mark(HOME)
        usual = await scan(services)

    assert untouched is None
    assert (usual.seen, usual.changed_since) == (3, None)


async def test_a_dry_run_goes_through_the_whole_list(installation: Installation) -> None:
    async with installation.open() as services:
        await scan(services)
        rehearsal = await scan(services, ScanOrder(kind=DRY_RUN))

    assert (rehearsal.seen, rehearsal.changed_since) == (3, None)


async def test_what_is_no_longer_ignored_is_found_though_nothing_changed(
    installation: Installation, clock: FakeClock
) -> None:
    async with installation.open() as services:
        await services.store.documents.ignore(home(1), by="anna", now=clock())
        await scan(services)
        await services.store.documents.unignore(home(1), now=clock())
        again = await scan(services)

    assert again.enqueued == 1


async def test_a_document_deleted_at_the_mark_loses_no_other(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with installation.open() as services:
        await scan(services)
        sandbox.world.delete(max(sandbox.world.documents))
        without = await scan(services)
        new = sandbox.world.add_document("Brief", "neu.pdf", added=clock())
        clock.advance(minutes=5)
        found = await scan(services)

    assert (without.enqueued, without.problem) == (0, None)
    assert (found.enqueued, new.id in sandbox.world.documents) == (1, True)


async def test_an_empty_archive_has_no_mark(installation: Installation, sandbox: Sandbox) -> None:
    sandbox.world.documents.clear()
    async with installation.open() as services:
        empty = await scan(services)
        mark = await services.store.scans.get_mark(HOME)

    assert (empty.seen, empty.problem, mark) == (0, None, None)
