"""The pages of a document: shown with its job, and in the costs."""

from collections.abc import AsyncIterator

import httpx
import pytest

from daemon.services import Services
from sandbox import Sandbox
from tests.dashboard.api_client import V1
from tests.installation import Installation, process


@pytest.fixture
async def services(installation: Installation, sandbox: Sandbox) -> AsyncIterator[Services]:
    """Services that have analysed a document of four pages, and one whose pages are unknown."""
    installation.configure("[limits]\nprice_in = 100\nprice_out = 100\n")
    sandbox.world.documents[1].page_count = 4
    sandbox.world.documents[2].page_count = None
    async with installation.open() as services:
        for id_ in (1, 2):
            await process(services, id_)
        yield services


async def test_a_job_shows_the_pages_of_its_document(browser: httpx.AsyncClient) -> None:
    activity = (await browser.get("/activity")).text
    known = (await browser.get("/jobs/1")).text
    unknown = (await browser.get("/jobs/2")).text
    jobs = [(await browser.get(f"{V1}/jobs/{id_}")).json()["pages"] for id_ in (1, 2)]

    assert activity.count("· 4 pages<") == 1
    assert "<dt>Pages</dt><dd>4</dd>" in known
    assert "<dt>Pages</dt>" not in unknown
    assert jobs == [4, None]


async def test_the_costs_show_what_a_page_costs(browser: httpx.AsyncClient) -> None:
    page = (await browser.get("/costs")).text
    [costs] = (await browser.get(f"{V1}/costs")).json()
    [call] = (await browser.get(f"{V1}/jobs/1")).json()["calls"]

    total = costs["total"]
    assert (total["documents"], total["pages"]) == (2, 4)
    assert float(total["cost_per_page"]) == pytest.approx(float(call["cost"]) / 4)
    assert "· 4 pages</small></dd>" in page
    assert f"<small>€{float(total['cost_per_page']):.4f} per page</small>" in page
