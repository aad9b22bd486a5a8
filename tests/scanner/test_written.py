"""A scan detects that someone changed what Paperclerk wrote, and settles unconfirmed changes."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from core.changes import Change, ChangeState, Plan, SeenChange
from core.fields import CustomField, Field, FieldName, Name
from daemon.services import Services
from sandbox import Sandbox
from sandbox.paperless import Kind
from scanner.written import filter_unrecorded
from tests.builders import NOW, a_change
from tests.installation import Installation, drain, enqueue_document, home, process, scan
from tests.scanner.test_watermark import TRIGGER, asked
from tests.store.builders import PROBLEM, a_planned_change, enqueue_and_claim

EMPTY = a_change(1, state=ChangeState.APPLIED)
KNOWN = replace(EMPTY, changed_seen_at=NOW, changed_to="Other")


@pytest.fixture
async def writing(installation: Installation, sandbox: Sandbox) -> AsyncIterator[Services]:
    """A clerk that writes all it is sure of, after its first scan."""
    installation.configure(all_fields="replace")
    async with installation.open() as services:
        await scan(services)
        await drain(services)
        await scan(services)
        asked(sandbox)
        yield services


async def written(services: Services, field: Field, id_: int = 1) -> Change:
    found = [
        change
        for change in await services.store.changes.list_for_document(home(id_))
        if change.field == field
    ]
    return next(change for change in found if change.state is ChangeState.APPLIED)


async def changed_since(services: Services, id_: int = 1) -> dict[str, object]:
    """Return what was changed since, by field."""
    changes = await services.store.changes.list_for_document(home(id_))
    return {str(change.field): change.changed_to for change in changes if change.is_changed_since}


@pytest.mark.parametrize(
    ("change", "seen", "is_news"),
    [
        pytest.param(EMPTY, SeenChange(1, "ours", is_ours=True), False, id="still ours"),
        pytest.param(EMPTY, SeenChange(1, "Other", is_ours=False), True, id="changed"),
        pytest.param(KNOWN, SeenChange(1, "Other", is_ours=False), False, id="known"),
        pytest.param(KNOWN, SeenChange(1, "Third", is_ours=False), True, id="changed again"),
        pytest.param(KNOWN, SeenChange(1, "ours", is_ours=True), True, id="ours again"),
    ],
)
def test_only_what_is_new_is_stored(change: Change, seen: SeenChange, *, is_news: bool) -> None:
    assert filter_unrecorded({1: change}, [seen]) == ((seen,) if is_news else ())


async def test_a_scan_sees_what_someone_changed_or_removed(
    writing: Services, sandbox: Sandbox, installation: Installation
) -> None:
    tag = (await written(writing, FieldName.TAGS)).after
    assert isinstance(tag, Name)
    document = sandbox.world.documents[1]
    others = [
        other for other in sandbox.world.tags.values() if other.id in document.tags - {tag.id}
    ]
    sandbox.world.add_name(Kind.CORRESPONDENT, "Redwood")
    sandbox.world.edit(1, title="Mine", correspondent="Redwood")
    sandbox.world.edit(1, tags=[other.name for other in others], document_type=None)

    installation.clock.advance(minutes=30)
    await scan(writing)

    seen = await changed_since(writing)
    correspondent = seen.pop("correspondent")
    assert isinstance(correspondent, Name)
    assert correspondent.name == "Redwood"
    assert seen == {"title": "Mine", "document_type": None, "tags": None}
    title = await written(writing, FieldName.TITLE)
    assert (title.changed_seen_at, title.state) == (installation.clock(), ChangeState.APPLIED)
    assert await changed_since(writing, 2) == {}


async def test_a_value_that_is_ours_again_is_no_longer_changed(
    writing: Services, sandbox: Sandbox
) -> None:
    ours = str((await written(writing, FieldName.TITLE)).after)
    sandbox.world.edit(1, title="Mine")
    await scan(writing)
    before = await changed_since(writing)

    sandbox.world.edit(1, title=ours)
    await scan(writing)

    assert (before, await changed_since(writing)) == ({"title": "Mine"}, {})


async def test_what_we_wrote_over_ourselves_is_not_changed_by_someone(
    writing: Services, sandbox: Sandbox
) -> None:
    first = await written(writing, FieldName.TITLE)
    await sandbox_says_another_title(writing, sandbox)

    await scan(writing)

    assert (await written(writing, FieldName.TITLE)).id == first.id
    assert await changed_since(writing) == {}


async def sandbox_says_another_title(services: Services, sandbox: Sandbox) -> None:
    """Write another title as Paperclerk does."""
    document = sandbox.world.documents[1]
    document.content = document.content.replace("August", "September")
    await process(services)
    titles = [
        change.after
        for change in await services.store.changes.list_for_document(home(1))
        if change.field is FieldName.TITLE and change.state is ChangeState.APPLIED
    ]
    assert len(set(titles)) == 2


async def test_documents_are_read_a_hundred_at_a_time_and_once_for_each_modification(
    writing: Services, sandbox: Sandbox
) -> None:
    for id_ in (1, 2, 3):
        sandbox.world.edit(id_, title="Mine")

    await scan(writing)
    first = [request for request in asked(sandbox) if "id__in" in request]
    sandbox.world.edit(3, title="Yours")
    await scan(writing)
    second = [request for request in asked(sandbox) if "id__in" in request]

    assert [query["id__in"] for query in first] == ["1,2,3"]
    assert first[0]["page_size"] == "3"
    assert "content" not in first[0]["fields"].split(",")
    # The others are listed once more around the mark, and were checked as they are.
    assert [query["id__in"] for query in second] == ["3"]


async def test_a_document_from_which_we_took_the_trigger_tag_is_checked_as_well(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(TRIGGER, all_fields="replace")
    async with installation.open() as services:
        await scan(services)
        await drain(services)
        await scan(services)
        sandbox.world.edit(1, title="Mine")
        await scan(services)

        assert await changed_since(services) == {"title": "Mine"}


async def test_a_custom_field_that_someone_changed_is_seen(
    installation: Installation, sandbox: Sandbox
) -> None:
    amount = sandbox.world.add_custom_field("Betrag", "monetary", currency="EUR")
    installation.configure('[fields.custom_fields]\nBetrag = "replace"\n', all_fields="replace")
    async with installation.open() as services:
        await scan(services)
        await drain(services)
        field = CustomField(amount.id, "Betrag")
        assert await written(services, field)
        sandbox.world.documents[1].custom_fields[amount.id] = "EUR1.00"
        sandbox.world.edit(1)
        await scan(services)

        [found] = (await changed_since(services)).values()
    assert str(found) == "1.00 EUR"


async def test_a_document_with_a_job_is_left_to_it(writing: Services, sandbox: Sandbox) -> None:
    sandbox.world.edit(1, title="Mine")
    await enqueue_document(writing, 1)

    await scan(writing)

    assert await changed_since(writing) == {}


@pytest.mark.parametrize(
    ("title", "state"),
    [
        pytest.param("Strom", ChangeState.APPLIED, id="written"),
        pytest.param("Mine", ChangeState.CONFLICT, id="changed by someone"),
    ],
)
async def test_an_unconfirmed_change_is_settled_by_the_next_scan_however_quiet(
    writing: Services, sandbox: Sandbox, installation: Installation, title: str, state: ChangeState
) -> None:
    document = sandbox.world.documents[1]
    change = await an_unconfirmed_title(writing, installation, document.title)
    # `modified` does not change: nothing else leads the scan to it.
    document.title = title
    await scan(writing)

    settled = await writing.store.changes.get(change.id)

    assert settled.state is state
    assert not settled.has_begun


async def test_a_scan_leaves_a_write_alone_that_paperless_may_still_carry_out(
    writing: Services, sandbox: Sandbox, installation: Installation
) -> None:
    change = await an_unconfirmed_title(writing, installation, sandbox.world.documents[1].title)
    installation.clock.advance(minutes=-4)

    await scan(writing)

    assert await writing.store.changes.get(change.id) == change


async def test_an_unconfirmed_change_of_a_document_that_is_gone_stays_so_until_it_is_back(
    writing: Services, sandbox: Sandbox, installation: Installation
) -> None:
    document = sandbox.world.documents[1]
    change = await an_unconfirmed_title(writing, installation, document.title)
    sandbox.world.edit(1, title="Strom")
    gone = sandbox.world.documents.pop(1)
    await scan(writing)
    while_gone = await writing.store.changes.get(change.id)

    sandbox.world.documents[1] = gone
    await scan(writing)

    assert while_gone.state is ChangeState.UNCONFIRMED
    assert (await writing.store.changes.get(change.id)).state is ChangeState.APPLIED


async def an_unconfirmed_title(
    services: Services, installation: Installation, before: str
) -> Change:
    store, now = services.store, installation.clock()
    job = await enqueue_and_claim(store, installation.clock, home(1))
    title = a_planned_change(FieldName.TITLE, before=before, after="Strom")
    planned = await store.changes.record_plan(job, Plan(now=(title,)), made_from="x", now=now)
    await store.changes.begin(job, planned, now=now)
    await store.jobs.fail(job, PROBLEM, now=now)
    comparing = await store.jobs.claim(worker="worker", now=now)
    assert comparing is not None
    await store.jobs.conclude(comparing, now=now)
    change = await store.changes.get(planned[0].id)
    assert change.state is ChangeState.UNCONFIRMED
    installation.clock.advance(minutes=5)
    return change
