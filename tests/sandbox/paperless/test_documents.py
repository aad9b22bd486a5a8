"""Documents over the API: what the recorded answers do not show."""

from datetime import UTC, datetime

import httpx
import pytest

from sandbox.paperless import V2, V3, Kind, Release, World
from tests.sandbox.paperless.conftest import Login


def ids(answer: httpx.Response) -> list[int]:
    return [document["id"] for document in answer.json()["results"]]


@pytest.mark.parametrize(
    ("lookup", "found"), [("gt", []), ("gte", [2]), ("lt", [1]), ("lte", [1, 2])]
)
def test_modified_is_compared_to_the_microsecond(
    world: World, http: httpx.Client, lookup: str, found: list[int]
) -> None:
    world.documents[2].modified = datetime(2026, 11, 16, 0, 5, 45, 574922, tzinfo=UTC)
    world.documents[3].deleted_at = world.now()
    moment = http.get("/api/documents/2/").json()["modified"]

    answer = http.get("/api/documents/", params={f"modified__{lookup}": moment, "ordering": "id"})

    assert moment == "2026-11-16T01:05:45.574922+01:00"
    assert ids(answer) == found


def test_a_summer_moment_without_a_zone_is_in_the_servers_summer_time(
    world: World, http: httpx.Client
) -> None:
    world.documents[1].added = datetime(2026, 7, 1, 10, 0, tzinfo=UTC)

    assert ids(http.get("/api/documents/?id=1&added__gte=2026-07-01T12:00:00")) == [1]
    assert ids(http.get("/api/documents/?id=1&added__gt=2026-07-01T12:00:00")) == []


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("created__month=10&created__day=3", [2]),
        ("added__year=2025", []),
        ("added__date__lte=2026-10-02", [1]),
        ("correspondent__name__icontains=WERKE", [1]),
        ("document_type__name__iexact=rechnung", [2]),
        ("storage_path__isnull=false", []),
        ("is_tagged=maybe", [1, 2, 3]),
        ("tags__id__all=", [1, 2, 3]),
        ("correspondent__id=1", [1]),
        ("correspondent__id__in=1,2", [1]),
        ("correspondent__id__none=abc", [1, 2, 3]),
        ("owner__id__none=2", [1, 2, 3]),
        ("title__iendswith=_2", [2]),
        ("ordering=-title", [3, 2, 1]),
        ("ordering=correspondent__name,-id", [3, 2, 1]),
        ("ordering=document_type__name,id", [1, 3, 2]),
        ("ordering=num_notes,owner,page_count,archive_serial_number", [1, 2, 3]),
        ("ordering=storage_path__name", [1, 2, 3]),
    ],
)
def test_filters_and_orderings(
    world: World, admin: httpx.Client, query: str, found: list[int]
) -> None:
    world.edit(1, correspondent="Stadtwerke")
    world.edit(2, document_type="Rechnung")

    order = "" if "ordering" in query else "&ordering=id"

    assert ids(admin.get(f"/api/documents/?{query}{order}")) == found


def test_all_bad_values_are_reported_together(http: httpx.Client) -> None:
    answer = http.get(
        "/api/documents/?id=x&modified__gt=y&created__lt=2026-02-30&added__gt=2026-01-01T25:00"
    )

    assert answer.status_code == 400
    assert set(answer.json()) == {"id", "modified__gt", "created__lt", "added__gt"}


@pytest.mark.parametrize("name", ["custom_field_query", "shared_by__id"])
def test_a_filter_that_is_not_imitated_is_refused_instead_of_ignored(
    http: httpx.Client, name: str
) -> None:
    answer = http.get("/api/documents/", params={name: "1"})

    assert (answer.status_code, name in answer.text) == (501, True)


def test_documents_are_ordered_by_a_custom_field_with_the_empty_ones_first(
    world: World, http: httpx.Client
) -> None:
    field = world.add_custom_field("Nummer", "string")
    world.documents[1].custom_fields[field.id] = "B"
    world.documents[3].custom_fields[field.id] = "A"

    assert ids(http.get(f"/api/documents/?ordering=custom_field_{field.id}")) == [2, 3, 1]


@pytest.mark.parametrize(
    ("release", "api", "has_all"), [(V2, "9", True), (V3, "9", True), (V3, "10", False)]
)
def test_every_page_carries_all_ids_up_to_api_9(
    http: httpx.Client,
    release: Release,
    api: str,
    has_all: bool,  # noqa: FBT001 - a column
) -> None:
    headers = {"Accept": f"application/json; version={api}"}

    page = http.get("/api/documents/?page_size=1&page=2&ordering=id", headers=headers).json()

    assert ("all" in page) is has_all
    assert page.get("all", [1, 2, 3]) == [1, 2, 3]
    assert page["previous"].endswith("/api/documents/?ordering=id&page_size=1")


