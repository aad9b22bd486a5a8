"""The steps of a job are described in words."""

import re
from collections.abc import Mapping
from datetime import UTC

import httpx
import pytest

from actions.timeline import build_steps
from core.fields import FieldName
from core.holds import target_message
from core.jobs import Event, EventName
from core.messages import Message, message
from daemon.services import Services
from i18n import get_translator
from i18n.labels import Labels
from sandbox import Sandbox
from store.queue.moves import DOCUMENT_GONE
from tests.dashboard.api_client import build_rig
from tests.dashboard.conftest import DashboardRig, open_browser
from tests.dashboard.pages.test_review import write_from_someone_new
from tests.installation import Installation, process
from tests.store.builders import NOON

_DETAILS = re.compile(r"<details>.*?</details>", re.DOTALL)


def _describe_step(language: str, name: EventName, data: Mapping[str, object]) -> str:
    messages = {key: said for key, said in data.items() if isinstance(said, Message)}
    texts = {key: str(said) for key, said in messages.items()}
    event = Event(1, 1, name, NOON, "trace", {**data, **texts}, messages)
    labels = Labels(get_translator(language, zone=UTC, now=NOON))
    [step] = build_steps([event], labels)
    return f"{step.name}: {step.facts}"


@pytest.mark.parametrize(
    ("name", "data", "english", "german"),
    [
        (
            EventName.ENQUEUED,
            {"asked_by": "timer", "kind": "analyze", "priority": 10, "scan": 7},
            "enqueued: scan 7",
            "eingereiht: Suchlauf 7",
        ),
        (
            EventName.CLAIMED,
            {"worker": "vm:1234", "attempts": 2, "claim": 5},
            "started: attempt 2",
            "gestartet: Versuch 2",
        ),
        (
            EventName.RESULT_STORED,
            {"model": "qwen3:8b", "result": 9, "suggestions": 1, "reused_from": 3},
            "result stored: qwen3:8b; 1 suggestion; an earlier response was reused",
            "Ergebnis gespeichert: qwen3:8b; 1 Vorschlag; "
            "eine frühere Antwort wurde wiederverwendet",
        ),
        (
            EventName.CHANGES_RECORDED,
            {"now": 2, "review": 1, "superseded": 0, "leave": ["date"]},
            "changes recorded: 2 to write; 1 for review; 1 skipped",
            "Änderungen vorgemerkt: 2 zu schreiben; 1 zu prüfen; 1 übersprungen",
        ),
        (
            EventName.CHANGES_SETTLED,
            {
                "changes": [
                    {"id": 1, "field": "title", "state": "applied"},
                    {"id": 2, "field": "custom_field:7:Betrag", "state": "overridden"},
                    {"id": 3, "field": "date", "state": "applied"},
                ],
                "applied": 2,
            },
            "changes settled: written: title, date; reset by Paperless: Betrag",
            "Änderungen abgeschlossen: geschrieben: Titel, Datum; "
            "von Paperless zurückgesetzt: Betrag",
        ),
        (
            EventName.RETRIED,
            {
                "attempts": 1,
                "scheduled_for": NOON.isoformat(),
                "code": "paperless_token_refused",
                "message": "could not read: 401",
            },
            "retried: attempt 1; Paperless rejected the API token; next retry: 12:00",
            "wird wiederholt: Versuch 1; Paperless hat das API-Token abgelehnt; "
            "nächster Versuch: 12:00",
        ),
        (
            EventName.RELEASED,
            {
                "why": message(
                    "{target}: {cause}",
                    target=target_message("paperless:home"),
                    cause=message("no answer in time"),
                )
            },
            "returned to the queue: this attempt is not counted; "
            'Paperless "home": no answer in time',
            "in die Warteschlange zurückgestellt: dieser Versuch zählt nicht; "
            "Paperless „home“: keine rechtzeitige Antwort",
        ),
        (
            EventName.RECOVERED,
            {"status": "pending", "worker": "vm:1", "attempts": 1, "code": "crashed"},
            "recovered: attempt 1; its process stopped unexpectedly; pending",
            "wiederhergestellt: Versuch 1; der Prozess wurde unerwartet beendet; wartet",
        ),
        (
            EventName.CANCELLED,
            {"why": DOCUMENT_GONE},
            "cancelled: the document is no longer in Paperless",
            "abgebrochen: das Dokument ist nicht mehr in Paperless",
        ),
        (
            # As an older version wrote it.
            EventName.CANCELLED,
            {"why": "the document is gone from Paperless"},
            "cancelled: the document is gone from Paperless",
            "abgebrochen: the document is gone from Paperless",
        ),
        (
            EventName.CANCELLED,
            {"why": "admin: my dog: sleeps: later"},
            "cancelled: admin: my dog: sleeps: later",
            "abgebrochen: admin: my dog: sleeps: later",
        ),
    ],
)
def test_an_event_is_described_in_words(
    name: EventName, data: Mapping[str, object], english: str, german: str
) -> None:
    assert (_describe_step("en", name, data), _describe_step("de", name, data)) == (english, german)


