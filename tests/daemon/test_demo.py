"""The demo: filed and ended for scripts, a daemon with moving documents for people."""

import json
import re
import signal
import socket
from contextlib import closing
from datetime import timedelta

import httpx
import pytest

from core.jobs import UNDO
from core.settings import DaemonSettings, Settings, WebSettings
from daemon.cli.demo import find_language
from daemon.demo import Progress, deliver, describe_outcome, find_letters, with_free_port
from daemon.run import Daemon
from sandbox.model.text import is_readable, language_of
from sandbox.paperless import Archive, PendingDocuments, load_world
from tests.daemon.conftest import Program
from tests.daemon.first_login import open_first_session, until_link
from tests.installation import Installation, drain_one, enqueue_document, process
from tests.waiting import LONG


def wait_for(browser: httpx.Client, *events: str) -> None:
    """Listen to the dashboard's stream until each of these has happened."""
    missing = set(events)
    with browser.stream("GET", "/api/v1/events/stream", timeout=LONG) as stream:
        for line in stream.iter_lines():
            if line.startswith("data: "):
                missing -= {json.loads(line.removeprefix("data: ")).get("name")}
            if not missing:
                return
    raise AssertionError(f"not sent: {missing}")


def count(browser: httpx.Client, status: str) -> int:
    return len(browser.get("/api/v1/jobs", params={"status": status}).json()["items"])


@pytest.mark.parametrize(
    ("chosen", "suggestion"),
    [
        ({"DEMO_LANG": "en", "LANG": "de_DE.UTF-8"}, "Invoice number - -> FE-2026-118840"),
        ({"LC_ALL": "de_DE.UTF-8"}, "Rechnungsnummer - -> SW-2026-1010447"),
    ],
)
def test_the_demo_files_an_archive_in_the_language_of_its_owner_and_ends(
    program: Program, monkeypatch: pytest.MonkeyPatch, chosen: dict[str, str], suggestion: str
) -> None:
    for name, value in chosen.items():
        monkeypatch.setenv(name, value)
    process = program("demo", "--exit")
    out, err = process.communicate(timeout=2 * LONG)

    assert (process.returncode, err) == (0, "")
    assert f"    {suggestion}  [for review]" in out
    scan, totals = out.splitlines()[-2:]
    counted = re.fullmatch(
        r"(\d+) documents processed, \d+ fields written, (\d+) documents for review, 0 failed\.",
        totals,
    )
    assert counted is not None
    done = int(counted[1]) - int(counted[2])
    assert scan.startswith(f"demo: {done} done, {counted[2]} documents for review ")
    assert int(counted[2]) >= 20


def test_the_demo_invites_to_a_dashboard_on_which_documents_move(program: Program) -> None:
    process = program("demo", "--language", "en")

    said, link = until_link(process)
    with open_first_session(link) as browser:
        wait_for(browser, "claimed", "progressed", "completed")
        done, waiting = count(browser, "completed"), count(browser, "pending")
        health = browser.get("/health").json()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=LONG)

    assert f"Dashboard: http://127.0.0.1:{link.port}." in said
    assert "Ctrl-C ends the demo" in said
    assert (done > 0, waiting > 0, health["status"]) == (True, True, "ok")
    lines = out.splitlines()
    assert lines[0] == (
        "demo/28  Quotation Evergreen Heating November 2026  [3 written, 3 for review]"
    )
    assert re.fullmatch(rf"{len(lines) - 1} documents? processed, .* 0 failed\.", lines[-1])
    assert (process.returncode, err) == (0, "")


@pytest.mark.parametrize("has_password", [False, True])
async def test_the_link_is_printed_again_when_the_queue_is_empty(
    installation: Installation, capsys: pytest.CaptureFixture[str], *, has_password: bool
) -> None:
    async with installation.open() as services:
        daemon = Daemon(services)
        daemon.password_link = "http://127.0.0.1:1/welcome?link=secret"
        if has_password:
            await services.store.access.set_password("hash", now=services.context.clock())
        await process(services, 1)

        await Progress(services, daemon).print_news()

    said = capsys.readouterr().out.splitlines()
    totals = "1 document processed, 0 fields written, 1 document for review, 0 failed"
    invitation = f"Choose a password for the dashboard: {daemon.password_link}"
    assert said[1] == f"The queue is empty: {totals}."
    assert said[2].startswith("Review them: http://") if has_password else said[2] == invitation


@pytest.mark.parametrize("archive", Archive)
def test_each_archive_is_in_one_language(archive: Archive) -> None:
    texts = [document.content for document in load_world(archive.folder).documents.values()]

    languages = {language_of(text).value for text in texts if is_readable(text)}

    assert len(texts) > 20
    assert languages == {archive.value}


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LC_MESSAGES": "de", "LANG": "en_GB"}, "de"),
        ({"LC_ALL": "C.UTF-8", "LC_MESSAGES": "de", "LANG": "de"}, "en"),
        ({"LC_ALL": "", "LANG": "fr_FR"}, "en"),
    ],
)
def test_the_language_is_that_of_the_terminal(environ: dict[str, str], language: str) -> None:
    assert find_language(environ) == language


@pytest.mark.parametrize("archive", Archive)
async def test_letters_arrive_one_by_one(
    capsys: pytest.CaptureFixture[str], archive: Archive
) -> None:
    world = load_world(archive.folder)
    documents = len(world.documents)
    post = PendingDocuments(world, find_letters(world))
    held_back = documents - len(world.documents)

    await deliver(post, every=timedelta(0))

    said = capsys.readouterr().out.splitlines()
    assert (held_back, len(world.documents)) == (4, documents)
    assert len(said) == 4
    assert all(re.fullmatch(r"A letter has arrived in Paperless: .+\.pdf", line) for line in said)


async def test_what_became_of_a_job_is_said_in_a_few_words(installation: Installation) -> None:
    installation.configure(all_fields="fill")
    async with installation.open() as services:
        filed = (await process(services, 1)).job
        written = await services.store.changes.list_for_job(filed.id)
        said = await describe_outcome(services.store, filed.id)
        await enqueue_document(services, 1, UNDO, changes=[change.id for change in written])
        back = (await drain_one(services)).job

        assert said == f"{len(written)} written"
        assert await describe_outcome(services.store, back.id) == f"{len(written)} undone"


async def test_a_job_that_changes_nothing_is_said_to(installation: Installation) -> None:
    async with installation.open() as services:
        job = await enqueue_document(services, 1)

        assert await describe_outcome(services.store, job.id) == "nothing to write"


@pytest.mark.parametrize("is_taken", [True, False])
def test_the_demo_takes_another_port_only_if_its_own_is_taken(*, is_taken: bool) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        wanted = taken.getsockname()[1]
        settings = Settings(instances={}, daemon=DaemonSettings(web=WebSettings(port=wanted)))
        if not is_taken:
            taken.close()

        port = with_free_port(settings).daemon.web.port

    assert port
    assert (port != wanted) is is_taken
