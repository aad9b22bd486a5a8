"""Webhooks of workflows, sent as the recorded servers sent them."""

import pytest

from sandbox.paperless import V2, V3, World
from sandbox.paperless.records import ADDED, UPDATED, Document, Workflow
from sandbox.paperless.webhooks import list_deliveries

PARAMS = {
    "doc_url": "{{doc_url}}",
    "title": "{{ doc_title }}",
    "owner": "{{owner_username}}",
    "filename": "{{filename}}",
    "doc_id": "{{doc_id}}",
    "created": "{{created}}",
}


def a_workflow(**filters: list[int]) -> Workflow:
    defaults = {f"filter_has_{which}tags": list[int]() for which in ("", "all_", "not_")}
    trigger: dict[str, object] = {"type": UPDATED, **(defaults | filters)}
    webhook = {
        "url": "http://127.0.0.1:9911/hook",
        "params": PARAMS,
        "headers": {"X-Secret": "s3cret"},
        "as_json": True,
    }
    return Workflow(1, "wake", 0, enabled=True, triggers=[trigger], actions=[{"webhook": webhook}])


@pytest.fixture
def letter(world: World) -> Document:
    return world.documents[1]


@pytest.mark.parametrize(
    ("release", "host", "sent"),
    [
        # What follows a placeholder that version 2 does not know is dropped.
        (V2, {"Host": "127.0.0.1"}, ["doc_url", "title", "owner", "filename"]),
        (V3, {}, list(PARAMS)),
    ],
    ids=["2", "3"],
)
def test_each_release_fills_the_placeholders_that_it_knows(
    world: World, letter: Document, host: dict[str, str], sent: list[str]
) -> None:
    world.workflows[1] = a_workflow()

    [delivery] = list_deliveries(world, UPDATED, letter)

    assert list(delivery.params) == sent
    assert delivery.params["doc_url"] == "None/documents/1/"
    assert delivery.params["filename"] == "0000001"
    assert delivery.headers == {"X-Secret": "s3cret", **host}


@pytest.mark.parametrize(
    ("filters", "tags", "fires"),
    [
        ({}, set(), True),
        ({"filter_has_not_tags": [2]}, {2, 3}, False),
        ({"filter_has_not_tags": [2]}, {3}, True),
        ({"filter_has_all_tags": [2, 3]}, {2}, False),
        ({"filter_has_all_tags": [2, 3]}, {1, 2, 3}, True),
        ({"filter_has_tags": [2, 3]}, {3}, True),
        ({"filter_has_tags": [2, 3]}, {4}, False),
    ],
)
def test_a_trigger_fires_for_its_tags_and_kind_alone(
    world: World, letter: Document, filters: dict[str, list[int]], tags: set[int], *, fires: bool
) -> None:
    world.workflows[1] = a_workflow(**filters)
    letter.tags = tags

    assert bool(list_deliveries(world, UPDATED, letter)) is fires
    assert list_deliveries(world, ADDED, letter) == []


def test_a_workflow_that_is_off_sends_nothing(world: World, letter: Document) -> None:
    world.workflows[1] = a_workflow()
    world.workflows[1].enabled = False

    assert list_deliveries(world, UPDATED, letter) == []
