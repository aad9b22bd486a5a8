"""Paperless validates every custom field in a PATCH, including unchanged ones."""

from collections.abc import Callable

import httpx
import pytest

from sandbox.paperless import V2, V3, World

Refused = Callable[[World], object]


def a_link_we_may_not_change(world: World) -> object:
    world.documents[2].owner = world.users["admin"].id
    world.documents[2].shares.view.add(world.users["paperclerk"].id)
    return [2]


def a_link_to_the_trash(world: World) -> object:
    world.delete(3)
    return [2, 3]


def a_deleted_option(world: World) -> object:
    [field] = [
        candidate for candidate in world.custom_fields.values() if candidate.data_type == "select"
    ]
    return field.options.pop()["id"]


CASES = [
    ("documentlink", a_link_we_may_not_change, 403),
    ("documentlink", a_link_to_the_trash, 400),
    ("select", a_deleted_option, 400),
    ("monetary", lambda _: "12,50 €", 400),
]


def a_document_with(world: World, data_type: str, make: Refused) -> tuple[int, int, object]:
    """Set an old value on document 1; return the field, the number of a text field, the value."""
    field = world.add_custom_field("Alt", data_type, ["Bar", "Karte"])
    text = world.add_custom_field("Text", "string")
    value = make(world)
    world.documents[1].custom_fields = {field.id: value}
    return field.id, text.id, value


@pytest.mark.parametrize("release", [V2, V3], ids=str)
@pytest.mark.parametrize(("data_type", "make", "status"), CASES)
def test_an_old_value_that_would_not_be_taken_today_refuses_the_whole_patch(
    world: World, http: httpx.Client, data_type: str, make: Refused, status: int
) -> None:
    old, text, value = a_document_with(world, data_type, make)
    fields = [{"field": old, "value": value}, {"field": text, "value": "neu"}]

    answer = http.patch("/api/documents/1/", json={"title": "neu", "custom_fields": fields})

    assert answer.status_code == status
    assert (world.documents[1].title, world.documents[1].custom_fields) == ("scan_1", {old: value})
    if status == 400:
        assert [bool(errors) for errors in answer.json()["custom_fields"]] == [True, False]
    else:
        assert answer.json() == {"detail": "Insufficient permissions."}


@pytest.mark.parametrize("release", [V2, V3], ids=str)
@pytest.mark.parametrize(("data_type", "make"), [case[:2] for case in CASES])
def test_a_bulk_edit_does_not_look_at_the_fields_that_it_leaves_alone(
    world: World, http: httpx.Client, data_type: str, make: Refused
) -> None:
    old, text, value = a_document_with(world, data_type, make)
    parameters = {"add_custom_fields": {str(text): "neu"}, "remove_custom_fields": []}
    edit = {"documents": [1], "method": "modify_custom_fields", "parameters": parameters}

    answer = http.post("/api/documents/bulk_edit/", json=edit)

    assert answer.status_code == 200
    assert world.documents[1].custom_fields == {old: value, text: "neu"}


def test_a_link_is_written_to_its_target_which_is_modified_by_it(
    world: World, http: httpx.Client
) -> None:
    field = world.add_custom_field("Gehört zu", "documentlink").id
    before = world.documents[2].modified

    for linked in ([2], [2], []):
        sent = [{"field": field, "value": linked}]
        assert http.patch("/api/documents/1/", json={"custom_fields": sent}).status_code == 200
        assert world.documents[2].custom_fields[field] == ([1] if linked else [])

    assert world.documents[2].modified > before
