"""Full text search, in the shapes of the two releases."""

import httpx
import pytest

from sandbox.paperless import V2, V3, Release, World


def ids(answer: httpx.Response) -> list[int]:
    return [document["id"] for document in answer.json()["results"]]


def test_documents_like_another_come_with_the_most_shared_words_first(
    world: World, http: httpx.Client
) -> None:
    world.edit(1, content="Abschlag Strom Stadtwerke Oktober")
    world.edit(2, content="Strom und sonst nichts")
    world.edit(3, content="Stadtwerke Strom Abschlag November")

    assert ids(http.get("/api/documents/?more_like_id=1")) == [3, 2]


def test_like_documents_can_be_filtered(world: World, http: httpx.Client) -> None:
    world.edit(2, tags=["Neu"])

    assert ids(http.get("/api/documents/?more_like_id=1&tags__id__none=1")) == []


@pytest.mark.parametrize("value", ["99", "abc"])
def test_no_document_is_like_one_that_does_not_exist(http: httpx.Client, value: str) -> None:
    answer = http.get("/api/documents/", params={"more_like_id": value})

    assert (answer.status_code, answer.headers["content-type"][:9]) == (400, "text/html")


def test_no_one_learns_what_is_like_a_document_that_he_may_not_see(
    world: World, http: httpx.Client
) -> None:
    world.edit(1, owner="admin")

    assert http.get("/api/documents/?more_like_id=1").status_code == 403


@pytest.mark.parametrize(("release", "rank", "note_highlights"), [(V2, 0, ""), (V3, 1, None)])
def test_a_hit_tells_its_rank_and_where_the_word_stands(
    http: httpx.Client, release: Release, rank: int, note_highlights: str | None
) -> None:
    page = http.get("/api/documents/?query=miete&fields=id").json()

    hit = page["results"][0]["__search_hit__"]
    assert (hit["rank"], hit["note_highlights"]) == (rank, note_highlights)
    assert hit["highlights"] == "<b>Miete</b>"
    assert page["corrected_query"] is None


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("strom november", [2]),
        ("correspondent:stadtwerke", [1]),
        ("type:rechnung", []),
        ("title:scan_3", [3]),
        ("content:miete", [3]),
        ("stadtwerke", [1]),
        ("a", []),
    ],
)
def test_all_words_of_a_query_must_be_there(
    world: World, http: httpx.Client, query: str, found: list[int]
) -> None:
    world.edit(1, correspondent="Stadtwerke")

    assert ids(http.get("/api/documents/", params={"query": query})) == found