def test_the_address_of_the_first_page_may_have_no_parameters(
    world: World, http: httpx.Client
) -> None:
    for number in range(30):
        world.add_document("", f"more_{number}.pdf")

    previous = http.get("/api/documents/?page=2").json()["previous"]

    assert previous == f"{http.base_url}/api/documents/"


def test_content_is_cut_to_550_characters_when_asked_for(world: World, http: httpx.Client) -> None:
    world.edit(1, content="x" * 1000)

    short = http.get("/api/documents/?id=1&truncate_content=true").json()["results"][0]
    whole = http.get("/api/documents/?id=1").json()["results"][0]

    assert (len(short["content"]), len(whole["content"])) == (550, 1000)


def test_paging_over_a_filter_that_shrinks_misses_documents(
    world: World, http: httpx.Client
) -> None:
    page = "/api/documents/?tags__id__none=1&ordering=id&page_size=1"

    first = ids(http.get(page))
    world.edit(1, tags=["Neu"])
    second = ids(http.get(f"{page}&page=2"))

    assert (first, second) == ([1], [3])


def test_a_write_moves_a_document_to_the_end_of_the_order_of_modified(http: httpx.Client) -> None:
    before = ids(http.get("/api/documents/?ordering=modified"))

    http.patch("/api/documents/1/", json={})

    assert before == [1, 2, 3]
    assert ids(http.get("/api/documents/?ordering=modified")) == [2, 3, 1]


def test_v3_names_the_duplicates_of_a_single_document_only(
    world: World, http: httpx.Client
) -> None:
    world.add_document(world.documents[1].content, "twice.pdf")

    single = http.get("/api/documents/1/").json()["duplicate_documents"]
    listed = http.get("/api/documents/?id=1").json()["results"][0]["duplicate_documents"]

    assert single == [{"id": 4, "title": "twice", "deleted_at": None}]
    assert listed == []


def test_ownership_decides_what_a_user_sees(world: World, login: Login) -> None:
    world.edit(1, owner="admin")
    world.edit(2, owner="paperclerk")

    seen = {name: ids(login(name).get("/api/documents/?ordering=id")) for name in world.users}

    assert seen == {"admin": [1, 2, 3], "limited": [3], "paperclerk": [2, 3]}


def test_a_document_that_its_owner_shares_is_marked_for_him(
    world: World, admin: httpx.Client
) -> None:
    world.edit(1, owner="admin")
    everyone = {"view": {"users": [3], "groups": []}, "change": {"users": [], "groups": []}}

    admin.patch("/api/documents/1/", json={"set_permissions": everyone})

    assert admin.get("/api/documents/1/").json()["is_shared_by_requester"] is True


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"set_permissions": 1}, "set_permissions"),
        ({"owner": 99}, "owner"),
        ({"archive_serial_number": "x"}, "archive_serial_number"),
        ({"tags": "1"}, "tags"),
        ({"tags": [True]}, "tags"),
        ({"title": True}, "title"),
        ({"created": 20260101}, "created"),
        ({"custom_fields": [1]}, "custom_fields"),
        ({"custom_fields": [{"field": "x", "value": 1}]}, "custom_fields"),
    ],
)
def test_a_bad_value_is_refused_and_nothing_is_written(
    world: World, admin: httpx.Client, data: dict[str, object], field: str
) -> None:
    before = world.documents[1].modified

    answer = admin.patch("/api/documents/1/", json={"title": "T"} | data)

    assert (answer.status_code, list(answer.json())) == (400, [field])
    assert (world.documents[1].title, world.documents[1].modified) == ("scan_1", before)


def test_values_may_be_taken_away_again(world: World, admin: httpx.Client) -> None:
    given = {"archive_serial_number": 7, "owner": 4, "storage_path": None}
    admin.patch("/api/documents/1/", json=given)

    taken = {"archive_serial_number": None, "owner": None}
    answer = admin.patch("/api/documents/1/", json=taken).json()

    assert {key: answer[key] for key in taken} == taken


def test_put_writes_when_it_has_all_that_it_needs(world: World, http: httpx.Client) -> None:
    whole = {
        "title": "Ganz",
        "correspondent": 1,
        "document_type": 1,
        "storage_path": None,
        "tags": [1],
    }

    answer = http.put("/api/documents/1/", json=whole)

    assert (answer.status_code, world.documents[1].title) == (200, "Ganz")


