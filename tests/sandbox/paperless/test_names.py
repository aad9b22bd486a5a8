"""Tags, correspondents and the like: what the recorded answers do not show."""

import httpx
import pytest

from sandbox.paperless import Kind, World
from sandbox.paperless.name_json import slug


def names(answer: httpx.Response) -> list[str]:
    return [name["name"] for name in answer.json()["results"]]


def test_children_are_in_the_list_and_once_more_inside_their_parents(
    world: World, http: httpx.Client
) -> None:
    world.edit(1, tags=["Haus", "Strom"])

    tags = {tag["name"]: tag for tag in http.get("/api/tags/").json()["results"]}

    assert set(tags) == {"Neu", "Haus", "Strom"}
    assert [child["name"] for child in tags["Haus"]["children"]] == ["Strom"]
    assert tags["Haus"]["children"][0]["document_count"] == 1


def test_a_name_made_by_one_user_is_not_seen_by_another(
    world: World, http: httpx.Client, admin: httpx.Client
) -> None:
    made = admin.post("/api/tags/", json={"name": "Geheim"}).json()

    assert "Geheim" not in names(http.get("/api/tags/"))
    assert http.get(f"/api/tags/{made['id']}/").status_code == 404


def test_a_name_without_an_owner_is_seen_by_everyone(
    http: httpx.Client, admin: httpx.Client
) -> None:
    admin.post("/api/tags/", json={"name": "Offen", "owner": None, "matching_algorithm": 0})

    assert "Offen" in names(http.get("/api/tags/"))


def test_the_count_leaves_out_what_is_in_the_trash_or_not_to_be_seen(
    world: World, http: httpx.Client
) -> None:
    for document in (1, 2, 3):
        world.edit(document, correspondent="Stadtwerke")
    world.edit(1, owner="admin")
    world.delete(2)

    assert http.get("/api/correspondents/1/").json()["document_count"] == 1


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("name__istartswith=h", ["Haus"]),
        ("name__icontains=O", ["Strom"]),
        ("id=1", ["Neu"]),
        ("is_root=false", ["Strom"]),
        ("is_root=perhaps", ["Haus", "Neu", "Strom"]),
        ("name__iexact=", ["Haus", "Neu", "Strom"]),
        ("nosuch=1", ["Haus", "Neu", "Strom"]),
        ("ordering=-name", ["Strom", "Neu", "Haus"]),
        ("ordering=name", ["Haus", "Neu", "Strom"]),
        ("ordering=-document_count", ["Neu", "Haus", "Strom"]),
    ],
)
def test_names_are_filtered_and_ordered(
    world: World, http: httpx.Client, query: str, found: list[str]
) -> None:
    world.edit(1, tags=["Neu"])

    assert names(http.get(f"/api/tags/?{query}")) == found


def test_an_id_that_is_no_number_is_refused(http: httpx.Client) -> None:
    answer = http.get("/api/tags/?id__in=1,x")

    assert (answer.status_code, answer.json()) == (400, {"id__in": ["Enter a number."]})


def test_a_name_is_changed_field_by_field(world: World, admin: httpx.Client) -> None:
    share = {"view": {"users": [3]}, "change": {"users": []}}
    data = {"color": "#000000", "match": "x", "is_insensitive": False, "set_permissions": share}

    answer = admin.patch("/api/tags/1/", json=data).json()

    assert (answer["name"], answer["color"], answer["text_color"]) == ("Neu", "#000000", "#ffffff")
    assert world.tags[1].shares.view == {3}


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"is_inbox_tag": "yes"}, "is_inbox_tag"),
        ({"parent": 2}, "parent"),
        ({"parent": 3}, "parent"),
        ({"parent": "x"}, "parent"),
        ({"owner": 99}, "owner"),
        ({"match": "x" * 257}, "match"),
        ({"color": 7}, "color"),
        ({"name": "Neu"}, "name"),
    ],
)
def test_a_bad_change_of_a_tag_is_refused(
    world: World, admin: httpx.Client, data: dict[str, object], field: str
) -> None:
    answer = admin.patch("/api/tags/2/", json=data)

    assert (answer.status_code, list(answer.json())) == (400, [field])
    assert world.tags[2].name == "Haus"


def test_a_tag_moves_with_those_below_it_unless_that_is_too_deep(
    world: World, admin: httpx.Client
) -> None:
    chain = world.add_name(Kind.TAG, "L1")
    for level in range(2, 5):
        chain = world.add_name(Kind.TAG, f"L{level}", parent=chain.id)

    to_the_end = admin.patch("/api/tags/2/", json={"parent": chain.id})
    one_higher = admin.patch("/api/tags/2/", json={"parent": chain.parent})
    to_the_top = admin.patch("/api/tags/2/", json={"parent": None})

    assert to_the_end.json() == {"parent": ["Maximum nesting depth exceeded."]}
    assert (one_higher.status_code, to_the_top.json()["parent"]) == (200, None)


def test_a_name_that_is_only_shared_can_be_neither_changed_nor_given_away(
    world: World, http: httpx.Client
) -> None:
    world.users["paperclerk"].permissions |= {"change_tag", "delete_tag"}
    tag = world.tags[1]
    tag.owner = 2
    tag.shares.view = {4}

    seen = http.patch("/api/tags/1/", json={"match": "x"})
    tag.shares.change = {4}
    taken = http.patch("/api/tags/1/", json={"owner": 4})

    assert (seen.status_code, taken.status_code) == (403, 403)
    assert taken.json() == {"detail": "Insufficient permissions."}


def test_custom_fields_are_made_renamed_and_deleted(world: World, admin: httpx.Client) -> None:
    options = {"select_options": [{"label": "offen"}, {"label": "bezahlt"}]}
    data = {"name": "Status", "data_type": "select", "extra_data": options}
    made = admin.post("/api/custom_fields/", json=data).json()
    other = admin.post("/api/custom_fields/", json={"name": "Zahl", "data_type": "integer"}).json()
    world.documents[1].custom_fields[made["id"]] = made["extra_data"]["select_options"][0]["id"]

    path = f"/api/custom_fields/{made['id']}/"
    renamed = admin.patch(path, json={"name": "Stand"}).json()
    same = admin.patch(path, json={"name": "Stand"})
    taken = admin.patch(path, json={"name": other["name"]})

    assert (renamed["name"], renamed["document_count"]) == ("Stand", 1)
    assert (same.status_code, taken.status_code) == (200, 400)
    assert admin.get(path).json() == renamed
    assert admin.delete(path).status_code == 204
    assert (admin.get(path).status_code, world.documents[1].custom_fields) == (404, {})


@pytest.mark.parametrize(
    ("data", "fields"),
    [
        ({}, ["name", "data_type"]),
        ({"name": " ", "data_type": "string"}, ["name"]),
    ],
)
def test_a_bad_custom_field_is_refused(
    admin: httpx.Client, data: dict[str, object], fields: list[str]
) -> None:
    answer = admin.post("/api/custom_fields/", json=data)

    assert (answer.status_code, list(answer.json())) == (400, fields)


@pytest.mark.parametrize(
    ("text", "result"),
    [("Stadtwerke München", "stadtwerke-munchen"), ("ADAC e.V.", "adac-ev"), (" - ", "")],
)
def test_a_slug_is_plain(text: str, result: str) -> None:
    assert slug(text) == result
