"""A storage path for review, on the page and in the API."""

from collections.abc import AsyncIterator

import pytest

from daemon.services import Services
from sandbox import Sandbox
from tests.dashboard.api_client import Client, api_of, build_rig
from tests.dashboard.conftest import open_browser
from tests.installation import Installation, drain, fields_of, process

ACCEPT = "/review/home/1/accept"


@pytest.fixture
async def services(installation: Installation) -> AsyncIterator[Services]:
    """Services with a letter whose storage path is for review, like every other field."""
    installation.configure('[fields]\nstorage_path = "review"\n')
    async with installation.open() as services:
        await process(services)
        yield services


@pytest.fixture
async def api(services: Services) -> AsyncIterator[Client]:
    async with api_of(services) as client:
        yield client


async def test_a_page_shows_the_suggestion_and_offers_the_existing_ones(services: Services) -> None:
    async with open_browser(build_rig(services)) as browser:
        shown = (await browser.get("/review/home/1")).text
        german = (await browser.get("/review/home/1", headers={"accept-language": "de"})).text

    assert '<input name="value:storage_path" value="Strom" list="names-storage_path"' in shown
    assert "Speicherpfad" in german
    assert '<datalist id="names-storage_path"><option value="Nach Jahr">' in shown


async def test_a_program_reads_and_accepts_a_storage_path(
    services: Services, api: Client, sandbox: Sandbox
) -> None:
    changes = (await api.get("/review/home/1"))["changes"]
    await api.post(ACCEPT, {"only": ["storage_path"]})
    await drain(services)
    history = await api.get("/changes", state="applied")

    [path] = [change for change in changes if change["field"] == "storage_path"]
    assert path["after"]["text"] == "Strom"
    assert [change["field"] for change in history] == ["storage_path"]
    assert fields_of(sandbox)["storage_path"] == "Strom"


async def test_a_program_cannot_make_up_a_storage_path(api: Client, sandbox: Sandbox) -> None:
    values = {"values": {"storage_path": "Keller"}, "only": ["storage_path"]}

    assert await api.refused("POST", ACCEPT, values) == (422, "bad_value")
    assert fields_of(sandbox)["storage_path"] is None


async def test_an_empty_text_takes_a_storage_path_away(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure('[fields]\nstorage_path = "review"\n')
    sandbox.world.edit(1, storage_path="Nach Jahr")
    async with installation.open() as services, api_of(services) as api:
        await process(services)
        await api.post(ACCEPT, {"values": {"storage_path": ""}, "only": ["storage_path"]})
        await drain(services)

    assert fields_of(sandbox)["storage_path"] is None