def _checks_of(page: str, field: str) -> str:
    """Return what the page of a job tells of the checks of one suggestion."""
    section = page[page.index('id="changes"') : page.index('id="calls"')]
    return next(part for part in section.split("<details")[1:] if f">{field}<" in part)


@pytest.mark.parametrize(
    ("language", "field", "said"),
    [
        ("en", "date", ("all 10 checks passed", "the date is plausible")),
        ("de", "Datum", ("alle 10 Prüfregeln erfüllt", "das Datum ist plausibel")),
    ],
)
async def test_checks_that_a_suggestion_passed_are_listed_and_closed(
    services: Services, browser: httpx.AsyncClient, language: str, field: str, said: tuple[str, ...]
) -> None:
    finished = await process(services)

    page = await browser.get(f"/jobs/{finished.job.id}", headers={"accept-language": language})

    checks = _checks_of(page.text, field)
    assert "open" not in checks[: checks.index(">")]
    assert all(words in checks for words in said)


async def test_a_check_that_failed_is_open_to_the_eye_with_its_doubt(
    services: Services, browser: httpx.AsyncClient, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, content="Stromrechnung\nStadtwerke Musterstadt GmbH\n31.12.2099\n")
    finished = await process(services)

    page = (await browser.get(f"/jobs/{finished.job.id}")).text

    checks = _checks_of(page, "date")
    assert "open" in checks[: checks.index(">")]
    assert "9 of 10 checks passed" in checks
    assert "the date is in the future" in checks


async def test_a_new_name_that_passed_its_checks_is_shown_as_new(
    installation: Installation,
) -> None:
    installation.configure('[names]\ncorrespondents = "review"\n')
    write_from_someone_new(installation.sandbox)
    async with installation.open() as services, open_browser(build_rig(services)) as browser:
        finished = await process(services)
        page = (await browser.get(f"/jobs/{finished.job.id}")).text

    assert ">new name<" in _checks_of(page, "correspondent")
    assert ">new name<" not in _checks_of(page, "title")


@pytest.mark.parametrize(
    ("language", "field", "said"),
    [
        (
            "en",
            "correspondent",
            (">skipped<", "the name does not exist, and new names are not allowed"),
        ),
        (
            "de",
            "Korrespondent",
            (">übersprungen<", "der Name existiert nicht, und neue Namen sind nicht erlaubt"),
        ),
    ],
)
async def test_a_suggestion_that_passed_and_was_left_says_why(
    installation: Installation, language: str, field: str, said: tuple[str, ...]
) -> None:
    installation.configure('[names]\ncorrespondents = "never"\n')
    write_from_someone_new(installation.sandbox)
    async with installation.open() as services, open_browser(build_rig(services)) as browser:
        finished = await process(services)
        page = await browser.get(f"/jobs/{finished.job.id}", headers={"accept-language": language})

    checks = _checks_of(page.text, field)
    assert "badge applied" in checks
    assert all(words in checks for words in said)
    assert said[0] not in _checks_of(page.text, "date" if language == "en" else "Datum")


async def test_a_job_whose_checks_were_not_written_down_says_nothing_of_them(
    services: Services, browser: httpx.AsyncClient, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, content="")
    finished = await process(services)

    page = (await browser.get(f"/jobs/{finished.job.id}")).text

    assert 'id="changes"' in page
    assert 'id="checks"' not in page


async def test_the_page_of_a_job_shows_raw_facts_only_in_closed_details(
    services: Services,
    browser: httpx.AsyncClient,
    services_rig: DashboardRig,
    installation: Installation,
) -> None:
    finished = await process(services)

    page = (await browser.get(f"/jobs/{finished.job.id}")).text
    timeline = page[page.index('id="timeline"') :]
    shown = _DETAILS.sub("", timeline)

    assert "attempt 1" in shown
    assert "worker" in timeline
    assert "worker" not in shown
    assert "claim&#34;" not in shown


async def test_the_page_of_a_job_shows_each_suggestion_once(
    services: Services, browser: httpx.AsyncClient
) -> None:
    finished = await process(services)
    [title] = [
        change
        for change in await services.store.changes.list_for_job(finished.job.id)
        if change.field is FieldName.TITLE
    ]

    page = (await browser.get(f"/jobs/{finished.job.id}")).text

    assert page.count(f"<ins>{title.after}</ins>") == 1
    assert page.count("% confident") == 5
