"""A name that a person types and that Paperless does not have: asked about, or refused."""

import re

import httpx
import pytest

from tests.dashboard.api_client import api_of, build_rig
from tests.dashboard.conftest import open_browser
from tests.dashboard.pages.test_review import form_of
from tests.installation import Installation, drain, fields_of, process, writes

LETTER = "/review/home/1"
NAME = "Stadtwerke Neustadt"


def fields_in(page: str) -> dict[str, list[str]]:
    """Return the hidden inputs of the page that asks."""
    form: dict[str, list[str]] = {}
    for name, value in re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', page):
        form.setdefault(name, []).append(value)
    return form


async def type_name(browser: httpx.AsyncClient, field: str = "correspondent") -> httpx.Response:
    form = form_of((await browser.get(LETTER)).text) | {f"value:{field}": [NAME]}
    return await browser.post(f"{LETTER}/accept", data=form)


async def test_the_page_asks_before_it_creates_a_typed_name(installation: Installation) -> None:
    async with installation.open() as services, open_browser(build_rig(services)) as browser:
        await process(services)

        asked = await type_name(browser)
        before = writes(installation.sandbox)
        confirmed = await browser.post(f"{LETTER}/accept", data=fields_in(asked.text))
        await drain(services)

    assert asked.status_code == 409
    assert "Create new names?" in asked.text
    assert f"<b>{NAME}</b>" in asked.text
    assert "Similar names in Paperless: Stadtwerke Musterstadt" in asked.text
    assert before == []
    assert confirmed.status_code == 303
    assert fields_of(installation.sandbox)["correspondent"] == NAME


async def test_the_api_needs_a_confirmation_for_a_typed_name(installation: Installation) -> None:
    body: dict[str, object] = {"values": {"correspondent": NAME}}
    async with installation.open() as services, api_of(services) as api:
        await process(services)

        refused = await api.refused("POST", f"{LETTER}/accept", body)
        await api.post(f"{LETTER}/accept", body | {"create_names": True})
        await drain(services)

    assert refused == (409, "new_names_unconfirmed")
    assert fields_of(installation.sandbox)["correspondent"] == NAME


@pytest.mark.parametrize("field", ["correspondent", "document_type", "tags"])
async def test_where_the_settings_say_never_no_name_is_created(
    installation: Installation, field: str
) -> None:
    never = "".join(f'{kind} = "never"\n' for kind in ("correspondents", "document_types", "tags"))
    installation.configure(f"[names]\n{never}", all_fields="review")
    async with installation.open() as services, open_browser(build_rig(services)) as browser:
        await process(services)

        answer = await type_name(browser, field)
        page = (await browser.get(answer.headers["location"])).text
        body = {"values": {field: NAME}, "create_names": True}
        refused = await browser.post(f"/api/v1{LETTER}/accept", json=body)
        await drain(services)

    assert "the settings do not allow new ones" in page
    assert refused.json()["error"]["code"] == "new_name_not_allowed"
    assert writes(installation.sandbox) == []


async def test_where_names_are_created_nothing_is_asked(installation: Installation) -> None:
    installation.configure('[names]\ncorrespondents = "create"\n', all_fields="review")
    async with installation.open() as services, open_browser(build_rig(services)) as browser:
        await process(services)

        answer = await type_name(browser)

    assert answer.status_code == 303
