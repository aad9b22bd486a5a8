"""After a bulk edit the worker bumps `modified`: at once, later, or when it comes back."""

from datetime import datetime

import httpx
import pytest

from sandbox.paperless import World
from sandbox.paperless.worker import Worker

ADD_TAG = {
    "documents": [1, 2],
    "method": "modify_tags",
    "parameters": {"add_tags": [1], "remove_tags": []},
}


def modified(http: httpx.Client, document: int) -> datetime:
    answer = http.get(f"/api/documents/{document}/", params={"fields": "modified"})
    return datetime.fromisoformat(answer.json()["modified"])


def test_a_bulk_edit_bumps_modified_right_after_the_response(
    world: World, http: httpx.Client
) -> None:
    before = modified(http, 1)

    http.post("/api/documents/bulk_edit/", json=ADD_TAG)

    assert modified(http, 1) > before
    assert modified(http, 1) != modified(http, 2)
    assert modified(http, 3) == world.documents[3].added


def test_while_the_worker_is_down_the_tag_is_set_and_modified_stays(
    world: World, http: httpx.Client
) -> None:
    world.worker.stop()
    before = modified(http, 1)

    http.post("/api/documents/bulk_edit/", json=ADD_TAG)

    assert world.documents[1].tags == {1}
    assert modified(http, 1) == before
    world.worker.start()
    assert modified(http, 1) > before


def test_with_a_delay_modified_stays_until_it_is_over(world: World, http: httpx.Client) -> None:
    world.worker.delay = 60
    before = modified(http, 1)

    http.post("/api/documents/bulk_edit/", json=ADD_TAG)

    assert modified(http, 1) == before
    world.worker.run()
    assert modified(http, 1) > before


def test_a_stopped_worker_does_nothing_however_often_it_is_called() -> None:
    bumped: list[int] = []
    worker = Worker(bumped.extend)
    worker.stop()
    worker.enqueue([1])

    worker.run()
    assert bumped == []

    worker.start()
    assert bumped == [1]


def test_each_bulk_edit_counts_as_one_background_task_and_a_patch_as_none(
    http: httpx.Client,
) -> None:
    http.post("/api/documents/bulk_edit/", json=ADD_TAG)
    http.post("/api/documents/bulk_edit/", json=ADD_TAG | {"documents": []})
    http.patch("/api/documents/1/", json={"title": "x", "tags": [1]})

    assert http.get("/sandbox/worker").json() == {"tasks": 1}


@pytest.mark.parametrize("running", [True, False])
def test_another_process_can_stop_and_start_the_worker(
    world: World, http: httpx.Client, *, running: bool
) -> None:
    http.post("/sandbox/worker", json={"running": running})

    world.worker.enqueue([1])

    assert world.worker.has_work is running
