"""A word about a new name, by API and by page, and what Paperless and the next letter see of it."""

import html
import re
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from core.jobs import APPLY
from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.paperless import World
from tests.dashboard.api_client import V1, Client, build_rig
from tests.dashboard.conftest import open_browser
from tests.installation import Installation, drain, enqueue_document, home, process
from tests.new_senders import (
    FILL,
    FIRM,
    LONG,
    SHORT,
    add_name_for_review,
    made,
    put_letters,
    senders,
)

ADDRESSEE = "Erika Mustermann"
Says = Callable[..., Awaitable[None]]
"""Says "create" or "use" about a name that waits."""


@pytest.fixture
def world(world: World) -> World:
    put_letters(world, FIRM, FIRM, SHORT, SHORT)
    return world


@pytest.fixture
def letters(world: World) -> list[int]:
    return list(world.documents)


@pytest.fixture
async def services(installation: Installation) -> AsyncIterator[Services]:
    """A clerk who fills in the sender, if nothing speaks against it."""
    installation.configure(FILL)
    async with installation.open() as services:
        yield services


async def by_api(services: Services, deed: str, name: str, **more: str) -> None:
    async with build_rig(services).client() as client:
        answer = await client.post(f"{V1}/names/{deed}", json={"name": name, **more})
        assert answer.status_code == 200, answer.text


async def by_page(services: Services, deed: str, name: str, **more: str | list[str]) -> None:
    """Send what the form of the page sends; the page offers the name before and not after."""
    form = {"name": name, "instance": "home", "field": "correspondent", "action": deed, **more}
    async with build_rig(services).client() as client:
        client.headers["accept"] = "text/html"
        offered = f'name="name" value="{name}"'
        assert offered in (await client.get("/names")).text
        answer = await client.post("/names", data=form)
        assert (answer.status_code, answer.headers["location"]) == (303, "/names")
        assert offered not in (await client.get("/names")).text


@pytest.fixture(params=[by_api, by_page])
def says(request: pytest.FixtureRequest) -> Says:
    said: Says = request.param
    return said


async def test_a_name_is_made_once_for_all_letters_that_wait_with_it(
    services: Services, sandbox: Sandbox, letters: list[int], says: Says
) -> None:
    for number in letters[:2]:
        await process(services, number)
    assert (senders(sandbox)[:2], made(sandbox, FIRM)) == ([None, None], 0)

    await says(services, "create", FIRM)
    await drain(services)

    assert (senders(sandbox)[:2], made(sandbox, FIRM)) == ([FIRM, FIRM], 1)
    assert await services.store.changes.list_for_review() == ()


async def test_a_name_means_another_from_then_on_and_the_next_letter_asks_nobody(
    services: Services, sandbox: Sandbox, letters: list[int], says: Says
) -> None:
    await process(services, letters[2])
    assert senders(sandbox)[2] is None

    await says(services, "use", SHORT, existing=LONG)
    await drain(services)
    await process(services, letters[3])

    assert senders(sandbox)[2:] == [LONG, LONG]
    assert made(sandbox, SHORT) == 0
    assert await services.store.changes.list_for_review(document=home(letters[3])) == ()
    [alias] = await services.store.names.list_aliases("home")
    assert (alias.decided_by, alias.meaning.spelling) == ("admin", SHORT)


async def test_near_names_are_offered_and_none_is_chosen(
    services: Services, sandbox: Sandbox, letters: list[int]
) -> None:
    await process(services, letters[2])
    form = {"name": SHORT, "instance": "home", "field": "correspondent", "action": "use"}
    async with build_rig(services).client() as client:
        client.headers["accept"] = "text/html"

        page = await client.get("/names")
        await client.post("/names", data={**form, "existing": ["", ""]})
        refused = await client.get("/names")

    offered = re.findall(r'<input type="radio" name="existing" value="([^"]*)"([^>]*)>', page.text)
    assert offered == [(LONG, " required"), ("", " required")]
    assert "It is unclear which name is meant" in refused.text
    assert await services.store.names.list_aliases("home") == ()


async def test_a_name_that_is_not_offered_can_be_typed(
    services: Services, sandbox: Sandbox, letters: list[int]
) -> None:
    await process(services, letters[2])

    await by_page(services, "use", SHORT, existing=["", LONG])
    await drain(services)

    assert senders(sandbox)[2] == LONG


async def being_written(services: Services, number: int) -> None:
    """Have something written to a document right now."""
    await enqueue_document(services, number, APPLY)
    assert await services.store.jobs.claim(worker="another", now=services.context.clock())


async def decide_on_page(services: Services, deed: str, name: str, **more: str) -> str:
    """Decide about a name, and return the page with the result."""
    form = {"name": name, "instance": "home", "field": "correspondent", "action": deed, **more}
    async with build_rig(services).client() as client:
        client.headers["accept"] = "text/html"
        await client.post("/names", data=form)
        return (await client.get("/names")).text


@pytest.mark.parametrize(
    ("deed", "said"),
    [
        ("create", f"“{FIRM}” will be created."),
        ("use", f"“{FIRM}” is now replaced by “{LONG}”."),
        ("never", f"“{FIRM}” will never be suggested again."),
    ],
)
async def test_a_document_that_is_left_is_reported_with_the_reason(
    services: Services, letters: list[int], deed: str, said: str
) -> None:
    for number in letters[:2]:
        await process(services, number)
    await being_written(services, letters[0])

    page = await decide_on_page(services, deed, FIRM, existing=LONG)

    assert f"{said} 1 skipped: This document is currently being written." in page


