"""Editing the settings files on the page."""

import asyncio
import html
import json
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.access import Permission
from core.settings.edit import list_editable
from core.settings.options import OptionKind
from daemon.services import Services
from dashboard.auth import Person
from dashboard.pages.settings_form import CHOICES, LABELS
from sandbox import Sandbox
from tests.dashboard.api_client import ADMIN, build_rig
from tests.dashboard.conftest import DashboardRig, open_browser
from tests.installation import Installation, drain, process, writes
from tests.waiting import LONG

OWNER = Person("owner", Permission.ADMIN, csrf="from-the-page")
EDIT = "/settings/home/edit"
TABLES = """
# What I decided.
[scan]
exclude_tags = ["Private"]  # never

[fields]
title = "review"  # for now
custom_fields = { "Invoice number" = "fill" }
"""


@pytest.fixture
def file(installation: Installation) -> Path:
    installation.configure(TABLES)
    return installation.settings_file


@pytest.fixture
async def owner(file: Path, services_rig: DashboardRig) -> AsyncIterator[httpx.AsyncClient]:
    """A browser of the owner, who has a session."""
    services_rig.authenticator.person = OWNER
    async with open_browser(services_rig) as client:
        yield client


def form_of(page: str) -> dict[str, Any]:
    """Return what a browser would send if a person pressed the button at once."""
    inputs = re.findall(r"<input ([^>]*)>", page)
    fields: dict[str, list[str]] = {}
    for attributes in inputs:
        found = dict(re.findall(r'([a-z]+)="([^"]*)"', attributes))
        if found.get("type") == "checkbox" and "checked" not in attributes:
            continue
        fields.setdefault(found["name"], []).append(html.unescape(found.get("value", "")))
    for name, inside in re.findall(r'<select [^>]*name="([^"]*)"[^>]*>(.*?)</select>', page):
        [chosen] = re.findall(r'value="(\w+)" selected', inside)
        fields.setdefault(name, []).append(chosen)
    for name, text in re.findall(
        r'<textarea [^>]*name="([^"]*)"[^>]*>(.*?)</textarea>', page, re.S
    ):
        fields.setdefault(name, []).append(html.unescape(text))
    return fields


async def edit(browser: httpx.AsyncClient, path: str = EDIT, **edits: str) -> httpx.Response:
    """Open the form, change some values and send it."""
    form = form_of((await browser.get(path)).text)
    changed = {key.replace("__", "."): value for key, value in edits.items()}
    return await browser.post(path, data=form | changed)


async def save(
    browser: httpx.AsyncClient, shown: httpx.Response, path: str = EDIT
) -> httpx.Response:
    return await browser.post(path, data=form_of(shown.text) | {"step": "save"})


def words_of(page: str) -> str:
    return html.unescape(" ".join(re.sub("<[^>]*>", " ", page).split()))


async def test_an_edit_is_shown_as_changed_lines_and_then_saved(
    owner: httpx.AsyncClient, file: Path
) -> None:
    before = file.read_text()

    shown = await edit(owner, fields__title="fill", scan__cron="@daily")

    assert file.read_text() == before
    assert 'title = "review" # for now' in words_of(shown.text)
    assert 'cron = "@daily"' in words_of(shown.text)

    saved = await save(owner, shown)

    assert saved.status_code == 303
    assert 'title = "fill"  # for now\n' in file.read_text()
    assert "# What I decided.\n" in file.read_text()
    assert file.with_name("home.toml.before").read_text() == before


async def test_nothing_changes_if_nothing_was_edited(owner: httpx.AsyncClient, file: Path) -> None:
    shown = await edit(owner)

    assert "Nothing was changed." in shown.text


async def test_an_invalid_value_is_reported_beside_its_field_and_not_saved(
    owner: httpx.AsyncClient, file: Path
) -> None:
    before = file.read_text()

    shown = await edit(owner, scan__cron="every day", fields__title="fill")

    assert shown.status_code == 422
    assert 'id="error-scan-cron"' in shown.text
    assert 'value="every day"' in shown.text
    assert form_of(shown.text)["fields.title"] == ["fill"]
    assert file.read_text() == before


