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
from daemon.demo import LETTERS, deliver, describe_outcome, with_free_port
from sandbox.paperless import PendingDocuments, load_world
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


def test_the_demo_files_thirty_documents_and_ends(program: Program) -> None:
    process = program("demo", "--exit")
    out, err = process.communicate(timeout=2 * LONG)

    assert process.returncode == 0, err
    filed = re.search(r"(\d+) documents filed, (\d+) for review, 0 failed", out)
    assert filed is not None
    assert int(filed[1]) >= 30
    assert err == ""


def test_the_demo_invites_to_a_dashboard_on_which_documents_move(program: Program) -> None:
    process = program("demo")

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
    assert re.search(
        r"^demo/40  Quotation Evergreen Heating November 2026  \[5 written\]$", out, re.M
    )
    last = out.splitlines()[-1]
    summary = r"\d+ documents? filed, \d+ for review, 0 failed(, \d+ without changes)?"
    assert re.fullmatch(summary, last)
    assert (process.returncode, err) == (0, "")


async def test_letters_arrive_one_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    world = load_world()
    post = PendingDocuments(world, LETTERS[:2])
    held_back = len(world.documents)

    await deliver(post, every=timedelta(0))

    assert (held_back, len(world.documents)) == (38, 40)
    assert capsys.readouterr().out.splitlines() == [
        "A letter has arrived in Paperless: scan_0049.pdf",
        "A letter has arrived in Paperless: Letter Year 5.pdf",
    ]


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