async def test_a_name_that_no_document_takes_is_not_said_to_be_created(
    services: Services, letters: list[int]
) -> None:
    await process(services, letters[0])
    await being_written(services, letters[0])

    page = await decide_on_page(services, "create", FIRM)

    assert "1 skipped: This document is currently being written." in page
    assert "will be created" not in page


async def test_a_document_that_waits_on_for_another_reason_is_reported(
    services: Services, world: World
) -> None:
    put_letters(world, ADDRESSEE)
    [number] = world.documents
    await process(services, number)

    page = await decide_on_page(services, "create", ADDRESSEE)

    assert "1 document with this name still needs review for another reason." in page
    assert "will be created" not in page


async def test_what_is_no_word_about_a_name_does_nothing(
    services: Services, letters: list[int]
) -> None:
    await process(services, letters[0])
    form = {"name": FIRM, "instance": "home", "field": "correspondent", "action": "burn"}
    async with build_rig(services).client() as client:
        answer = await client.post("/names", data=form)

    assert answer.status_code == 422
    assert await services.store.names.list_aliases("home") == ()
    assert await services.store.changes.list_for_review() != ()


async def test_the_api_gives_them_page_by_page_the_most_wanted_first(services: Services) -> None:
    await add_name_for_review(services, "Nordlicht/Süd", 1, 2, 3)
    await add_name_for_review(services, "Abendrot", 4)
    await add_name_for_review(services, "Zitrone", 5, 6)
    await add_name_for_review(services, "Morgentau", 7)

    async with build_rig(services).client() as client:
        api = Client(client, build_rig(services))
        first = await api.page("/names", limit=2)
        second = await api.page("/names", limit=1, after=first["next"])
        third = await api.page("/names", limit=2, after=second["next"])
        rest = await api.page("/names", after="home/1/tags/Zz")

    pages = [[item["name"] for item in page["items"]] for page in (first, second, third)]
    assert pages == [["Nordlicht/Süd", "Zitrone"], ["Abendrot"], ["Morgentau"]]
    assert first["items"][0]["documents"] == ["home/1", "home/2", "home/3"]
    assert (third["next"], rest) == (None, {"items": [], "next": None})


@pytest.mark.parametrize("after", ["", "7", "home/0/tags/x", "home/1/title/x", "home/1/tags/"])
async def test_a_place_among_them_that_there_cannot_be_is_refused(
    services: Services, after: str
) -> None:
    async with build_rig(services).client() as client:
        answer = await client.get(f"{V1}/names", params={"after": after})

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid")


async def test_the_page_shows_fifty_at_a_time_and_counts_them_all(services: Services) -> None:
    await add_name_for_review(services, "Sehr Gefragt", *range(100, 105))
    for number in range(1, 52):
        await add_name_for_review(services, f"Firma {number:02}", number)

    async with open_browser(build_rig(services)) as browser:
        first = (await browser.get("/names")).text
        more = html.unescape(one_link(first, "More"))
        second = (await browser.get(more)).text
        nothing_left = (await browser.get("/names?after=home/1/tags/Zz")).text
        rubbish = await browser.get("/names?after=rubbish")

    assert (names_on(first)[0], len(names_on(first))) == ("Sehr Gefragt", 50)
    assert names_on(second) == ["Firma 50", "Firma 51"]
    assert "5 documents" in first
    assert ["52 new names to review" in page for page in (first, second)] == [True, True]
    assert one_link(second, "First page") == "/names"
    assert "More" not in second
    # Who decided about all of a page goes on with the first.
    assert names_on(nothing_left) == names_on(first)
    assert rubbish.status_code == 400


def names_on(page: str) -> list[str]:
    found = re.findall(
        r'name="action" value="create">Create<span class="quiet-words"> ([^<]*)<', page
    )
    return [html.unescape(name) for name in found]


def one_link(page: str, words: str) -> str:
    [found] = re.findall(rf'<a class="button" href="([^"]*)">{words}', page)
    return str(found)


async def test_names_are_listed_while_paperless_is_away(
    services: Services, sandbox: Sandbox, letters: list[int]
) -> None:
    await process(services, letters[0])
    services.instances["home"].catalogue.invalidate()
    sandbox.paperless.faults.add(Fault(path="/api/.*", times=None, effect=Answer(status=503)))

    async with open_browser(build_rig(services)) as browser:
        page = (await browser.get("/names")).text

    assert "Paperless is currently unreachable" in page
    assert f'name="name" value="{FIRM}"' in page
    assert 'href="/names?wait=yes"' in page


async def test_the_names_in_use_are_offered_for_typing(
    services: Services, letters: list[int]
) -> None:
    await process(services, letters[0])

    async with open_browser(build_rig(services)) as browser:
        page = (await browser.get("/names")).text

    assert 'list="names-home-correspondent"' in page
    [offered] = re.findall(r'<datalist id="names-home-correspondent">(.*?)</datalist>', page)
    assert f'<option value="{LONG}"></option>' in offered


async def test_who_decides_on_a_later_page_stays_there(
    services: Services, letters: list[int]
) -> None:
    await process(services, letters[0])
    there = "/names?after=home%2F9%2Fcorrespondent%2FA"
    field = "correspondent"

    async with open_browser(build_rig(services)) as browser:
        page = (await browser.get(there)).text
        word = {"name": FIRM, "instance": "home", "field": field, "action": "never", "back": there}
        answer = await browser.post("/names", data=word)

    assert f'name="back" value="{there}"' in page
    assert answer.headers["location"] == there
