"""A scan makes few requests to Paperless, on both releases."""

from datetime import datetime, timedelta

import pytest

from core.scans import SkipReason
from sandbox import Sandbox
from sandbox.layers import Request
from sandbox.paperless import V2, V3, Kind, Release, World
from tests.installation import Installation, drain, home, scan
from tests.store.builders import FakeClock

CUSTOM = """
[scan]
include_tags = ["Inbox"]
remove_tags = ["Inbox"]
exclude_tags = ["Privat"]

[fields]
custom_fields = { "Rechnungsnummer" = "fill" }
"""


@pytest.fixture(params=[V2, V3], ids=["2.20", "3.0"])
def release(request: pytest.FixtureRequest) -> Release:
    release: Release = request.param
    return release


def asked(sandbox: Sandbox, path: str = "") -> list[Request]:
    """Return the requests since the last time this was called, but for refused API versions."""
    found = [
        request
        for request in sandbox.paperless.requests
        if path in request.path and request.status != 406
    ]
    sandbox.paperless.requests.clear()
    return found


def fill(world: World, count: int, *, newest: datetime) -> None:
    """Add documents with the inbox tag, a day apart."""
    inbox = world.find(Kind.TAG, "Inbox").id
    for number in range(count):
        added = newest - timedelta(days=count - number)
        world.add_document("Brief", f"{number}.pdf", added=added).tags = {inbox}


def add(sandbox: Sandbox, clock: FakeClock, count: int) -> list[int]:
    inbox = sandbox.world.find(Kind.TAG, "Inbox").id
    new = [sandbox.world.add_document("Brief", "neu.pdf", added=clock()) for _ in range(count)]
    for document in new:
        document.tags = {inbox}
    return [document.id for document in new]


