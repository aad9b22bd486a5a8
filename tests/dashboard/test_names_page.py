"""The page of names: several new names at once, aliases, unused names, similar names."""

import html
import re
from collections.abc import AsyncIterator

import httpx
import pytest

from daemon.services import Services
from sandbox import Sandbox
from sandbox.paperless import Kind, World
from tests.dashboard.api_client import build_rig
from tests.dashboard.conftest import open_browser
from tests.installation import Installation, drain, process
from tests.new_senders import FILL, FIRM, SHORT, made, put_letters, senders

NEW = f"home/correspondent/{FIRM}"
TWIN = "Stadtwerke Musterstad"
"""Nearly a name in use."""


@pytest.fixture
def world(world: World) -> World:
    put_letters(world, FIRM, SHORT)
    world.users["paperclerk"].permissions.add("delete_correspondent")
    return world


@pytest.fixture
async def services(installation: Installation) -> AsyncIterator[Services]:
    """Services that fill in the correspondent; both letters wait with a new name."""
    installation.configure(FILL)
    async with installation.open() as services:
        for number in list(installation.sandbox.world.documents):
            await process(services, number)
        yield services


@pytest.fixture
async def browser(services: Services) -> AsyncIterator[httpx.AsyncClient]:
    async with open_browser(build_rig(services)) as client:
        yield client


async def test_a_name_with_a_similar_one_in_use_is_not_selected_at_first(
    browser: httpx.AsyncClient,
) -> None:
    page = (await browser.get("/names")).text

    boxes = dict(re.findall(r'name="new" value="([^"]*)"( checked)?>', page))
    assert boxes == {NEW: " checked", f"home/correspondent/{SHORT}": ""}


async def test_the_selected_names_are_created(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    await browser.post("/names/selected", data={"action": "create", "new": [NEW]})
    page = await browser.get("/names")
    await drain(services)

    assert "1 name will be created." in page.text
    assert made(sandbox, FIRM) == 1
    assert FIRM in senders(sandbox)


async def test_a_name_that_is_never_suggested_is_an_alias_that_can_be_forgotten(
    browser: httpx.AsyncClient, services: Services
) -> None:
    await browser.post("/names/selected", data={"action": "never", "new": [NEW]})
    page = (await browser.get("/names")).text
    [key] = re.findall(r'name="key" value="([^"]*)"', page)

    form = {"instance": "home", "field": "correspondent", "key": html.unescape(key)}
    await browser.post("/names/aliases/forget", data=form)
    after = (await browser.get("/names")).text

    assert "1 name will never be suggested again." in page
    assert f'<span class="was">{FIRM}</span>' in page
    assert "never suggested" in page
    assert "No aliases yet." in after
    assert await services.store.names.list_aliases("home") == ()


@pytest.mark.parametrize(
    ("selected", "said"),
    [
        ([], "Nothing was selected."),
        (["home/correspondent/Nobody"], "It is unclear which name is meant."),
    ],
)
async def test_a_selection_of_nothing_is_reported(
    browser: httpx.AsyncClient, selected: list[str], said: str
) -> None:
    await browser.post("/names/selected", data={"action": "create", "new": selected})

    assert said in (await browser.get("/names")).text


@pytest.mark.parametrize("selected", ["nonsense", "home/nonsense/x", ""])
async def test_a_selection_that_no_page_of_ours_sends_is_refused(
    browser: httpx.AsyncClient, selected: str
) -> None:
    await browser.post("/names/selected", data={"action": "create", "new": [selected]})

    assert "The request is not valid." in (await browser.get("/names")).text


async def test_a_name_that_no_document_has_any_more_is_deleted_on_request(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    await browser.post("/names/selected", data={"action": "create", "new": [NEW]})
    await drain(services)
    nothing = (await browser.get("/names/unused")).text
    for document in list(sandbox.world.documents):
        sandbox.world.edit(document, correspondent=None)

    listed = (await browser.get("/names/unused")).text
    [name] = re.findall(r'name="made" value="(\d+)"', listed)
    await browser.post("/names/unused", data={"made": [name]})
    said = (await browser.get("/names")).text

    assert "No unused names." in nothing
    assert FIRM in listed
    assert "1 name deleted from Paperless." in said
    assert FIRM not in {name.name for name in sandbox.world.names[Kind.CORRESPONDENT].values()}


async def test_of_two_names_that_look_alike_one_can_replace_the_other(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    sandbox.world.add_name(Kind.CORRESPONDENT, TWIN)
    services.instances["home"].catalogue.invalidate()
    before = (await browser.get("/names/similar")).text
    pairs = re.findall(
        r'name="name" value="([^"]*)"><input type="hidden" name="existing" value="([^"]*)"', before
    )
    [(other, kept)] = [pair for pair in pairs if TWIN in pair]

    form = {"name": other, "existing": kept, "instance": "home", "field": "correspondent"}
    await browser.post("/names", data={**form, "action": "use"})
    await browser.get("/names")
    after = (await browser.get("/names/similar")).text

    assert {other, kept} == {TWIN, "Stadtwerke Musterstadt"}
    assert TWIN not in after
    [alias] = await services.store.names.list_aliases("home")
    assert (alias.meaning.spelling, str(alias.meaning.target)) == (other, kept)
