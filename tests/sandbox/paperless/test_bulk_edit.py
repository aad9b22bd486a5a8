"""Bulk edits: what the recorded answers do not show."""

import httpx
import pytest

from sandbox.paperless import V2, V3, Release, World


def edit(http: httpx.Client, method: str, **parameters: object) -> httpx.Response:
    data = {"documents": [1, 2], "method": method, "parameters": parameters}
    return http.post("/api/documents/bulk_edit/", json=data)


def test_tags_are_added_with_those_above_and_removed_with_those_below(
    world: World, http: httpx.Client
) -> None:
    world.edit(2, tags=["Neu"])

    edit(http, "modify_tags", add_tags=[3], remove_tags=[])
    assert (world.documents[1].tags, world.documents[2].tags) == ({2, 3}, {1, 2, 3})

    edit(http, "remove_tag", tag=2)
    assert (world.documents[1].tags, world.documents[2].tags) == (set(), {1})


@pytest.mark.parametrize(
    ("method", "parameters", "message"),
    [
        ("add_tag", {}, "tag not specified"),
        ("add_tag", {"tag": 99}, "Tag does not exist"),
        ("set_document_type", {"document_type": "x"}, "Document type does not exist"),
        ("modify_tags", {"add_tags": 1, "remove_tags": []}, "add_tags must be a list"),
        ("modify_tags", {"remove_tags": []}, "add_tags not specified"),
        (
            "modify_tags",
            {"add_tags": [1, 1], "remove_tags": []},
            "Some tags in add_tags don't exist or were specified twice.",
        ),
        (
            "modify_custom_fields",
            {"add_custom_fields": {"x": 1}, "remove_custom_fields": []},
            "Custom field id in add_custom_fields must be an integer",
        ),
        ("modify_custom_fields", {"add_custom_fields": {}}, "remove_custom_fields not specified"),
    ],
)
def test_a_bad_parameter_is_refused(
    world: World, http: httpx.Client, method: str, parameters: dict[str, object], message: str
) -> None:
    answer = edit(http, method, **parameters)

    assert (answer.status_code, answer.json()) == (400, {"non_field_errors": [message]})
    assert world.documents[1].tags == set()


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        ({}, ["documents", "method"]),
        ({"documents": 1, "method": "add_tag"}, ["documents"]),
        ({"documents": ["x"], "method": "add_tag"}, ["documents"]),
        ({"documents": [1, 1], "method": "add_tag"}, ["documents"]),
        ({"documents": [1], "method": 7}, ["method"]),
    ],
)
def test_a_bad_request_is_refused(
    http: httpx.Client, data: dict[str, object], keys: list[str]
) -> None:
    answer = http.post("/api/documents/bulk_edit/", json=data)

    assert (answer.status_code, list(answer.json())) == (400, keys)


def test_a_method_that_is_not_imitated_says_so(http: httpx.Client) -> None:
    answer = edit(http, "reprocess")

    assert (answer.status_code, "reprocess" in answer.text) == (501, True)


@pytest.mark.parametrize(("release", "status", "stored"), [(V2, 200, "12,50 €"), (V3, 400, None)])
def test_only_v3_checks_the_values_of_custom_fields(
    world: World, http: httpx.Client, release: Release, status: int, stored: str | None
) -> None:
    field = world.add_custom_field("Betrag", "monetary").id
    values = {str(field): "12,50 €"}

    answer = edit(http, "modify_custom_fields", add_custom_fields=values, remove_custom_fields=[])

    assert answer.status_code == status
    assert world.documents[1].custom_fields.get(field) == stored


@pytest.mark.parametrize("release", [V2, V3])
@pytest.mark.parametrize(("data_type", "value"), [("boolean", "ja"), ("float", "1,5")])
def test_what_crashes_in_a_patch_is_a_400_with_text_here(
    world: World, http: httpx.Client, release: Release, data_type: str, value: str
) -> None:
    field = world.add_custom_field("Feld", data_type).id
    values = {str(field): value}

    answer = edit(http, "modify_custom_fields", add_custom_fields=values, remove_custom_fields=[])

    assert (answer.status_code, answer.text[:5]) == (400, "Error")


@pytest.mark.parametrize(("release", "status"), [(V2, 400), (V3, 400)])
def test_an_integer_that_is_none_is_refused_by_both_in_their_ways(
    world: World, http: httpx.Client, release: Release, status: int
) -> None:
    field = world.add_custom_field("Zahl", "integer").id

    answer = edit(
        http, "modify_custom_fields", add_custom_fields={str(field): "x"}, remove_custom_fields=[]
    )

    is_text = answer.headers["content-type"].startswith("text/html")
    assert (answer.status_code, is_text) == (status, release is V2)


def test_fields_may_be_added_empty_by_a_list_of_ids(world: World, http: httpx.Client) -> None:
    field = world.add_custom_field("Feld", "string").id

    edit(http, "modify_custom_fields", add_custom_fields=[field], remove_custom_fields=[])
    assert world.documents[1].custom_fields == {field: None}

    edit(http, "modify_custom_fields", add_custom_fields=[], remove_custom_fields=[field])
    assert world.documents[1].custom_fields == {}


def test_a_number_that_is_too_small_is_refused(world: World, http: httpx.Client) -> None:
    field = world.add_custom_field("Zahl", "integer").id
    sent = {"custom_fields": [{"field": field, "value": -(2**31) - 1}]}

    answer = http.patch("/api/documents/1/", json=sent)

    assert "greater than or equal to -2147483648" in answer.text