async def test_a_file_changed_meanwhile_is_not_overwritten(
    owner: httpx.AsyncClient, file: Path
) -> None:
    shown = await edit(owner, fields__title="fill")
    file.write_text(file.read_text().replace('["Private"]', '["Private", "Diary"]'))
    other = file.read_text()

    refused = await save(owner, shown)

    assert refused.status_code == 409
    assert file.read_text() == other
    assert "scan.exclude_tags : Private → Private, Diary" in words_of(refused.text)
    assert form_of(refused.text)["fields.title"] == ["fill"]

    shown = await owner.post(EDIT, data=form_of(refused.text))
    await save(owner, shown)

    assert 'title = "fill"' in file.read_text()
    assert '"Diary"' in file.read_text()


async def test_excluded_tags_can_be_added_but_not_removed(
    owner: httpx.AsyncClient, file: Path
) -> None:
    shown = await edit(owner, scan__exclude_tags="Diary\nPrivate")
    assert 'exclude_tags = ["Private", "Diary"]  # never' in html.unescape(shown.text)

    forged = form_of(shown.text)
    edited = json.loads(forged["edited"][0]) | {"scan.exclude_tags": "Diary"}
    refused = await owner.post(EDIT, data=forged | {"edited": json.dumps(edited), "step": "save"})

    assert refused.status_code == 422
    assert "tags can be added here, but not removed" in refused.text
    assert '["Private"]' in file.read_text()


async def test_a_setting_that_is_not_offered_cannot_be_edited(
    owner: httpx.AsyncClient, file: Path
) -> None:
    form = form_of((await owner.get(EDIT)).text)
    forged = {"paperless.url": "http://evil.example", "ai.base_url": "http://evil.example"}
    for sent in ({**form, **forged}, {**form, "edited": json.dumps(forged)}):
        shown = await owner.post(EDIT, data=sent)
        assert "Nothing was changed." in shown.text


async def test_custom_fields_are_added_changed_and_removed_by_name(
    owner: httpx.AsyncClient, file: Path
) -> None:
    form = form_of((await owner.get(EDIT)).text)
    assert form["fields.custom_fields.name"] == ["Invoice number", ""]
    names = {
        "fields.custom_fields.name": ["", "Amount"],
        "fields.custom_fields.value": ["fill", "review"],
    }

    await save(owner, await owner.post(EDIT, data=form | names))

    assert 'custom_fields = { Amount = "review" }\n' in file.read_text()


async def test_a_setting_of_the_environment_is_locked_and_names_its_variable(
    owner: httpx.AsyncClient, services_rig: DashboardRig, file: Path
) -> None:
    environ = {"PAPERCLERK_HOME_FIELDS__TITLE": "off"}
    services_rig.context = replace(services_rig.context, environ=environ)

    async with open_browser(services_rig) as browser:
        page = (await browser.get(EDIT)).text
        forged = form_of(page) | {"fields.title": "replace"}
        shown = await browser.post(EDIT, data=forged)

    assert "PAPERCLERK_HOME_FIELDS__TITLE" in page
    assert 'name="fields.title"' not in page
    assert "Nothing was changed." in shown.text


async def test_quiet_hours_are_edited_in_a_file_that_does_not_exist_yet(
    owner: httpx.AsyncClient, file: Path
) -> None:
    path = "/settings/daemon/edit"

    saved = await save(owner, await edit(owner, path, notify__quiet_hours="22:00-07:00"), path)

    assert saved.status_code == 303
    daemon = file.with_name("daemon.toml")
    assert daemon.read_text() == '[notify]\nquiet_hours = "22:00-07:00"\n'
    assert daemon.stat().st_mode & 0o777 == 0o600


async def test_no_secret_is_in_the_form_the_difference_or_an_error(
    owner: httpx.AsyncClient, installation: Installation, file: Path
) -> None:
    text = file.read_text().replace("title =", "title=").replace("# for now", "# token: TOKEN")
    token = re.findall(r'token = "(.*)"', text)[0]
    file.write_text(text.replace("TOKEN", token))

    pages = [
        (await owner.get(EDIT)).text,
        (shown := await edit(owner, fields__title="fill")).text,
        (await edit(owner, scan__cron="no", ai__model="")).text,
        (await owner.get("/settings")).text,
    ]

    assert "••••••••" in shown.text
    assert not [page for page in pages if token in page]


