"""`/search`: documents by the words in their text."""

import pytest

from daemon.services import Services
from sandbox import Sandbox
from tests.dashboard.api_client import ADMIN, STRANGER, Client
from tests.installation import HOME


@pytest.fixture(autouse=True)
async def index(services: Services, sandbox: Sandbox) -> None:
    """All three letters are indexed."""
    sandbox.world.edit(1, correspondent="Stadtwerke Musterstadt", tags=["Strom"])
    await services.index_fillers[HOME].update()


async def test_a_document_is_found_by_a_part_of_a_word(api: Client) -> None:
    page = await api.page("/search", q="werke musterstadt")

    [hit] = page["items"]
    assert (hit["document"], hit["correspondent"]) == ("home/1", "Stadtwerke Musterstadt")
    assert "Strom" in hit["tags"]
    assert any(part["match"] and "werke" in part["text"] for part in hit["snippet"])
    assert hit["link"].endswith("/documents/1/")
    assert (page["next"], page["not_ready"]) == (None, [])


async def test_results_are_paged_by_a_cursor(api: Client) -> None:
    first = await api.page("/search", q="2026", limit=1)
    every = await api.get("/search", q="2026")

    found, after = [first["items"][0]["document"]], first["next"]
    while after is not None:
        page = await api.page("/search", q="2026", limit=1, after=after)
        found += [hit["document"] for hit in page["items"]]
        after = page["next"]

    assert len(every) > 1
    assert found == [hit["document"] for hit in every]


@pytest.mark.parametrize(
    ("filter_", "count"),
    [
        ({"tag": "strom"}, 1),
        ({"tag": "Bank"}, 0),
        ({"correspondent": "Stadtwerke Musterstadt"}, 1),
        ({"document_type": "Rechnung"}, 0),
        ({"created_since": "2001-01-01"}, 1),
        ({"created_until": "2001-01-01"}, 0),
    ],
)
async def test_a_search_can_be_filtered(api: Client, filter_: dict[str, str], count: int) -> None:
    assert len(await api.get("/search", q="stadtwerke", **filter_)) == count


async def test_a_token_for_another_instance_finds_nothing(api: Client) -> None:
    api.become(STRANGER)

    assert await api.get("/search", q="stadtwerke") == []
    assert await api.refused("GET", "/search?q=stadtwerke&instance=home") == (
        404,
        "instance_unknown",
    )
    api.become(ADMIN)
    assert len(await api.get("/search", q="stadtwerke", instance="home")) == 1


@pytest.mark.parametrize("query", ["", "?q=a&after=x", "?q=a&limit=0", "?q=a&created_since=x"])
async def test_a_search_that_cannot_be_read_is_refused(api: Client, query: str) -> None:
    status, code = await api.refused("GET", f"/search{query}")

    assert (status, code) == (422, "invalid")
