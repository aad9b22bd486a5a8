"""Another process drives the sandbox over HTTP."""

import httpx

from sandbox.faults import Answer, Fault
from sandbox.paperless import Paperless, World


def test_the_log_can_be_read_from_a_number_on_and_cleared(http: httpx.Client) -> None:
    http.get("/api/documents/", params={"id": 1})
    http.patch("/api/documents/1/", json={"title": "T"})

    everything = http.get("/sandbox/requests").json()
    later = http.get("/sandbox/requests", params={"after": 1}).json()

    assert [(entry["number"], entry["user"]) for entry in everything] == [
        (1, "paperclerk"),
        (2, "paperclerk"),
    ]
    assert [(e["method"], e["path"], e["body"], e["status"]) for e in later] == [
        ("PATCH", "/api/documents/1/", {"title": "T"}, 200)
    ]
    assert http.delete("/sandbox/requests").status_code == 204
    assert http.get("/sandbox/requests").json() == []


def test_someone_without_a_token_is_logged_without_a_name(http: httpx.Client) -> None:
    http.get("/api/documents/", headers={"Authorization": ""})

    assert http.get("/sandbox/requests").json()[0]["user"] == ""


def test_documents_are_shown_with_names_instead_of_ids(world: World, http: httpx.Client) -> None:
    world.edit(1, tags=["Haus"], correspondent="Stadtwerke", owner="admin")
    world.delete(2)

    shown = http.get("/sandbox/documents").json()

    assert [document["id"] for document in shown] == [1, 2, 3]
    assert (shown[0]["tags"], shown[0]["correspondent"]) == (["Haus"], "Stadtwerke")
    assert (shown[0]["owner"], shown[1]["in_trash"]) == ("admin", True)


def test_a_person_edits_adds_and_deletes_from_another_process(
    world: World, http: httpx.Client
) -> None:
    edited = http.post("/sandbox/edit", json={"document": 1, "title": "Von Hand"})
    wrong = http.post("/sandbox/edit", json={"document": 99, "title": "Von Hand"})
    new = {"content": "Neu", "original_file_name": "neu.pdf", "added": "2026-11-01T10:00:00Z"}
    added = http.post("/sandbox/documents", json=new)
    http.post("/sandbox/trash", json={"document": 2})

    assert edited.json()["title"] == world.documents[1].title == "Von Hand"
    assert (wrong.status_code, wrong.json()["error"]) == (400, "there is no 99")
    assert (added.status_code, added.json()["id"]) == (201, 4)
    assert world.documents[4].added.isoformat() == "2026-11-01T10:00:00+00:00"
    assert world.documents[2].deleted_at is not None


def test_faults_are_added_shown_and_cleared(paperless: Paperless, http: httpx.Client) -> None:
    rule = {"method": "GET", "path": "/api/.*", "effect": {"do": "answer", "status": 502}}

    single = http.post("/sandbox/faults", json=rule)
    several = http.post("/sandbox/faults", json=[rule, {**rule, "nth": 2}])
    http.get("/api/documents/")
    shown = http.get("/sandbox/faults").json()

    assert (single.status_code, len(several.json())) == (201, 3)
    assert (len(shown["waiting"]), len(shown["struck"])) == (2, 1)
    assert paperless.faults.struck[0].effect == Answer(status=502)
    assert http.delete("/sandbox/faults").status_code == 204
    assert paperless.faults.waiting == ()


def test_a_rule_that_makes_no_sense_is_refused_with_the_reason(http: httpx.Client) -> None:
    answer = http.post("/sandbox/faults", json={"effect": {"do": "explode"}})

    assert answer.status_code == 400
    assert "explode" in answer.json()["error"]


def test_a_write_can_go_through_although_the_answer_says_500(
    world: World, paperless: Paperless, http: httpx.Client
) -> None:
    paperless.faults.add(Fault(method="PATCH", moment="after", effect=Answer(status=500)))

    answer = http.patch("/api/documents/1/", json={"title": "Geschrieben"})

    assert (answer.status_code, world.documents[1].title) == (500, "Geschrieben")
    assert [entry.fault for entry in paperless.requests] == ["answer 500, after"]