def test_a_patch_without_a_body_bumps_modified(world: World, http: httpx.Client) -> None:
    before = world.documents[1].modified

    assert http.patch("/api/documents/1/").status_code == 200
    assert world.documents[1].modified > before


def test_the_file_of_a_document_that_one_may_not_see_is_refused_with_text(
    world: World, http: httpx.Client
) -> None:
    world.edit(1, owner="admin")

    refused = http.get("/api/documents/1/download/")
    missing = http.get("/api/documents/99/download/")

    assert (refused.status_code, refused.text) == (403, "Insufficient permissions")
    assert missing.status_code == 404


def test_a_file_with_any_name_can_be_downloaded(world: World, http: httpx.Client) -> None:
    document = world.add_document("Grüße", "Brief 你好 ü.pdf", added=world.now())

    answer = http.get(f"/api/documents/{document.id}/download/")

    assert answer.text == "Grüße"
    assert "%E4%BD%A0" in answer.headers["content-disposition"]


def test_a_thumbnail_that_is_known_is_not_sent_again_by_v3(http: httpx.Client) -> None:
    first = http.get("/api/documents/1/thumb/")

    again = http.get("/api/documents/1/thumb/", headers={"If-None-Match": first.headers["etag"]})

    assert (first.content[:4], again.status_code, again.content) == (b"RIFF", 304, b"")


@pytest.mark.parametrize(("release", "length"), [(V2, 32), (V3, 64)])
def test_metadata_tell_the_checksum_of_the_file(
    world: World, http: httpx.Client, release: Release, length: int
) -> None:
    facts = http.get("/api/documents/1/metadata/").json()
    world.delete(1)

    assert (len(facts["original_checksum"]), facts["original_size"]) == (length, 16)
    assert facts["original_filename"] == "scan_1.pdf"
    assert http.get("/api/documents/1/metadata/").status_code == 404


def test_notes_are_added_one_by_one_and_bump_modified(world: World, admin: httpx.Client) -> None:
    before = world.documents[1].modified

    admin.post("/api/documents/1/notes/", json={"note": "erste"})
    answer = admin.post("/api/documents/1/notes/", json={"note": ""})

    assert [(note["note"], note["user"]["username"]) for note in answer.json()] == [
        ("erste", "admin"),
        ("", "admin"),
    ]
    assert admin.get("/api/documents/1/notes/").json() == answer.json()
    assert admin.get("/api/documents/1/").json()["notes"] == answer.json()
    assert world.documents[1].modified > before
    assert admin.post("/api/documents/1/notes/", json={"note": None}).status_code == 400


def test_restoring_from_the_trash_bumps_modified(world: World, admin: httpx.Client) -> None:
    before = world.documents[1].modified
    admin.delete("/api/documents/1/")

    admin.post("/api/trash/", json={"documents": [1], "action": "restore"})

    assert ids(admin.get("/api/documents/?id=1")) == [1]
    assert world.documents[1].modified > before


def test_the_trash_can_be_emptied_for_good(world: World, admin: httpx.Client) -> None:
    admin.delete("/api/documents/1/")

    answer = admin.post("/api/trash/", json={"action": "empty"})

    assert answer.json() == {"result": "OK", "doc_ids": [1]}
    assert 1 not in world.documents


@pytest.mark.parametrize(
    ("user", "data", "status"),
    [
        ("admin", {"documents": [2], "action": "restore"}, 400),
        ("admin", {"documents": [1], "action": "burn"}, 400),
        ("paperclerk", {"documents": [1], "action": "restore"}, 403),
    ],
)
def test_the_trash_gives_back_only_what_is_in_it_to_those_who_may(
    world: World, login: Login, user: str, data: dict[str, object], status: int
) -> None:
    world.delete(1)

    assert login(user).post("/api/trash/", json=data).status_code == status
    assert world.documents[1].deleted_at is not None


def test_deleting_a_name_takes_it_from_documents_without_touching_them(
    world: World, admin: httpx.Client
) -> None:
    document = world.edit(1, tags=["Haus", "Strom"], correspondent="Stadtwerke")
    before = document.modified

    admin.delete(f"/api/tags/{world.find(Kind.TAG, 'Haus').id}/")
    admin.delete("/api/correspondents/1/")

    assert (document.tags, document.correspondent, document.modified) == (set(), None, before)
    assert [tag.name for tag in world.tags.values()] == ["Neu"]