async def test_a_scan_with_25_new_documents_costs_at_most_three_requests(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure(CUSTOM)
    async with installation.open() as services:
        await scan(services)
        add(sandbox, clock, 25)
        clock.advance(hours=1)
        asked(sandbox)
        found = await scan(services)

    paths = [request.path for request in asked(sandbox)]
    assert found.enqueued == 25
    assert paths == ["/api/documents/", "/api/tags/", "/api/custom_fields/"]


async def test_what_changed_is_filtered_as_paperless_would(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure(CUSTOM)
    async with installation.open() as services:
        await scan(services)
        private, other, _ = add(sandbox, clock, 3)
        sandbox.world.edit(private, tags=["Inbox", "Privat"])
        sandbox.world.edit(other, tags=["Bank"])
        clock.advance(hours=1)
        found = await scan(services)

    # The last two documents of the previous scan are seen again.
    assert (found.seen, found.enqueued) == (4, 1)
    assert found.skipped == {SkipReason.EXCLUDED: 1, SkipReason.QUEUED: 2}


async def test_more_changes_than_one_answer_holds_are_all_found(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure(CUSTOM)
    async with installation.open() as services:
        await scan(services)
        add(sandbox, clock, 250)
        clock.advance(hours=1)
        found = await scan(services)
        asked(sandbox)
        quiet = await scan(services)

    assert found.enqueued == 250
    assert (quiet.seen, len(asked(sandbox))) == (0, 1)


async def test_name_lists_are_fetched_at_most_every_five_minutes(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure(CUSTOM)
    async with installation.open() as services:
        await scan(services)
        await drain(services)
        asked(sandbox)
        for _ in range(3):
            add(sandbox, clock, 1)
            clock.advance(minutes=1)
            await scan(services)
            await drain(services)
        soon = [
            request.path
            for request in asked(sandbox)
            if not request.path.startswith("/api/documents/")
        ]
        clock.advance(minutes=5)
        add(sandbox, clock, 1)
        clock.advance(minutes=3)
        await scan(services)
        await drain(services)

    later = [
        request.path for request in asked(sandbox) if not request.path.startswith("/api/documents/")
    ]
    assert soon == []
    assert sorted(later) == sorted(set(later))


async def test_a_name_that_is_missing_is_looked_for_at_once(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure(CUSTOM)
    async with installation.open() as services:
        await scan(services)
        old = sandbox.world.find(Kind.TAG, "Inbox")
        old.name = "Alt"
        new = sandbox.world.add_name(Kind.TAG, "Inbox")
        sandbox.world.documents[2].tags = {new.id}
        sandbox.world.touch(sandbox.world.documents[2])
        again = await scan(services)

    assert again.changed_since is None
    assert again.seen == 1


async def test_a_tag_that_we_may_not_see_does_not_make_each_scan_fetch_the_list(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure(CUSTOM)
    hidden = sandbox.world.add_name(Kind.TAG, "Geheim", owner=sandbox.world.users["admin"].id)
    async with installation.open() as services:
        await scan(services)
        lists = 0
        for _ in range(3):
            sandbox.world.documents[2].tags.add(hidden.id)
            sandbox.world.touch(sandbox.world.documents[2])
            asked(sandbox)
            await scan(services)
            lists += len(asked(sandbox, "/api/tags/"))

    assert lists == 1


async def test_whose_token_it_is_is_read_once_per_start(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with installation.open() as services:
        for _ in range(3):
            add(sandbox, clock, 1)
            clock.advance(minutes=30)
            await scan(services)

    assert len(asked(sandbox, "/api/ui_settings/")) == 1


@pytest.mark.parametrize("tables", ["", '[scan]\ninclude_tags = ["Inbox"]\n'])
async def test_a_first_scan_never_fetches_the_ids_of_all_documents(
    installation: Installation, sandbox: Sandbox, clock: FakeClock, tables: str
) -> None:
    """On API version 9 a page contains the ids of all matching documents."""
    fill(sandbox.world, 1500, newest=clock())
    installation.configure(tables)
    async with installation.open() as services:
        report = await scan(services)

    listings = [dict(request.query) for request in asked(sandbox, "/api/documents/")]
    unbounded = [
        query for query in listings if not _is_bounded(query, clock() - timedelta(days=300))
    ]
    assert report.enqueued == 1503
    assert unbounded == [] or sandbox.world.release is V3


async def test_a_first_scan_reads_a_thousand_documents_with_each_request(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    fill(sandbox.world, 2500, newest=clock())
    async with installation.open() as services:
        await scan(services)
        jobs = [job.document.id for job in await services.store.jobs.list(limit=5000)]

    sizes = [int(dict(request.query)["page_size"]) for request in asked(sandbox, "/api/documents/")]
    assert jobs == sorted(jobs)
    assert [size for size in sizes if size > 500].count(1000) in {2, 3}
    assert len(sizes) <= 12


async def test_a_few_documents_with_the_tag_are_not_searched_for_among_all(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    fill(sandbox.world, 1200, newest=clock())
    bank = sandbox.world.find(Kind.TAG, "Bank").id
    sandbox.world.documents[700].tags.add(bank)
    installation.configure('[scan]\ninclude_tags = ["Bank"]\n')
    async with installation.open() as services:
        report = await scan(services)

    listings = [dict(request.query) for request in asked(sandbox, "/api/documents/")]
    assert (report.seen, report.enqueued) == (1, 1)
    assert not [query for query in listings if "id__in" in query]


async def test_a_document_with_a_high_id_and_an_old_date_is_found(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    """As after a start of Paperless with a clock that was years behind."""
    fill(sandbox.world, 1100, newest=clock())
    late = sandbox.world.add_document("Brief", "uhr.pdf", added=clock() - timedelta(days=9000))
    async with installation.open() as services:
        await scan(services)
        found = await services.store.documents.get(home(late.id))

    assert found is not None


def _is_bounded(query: dict[str, str], oldest: datetime) -> bool:
    """Return whether only few documents can match: a range of ids, or of the last months."""
    if "id__in" in query or query.get("id") == "0":
        return True
    since = query.get("added__gte") or query.get("modified__gte")
    return since is not None and datetime.fromisoformat(since) >= oldest