@pytest.mark.parametrize(
    "person",
    [
        ADMIN,
        replace(OWNER, right=Permission.ACT),
        replace(OWNER, instances=frozenset({"home"})),
    ],
)
async def test_only_an_admin_in_a_browser_edits_settings(
    owner: httpx.AsyncClient, services_rig: DashboardRig, person: Person
) -> None:
    services_rig.authenticator.person = person

    assert (await owner.get(EDIT)).status_code == 403
    assert (await owner.post(EDIT, data={"step": "save"})).status_code == 403
    assert EDIT not in (await owner.get("/settings")).text


async def test_a_broken_file_is_not_edited_but_its_errors_are_listed(
    owner: httpx.AsyncClient, file: Path
) -> None:
    file.write_text(file.read_text() + "[limits]\ndocuments_per_day = -1\n")

    page = await owner.get(EDIT)

    assert page.status_code == 409
    assert "limits.documents_per_day" in page.text


async def test_a_file_that_does_not_belong_to_an_instance_is_not_found(
    owner: httpx.AsyncClient,
) -> None:
    assert (await owner.get("/settings/attic/edit")).status_code == 404


async def test_a_form_without_its_former_values_is_refused(owner: httpx.AsyncClient) -> None:
    assert (await owner.post(EDIT, data={"fields.title": "fill"})).status_code == 400


async def run_jobs(services: Services, answered: "asyncio.Task[httpx.Response]") -> httpx.Response:
    """Process jobs until the page has answered."""
    async with asyncio.timeout(LONG):
        while not answered.done():
            await drain(services)
            await asyncio.sleep(0.01)
    return await answered


async def test_edited_instructions_are_tried_on_a_document_and_nothing_is_written(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure()
    before = installation.settings_file.read_text()
    async with installation.open() as services, open_browser(rig := build_rig(services)) as browser:
        rig.authenticator.person = OWNER
        await process(services, 1)
        written = writes(sandbox)
        form = form_of((await browser.get(EDIT)).text)
        tried = {"ai.instructions": "Answer in verse.", "scan.cron": "@daily", "step": "try"}
        answer = asyncio.create_task(browser.post(EDIT, data=form | tried))
        shown = await run_jobs(services, answer)

    assert form["document"] == ["1"]
    assert "Stored result" in shown.text
    first, second = (str(chat.messages) for chat in sandbox.model.state.chats())
    assert "Answer in verse." in second
    assert "Answer in verse." not in first
    assert form_of(shown.text)["scan.cron"] == ["@daily"]
    assert installation.settings_file.read_text() == before
    assert writes(sandbox) == written


@pytest.mark.parametrize("number", ["", "0", "x", "99999"])
async def test_a_document_that_does_not_exist_is_not_tried(
    owner: httpx.AsyncClient, sandbox: Sandbox, number: str
) -> None:
    shown = await edit(owner, document=number, step="try", fields__title="fill")

    assert shown.status_code == 422
    assert form_of(shown.text)["fields.title"] == ["fill"]
    assert not sandbox.model.state.chats()


async def test_a_costly_trial_must_be_confirmed(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure("[limits]\nprice_in = 500\nprice_out = 500\nconsent_above = 0.01\n")
    async with installation.open() as services, open_browser(rig := build_rig(services)) as browser:
        rig.authenticator.person = OWNER
        tried = {"ai__instructions": "Be brief.", "document": "1", "step": "try"}
        question = await edit(browser, **tried)
        asked = len(sandbox.model.state.chats())
        confirmed = browser.post(EDIT, data=form_of(question.text))
        shown = await run_jobs(services, asyncio.create_task(confirmed))

    assert (question.status_code, asked) == (409, 0)
    assert "limits.consent_above" in question.text
    assert "There is no stored result for this document yet." in shown.text
    assert form_of(shown.text)["ai.instructions"] == ["Be brief."]


@pytest.mark.parametrize("stem", ["home", "daemon"])
def test_every_setting_that_can_be_edited_has_a_label_and_words_for_its_choices(stem: str) -> None:
    editable = list_editable(stem)

    assert {option.path for option in editable} <= LABELS.keys()
    assert {choice.value for option in editable for choice in option.choices} <= CHOICES.keys()


def test_no_editable_setting_is_an_address_a_file_or_a_secret() -> None:
    editable = [*list_editable("home"), *list_editable("daemon")]

    assert not [option.path for option in editable if option.holds_secrets]
    assert not [option.path for option in editable if option.kind is OptionKind.FILE]
    assert not [option.path for option in editable if option.path[-1].endswith("url")]
