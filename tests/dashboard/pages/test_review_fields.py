"""Every field of a document in review, with or without a suggestion."""

import html
import re

import httpx
import pytest

from core.access import Permission
from daemon.services import Services
from dashboard.auth import Person
from sandbox import Sandbox
from sandbox.faults import Fault, Hang
from tests.dashboard.api_client import build_rig
from tests.dashboard.conftest import DashboardRig, open_browser
from tests.dashboard.pages.test_review import form_of
from tests.installation import Installation, drain, fields_of, home, process

LETTER = "/review/home/1"
FIELDS = ["title", "correspondent", "document_type", "tags", "date"]


def whole_form(page: str) -> dict[str, list[str]]:
    """Return what a browser would send of the form, with the values that the page showed."""
    shown = re.findall(r'name="((?:now:[^"]+)|shown)" value="([^"]*)"', page)
    return form_of(page) | {name: [html.unescape(value)] for name, value in shown}


async def _decide_title_alone(browser: httpx.AsyncClient) -> None:
    """Leave one field for review: the others have been decided."""
    for field in FIELDS[1:]:
        form = form_of((await browser.get(LETTER)).text)
        await browser.post(f"{LETTER}/reject", data={**form, "only": [field]})


@pytest.fixture
async def browser(browser: httpx.AsyncClient, services: Services) -> httpx.AsyncClient:
    """A browser at a document of which only the title is for review."""
    await process(services)
    await _decide_title_alone(browser)
    await drain(services)
    return browser


async def test_every_field_is_shown_and_those_without_a_suggestion_have_their_value(
    browser: httpx.AsyncClient, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, correspondent="Musterbank")

    page = (await browser.get(LETTER)).text

    assert re.findall(r'id="field-(\w+)"', page) == FIELDS
    assert re.findall(r'name="take" value="(\w+)"', page) == ["title"]
    assert form_of(page)["value:correspondent"] == ["Musterbank"]


async def test_a_value_that_is_typed_into_a_field_without_a_suggestion_is_written(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    form = whole_form((await browser.get(LETTER)).text)
    form |= {"value:correspondent": ["Musterbank"], "value:tags": ["Bank, Steuern"]}

    await browser.post(f"{LETTER}/accept", data=form)
    said = (await browser.get("/review")).text
    await drain(services)

    after = fields_of(sandbox)
    tags = {sandbox.world.tags[tag].name for tag in sandbox.world.documents[1].tags}
    assert after["correspondent"] == "Musterbank"
    assert {"Bank", "Steuern"} <= tags
    assert "home/1: 4 accepted." in said


async def test_a_field_that_is_left_as_it_was_is_not_written(
    browser: httpx.AsyncClient, services: Services
) -> None:
    form = whole_form((await browser.get(LETTER)).text)

    await browser.post(f"{LETTER}/accept", data=form)

    assert "home/1: 1 accepted." in (await browser.get("/review")).text


async def test_an_own_value_is_refused_if_paperless_has_another_than_was_shown(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    form = whole_form((await browser.get(LETTER)).text)
    sandbox.world.edit(1, correspondent="Northgate Bank")

    await browser.post(f"{LETTER}/accept", data={**form, "value:correspondent": ["Musterbank"]})
    page = (await browser.get(LETTER)).text
    await drain(services)

    assert "This document has changed since the page was loaded." in page
    assert fields_of(sandbox)["correspondent"] == "Northgate Bank"
    assert await services.store.changes.list_for_review(document=home(1)) != ()


async def test_the_page_says_that_the_text_has_changed_since_the_analysis(
    browser: httpx.AsyncClient, sandbox: Sandbox
) -> None:
    before = (await browser.get(LETTER)).text
    sandbox.world.edit(1, content=sandbox.world.documents[1].content + " Nachtrag")
    after = (await browser.get(LETTER)).text

    said = "The text has changed since the analysis."
    assert (said in before, said in after) == (False, True)


async def test_who_may_only_read_sees_neither_text_nor_file(
    browser: httpx.AsyncClient, services_rig: DashboardRig
) -> None:
    services_rig.authenticator.person = Person("guest", Permission.READ)

    page = await browser.get(LETTER)

    assert page.status_code == 200
    assert "<iframe" not in page.text
    assert "Kundennummer" not in page.text


async def test_nothing_is_shown_of_a_document_that_was_excluded_since(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure('[scan]\nexclude_tags = ["Privat"]\n', all_fields="review")
    async with installation.open() as services, open_browser(build_rig(services)) as client:
        await process(services)
        sandbox.world.edit(1, tags=["Privat"])

        page = (await client.get(LETTER)).text
        text = (await client.get(f"{LETTER}/text")).text

    for shown in (page, text):
        assert "This document has an excluded tag." in shown
        assert "Kundennummer" not in shown


async def test_a_paperless_that_does_not_answer_keeps_nobody_from_the_page(
    browser: httpx.AsyncClient, sandbox: Sandbox
) -> None:
    sandbox.paperless.faults.add(
        Fault(path="/api/documents/.*", times=None, effect=Hang(seconds=600))
    )

    page = await browser.get(LETTER)
    sandbox.paperless.faults.clear()
    sandbox.paperless.faults.release()

    assert page.status_code == 200
    assert "Paperless is slow to respond." in page.text
    assert form_of(page.text)["take"] == ["title"]


async def test_the_value_of_a_person_has_neither_evidence_nor_confidence(
    browser: httpx.AsyncClient,
) -> None:
    suggested = (await browser.get(LETTER)).text
    own = (await browser.get(f"{LETTER}?value:title=My%20choice")).text

    hidden = '<div class="of-suggestion" hidden>'
    assert hidden not in suggested
    assert own.count(hidden) == 1
    assert '<p class="own-value"><span class="badge edited">your value</span>' in own
