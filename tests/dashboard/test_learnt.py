"""What was learnt is shown with its origin, deleted for good, and restored, by page and API."""

from collections.abc import AsyncIterator

import pytest

from core.documents import DocumentRef
from core.learning import Fact, FactCount, FactKind, LearntDocument
from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.paperless import Kind
from tests.dashboard.api_client import Client, api_of, build_rig
from tests.installation import HOME

SENDER = "Stadtwerke Musterstadt"
IBAN = Fact(FactKind.IBAN, "DE89370400440532013000")
DAY_FIRST = Fact(FactKind.DATE_ORDER, "day_first")


@pytest.fixture
async def api(services: Services, sandbox: Sandbox) -> AsyncIterator[Client]:
    """An IBAN was learnt from two documents of a sender, and the order of dates from all."""
    sender = sandbox.world.find(Kind.CORRESPONDENT, SENDER).id
    await services.store.learnt.record(
        [
            LearntDocument(DocumentRef(HOME, number), frozenset({IBAN}), sender, by_person=True)
            for number in (1, 2)
        ]
    )
    await services.store.learnt.replace_counts(
        HOME,
        {FactKind.DATE_ORDER},
        [FactCount(DAY_FIRST, None, 30, 31), FactCount(DAY_FIRST, sender, 4, 4)],
        now=services.context.clock(),
    )
    async with api_of(services) as client:
        yield client


async def ids(api: Client, *, deleted: bool = False) -> list[str]:
    facts = await api.get("/learnt", instance=HOME)
    return [fact["id"] for fact in facts if fact["is_deleted"] is deleted]


async def test_everything_is_listed_with_its_count_and_its_origin(api: Client) -> None:
    archive, order, iban = await api.get("/learnt", instance=HOME)

    assert (archive["sender"], archive["documents"], archive["total"]) == ("", 30, 31)
    assert (order["sender"], order["kind"], order["documents"]) == (SENDER, "date_order", 4)
    assert (iban["sender"], iban["value"], iban["documents"]) == (SENDER, IBAN.value, 2)
    assert iban["origins"] == ["home/2", "home/1"]


async def test_the_list_has_pages(api: Client) -> None:
    first = await api.page("/learnt", instance=HOME, limit=2)
    second = await api.page("/learnt", instance=HOME, limit=2, after=first["next"])

    assert [len(page["items"]) for page in (first, second)] == [2, 1]
    assert second["next"] is None


async def test_a_deleted_fact_stays_deleted_until_it_is_restored(api: Client) -> None:
    (iban,) = [id_ for id_ in await ids(api) if id_.startswith("iban")]

    await api.post("/learnt/delete", {"instance": HOME, "ids": [iban]})
    assert iban not in await ids(api)
    assert await ids(api, deleted=True) == [iban]

    await api.post("/learnt/restore", {"instance": HOME, "ids": [iban]})
    assert iban in await ids(api)
    assert await ids(api, deleted=True) == []


@pytest.mark.parametrize("action", ["delete", "restore"])
@pytest.mark.parametrize("id_", ["", "iban", "iban:4", "iban:x:DE1", "title:0:x", "addressee:0:x"])
async def test_an_unknown_fact_is_refused(api: Client, action: str, id_: str) -> None:
    about = {"instance": HOME, "ids": [id_]}

    assert await api.refused("POST", f"/learnt/{action}", about) == (422, "asked_wrongly")


async def test_what_was_not_deleted_cannot_be_restored(api: Client) -> None:
    about = {"instance": HOME, "ids": ["date_order:0:day_first"]}

    assert await api.refused("POST", "/learnt/restore", about) == (422, "asked_wrongly")


@pytest.mark.usefixtures("api")
async def test_the_page_shows_and_deletes_it(services: Services) -> None:
    form = {"instance": HOME, "id": "date_order:0:day_first", "action": "delete"}
    async with build_rig(services).client() as client:
        client.headers["accept"] = "text/html"
        before = (await client.get("/names/learnt")).text
        answer = await client.post("/names/learnt", data=form)
        after = (await client.get("/names/learnt")).text
        restored = await client.post("/names/learnt", data={**form, "action": "restore"})

    assert "30 of 31 documents" in before
    assert IBAN.value in before
    assert f"<h3>{SENDER}</h3>" in before
    assert (answer.status_code, answer.headers["location"]) == (303, "/names/learnt")
    assert "30 of 31 documents" not in after
    assert "1 deleted entry" in after
    assert restored.status_code == 303


async def test_senders_are_named_by_their_number_if_paperless_does_not_answer(
    api: Client, services: Services, sandbox: Sandbox
) -> None:
    services.instances[HOME].catalogue.invalidate()
    sandbox.paperless.faults.add(Fault(path="/api/correspondents/", effect=Answer(status=500)))

    facts = await api.get("/learnt", instance=HOME)

    assert [fact["sender"][:1] for fact in facts] == ["", "#", "#"]
