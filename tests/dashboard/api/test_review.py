"""Review, undo and names, through the API."""

import json

import pytest

from daemon.services import Services
from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour
from tests.dashboard.api_client import STRANGER, Client
from tests.installation import drain, fields_of, process

pytestmark = pytest.mark.usefixtures("reviewed")


async def test_what_waits_is_listed_document_by_document(api: Client) -> None:
    first = await api.page("/review", limit=2)
    rest = await api.page("/review", limit=2, after=first["next"], instance="home")

    documents = [document["document"] for document in first["items"] + rest["items"]]
    assert documents == ["home/3", "home/2", "home/1"]
    assert rest["next"] is None
    assert all(document["title"] and document["changes"] for document in first["items"])
    assert first["items"][0]["link"].endswith("/documents/3/")


async def test_what_waits_is_accepted_with_own_values(
    api: Client, services: Services, sandbox: Sandbox
) -> None:
    seen = (await api.get("/review/home/1"))["changes"]

    decided = await api.post(
        "/review/home/1/accept",
        {"values": {"title": "Von Hand"}, "changes": [change["id"] for change in seen]},
    )
    await drain(services)

    assert [job["kind"] for job in decided["jobs"]] == ["apply"]
    assert fields_of(sandbox)["title"] == "Von Hand"
    written = await api.get("/changes", document="home/1")
    # A tag may come along with the one that was accepted, by rule.
    assert {change["decided_by"] for change in written} >= {"admin"}
    assert await api.refused("GET", "/review/home/1") == (404, "nothing_waits")


async def test_nothing_is_accepted_that_nobody_has_seen(api: Client, services: Services) -> None:
    seen = [change["id"] for change in (await api.get("/review/home/1"))["changes"]]
    await process(services, 1)

    refused = await api.refused("POST", "/review/home/1/accept", {"changes": seen})

    assert refused == (409, "not_waiting")
    assert await api.get("/changes") == []


async def test_some_fields_are_accepted_and_the_others_wait(api: Client) -> None:
    await api.post("/review/home/1/accept", {"only": ["title"]})

    left = (await api.get("/review/home/1"))["changes"]

    assert "title" not in {change["field"] for change in left}
    assert left


@pytest.mark.parametrize("never", [True, False])
async def test_what_waits_is_rejected_perhaps_for_good(api: Client, *, never: bool) -> None:
    rejected = await api.post("/review/home/1/reject", {"never": never})

    assert bool(rejected["remembered"]) is never
    assert await api.refused("GET", "/review/home/1") == (404, "nothing_waits")


async def test_the_reason_of_a_reject_is_shown_with_the_change(api: Client) -> None:
    await api.post("/review/home/1/reject", {"only": ["title"], "why": "belongs to\nAnna"})

    [change] = await api.get("/changes", document="home/1", state="rejected")
    assert (change["field"], change["why"]) == ("title", "belongs to Anna")


@pytest.mark.parametrize(
    ("path", "body", "refused"),
    [
        ("/review/home/4711/accept", {}, (404, "nothing_waits")),
        ("/review/nowhere/1/accept", {}, (404, "instance_unknown")),
        ("/review/home/1/accept", {"values": {"date": "never"}}, (422, "bad_value")),
        ("/review/home/1/accept", {"values": {"nonsense": ""}}, (422, "bad_value")),
        ("/review/home/1/accept", {"only": []}, (404, "nothing_waits")),
        ("/review/home/1/reject", {"changes": [4711]}, (409, "not_waiting")),
        ("/names/create", {"name": "Nobody"}, (422, "name_unclear")),
        ("/names/use", {"name": "Nobody", "existing": "Musterbank"}, (422, "name_unclear")),
        ("/names/never", {"name": "Nobody", "field": "title"}, (422, "invalid")),
        ("/undo", {"document": "home/1"}, (409, "nothing_to_undo")),
        ("/undo", {}, (422, "asked_wrongly")),
        ("/undo", {"job": 1, "scan": 1}, (422, "asked_wrongly")),
        ("/undo", {"job": 4711}, (404, "job_not_found")),
        ("/undo", {"scan": 4711}, (404, "scan_not_found")),
        ("/undo", {"changes": [4711]}, (404, "change_not_found")),
        ("/undo/preview", {"model": "another"}, (409, "nothing_to_undo")),
    ],
)
async def test_what_cannot_be_decided_is_reported(
    api: Client, path: str, body: object, refused: tuple[int, str]
) -> None:
    assert await api.refused("POST", path, body) == refused


async def test_what_was_written_is_previewed_and_undone(
    api: Client, services: Services, sandbox: Sandbox
) -> None:
    before = fields_of(sandbox)
    await api.post("/review/home/1/accept")
    await drain(services)
    [change, *_] = await api.get("/changes", limit=1)

    [preview] = await api.post("/undo/preview", {"document": "home/1"})
    started = await api.post("/undo", {"since": "2020-01-01"}, status=202)
    await drain(services)

    undone = await api.get(f"/changes/{change['id']}")
    assert undone["undone_at"] >= change["settled_at"]
    # When and by whom it was written is unchanged.
    assert undone == change | {
        "state": "undone",
        "undone_at": undone["undone_at"],
        "undone_by": "admin",
    }
    assert len(preview["back"]) == len(await api.get("/changes", state="undone"))
    assert [job["kind"] for job in started["jobs"]] == ["undo"]
    assert started["refused"] == []
    assert fields_of(sandbox) == before


async def test_an_undo_waits_once_only(api: Client, services: Services) -> None:
    await api.post("/review/home/1/accept")
    await drain(services)
    await api.post("/undo", {"document": "home/1"}, status=202)

    refused = await api.refused("POST", "/undo", {"document": "home/1"})

    assert refused == (409, "already_queued")


async def test_an_undo_of_several_tells_which_could_not_be_asked_for(
    api: Client, services: Services
) -> None:
    for document in (1, 2):
        await api.post(f"/review/home/{document}/accept")
    await drain(services)
    await api.post("/undo", {"document": "home/1"}, status=202)

    started = await api.post("/undo", {"since": "2020-01-01"}, status=202)

    assert [job["document"] for job in started["jobs"]] == ["home/2"]
    assert [error["code"] for error in started["refused"]] == ["already_queued"]
    assert "home/1" in started["refused"][0]["message"]


async def test_a_name_is_never_suggested_again(api: Client, services: Services) -> None:
    done = await api.post("/names/never", {"name": "Werbung", "field": "tags"})

    assert done["remembered"] == [{"field": "tags", "name": "Werbung", "means": None}]
    assert done["jobs"] == []
    [alias] = await services.store.names.list_aliases("home")
    assert alias.decided_by == "admin"
    assert isinstance(await api.get("/names", instance="home"), list)


async def test_strangers_decide_nothing(api: Client) -> None:
    api.become(STRANGER)

    assert await api.get("/review") == []
    assert await api.get("/changes") == []
    assert await api.get("/names") == []
    for path in ("/review/home/1/accept", "/review/home/1/reject"):
        assert await api.refused("POST", path) == (404, "instance_unknown")
    assert await api.refused("POST", "/undo", {"job": 1}) == (404, "job_not_found")
    assert await api.refused("POST", "/undo", {"scan": 1}) == (404, "scan_not_found")
    assert await api.refused("GET", "/changes/1") == (404, "change_not_found")


async def test_a_change_says_whether_the_model_quoted_its_evidence(
    api: Client, services: Services, sandbox: Sandbox
) -> None:
    sloppy = {"value": "2026-08-31", "evidence": "Stadtwerke Musterstadt", "confidence": 0.9}
    quoted = {"value": "Rechnung", "evidence": "Stromrechnung August 2026", "confidence": 0.9}
    answer = json.dumps({"date": sloppy, "document_type": quoted})
    sandbox.model.behave(Behaviour(answer=answer))
    sandbox.world.edit(1, content=f"{sandbox.world.documents[1].content}\n")
    await process(services, 1)

    changes = (await api.get("/review/home/1"))["changes"]

    found = {change["field"]: change["evidence_found"] for change in changes}
    assert found == {"date": True, "document_type": False}
