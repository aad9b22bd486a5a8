"""A document arrives in Paperless, whose workflow tells a daemon that never scans."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import httpx
import pytest

from core.access import WEBHOOK_HEADER
from sandbox import Sandbox
from sandbox.paperless import V2, V3, Kind, Release, World
from sandbox.paperless.records import Document
from tests.daemon.conftest import Paperclerk
from tests.daemon.processes import RunningDaemon, a_daemon
from tests.installation import Installation

DONE = "clerk-done"
MIN_AGE = timedelta(seconds=3)
RULES = f'[scan]\nenabled = false\nmin_age = "3s"\nexclude_tags = ["Privat"]\ndone_tag = "{DONE}"\n'
WORKFLOWS = ("view_workflow", "add_workflow", "change_workflow")


@pytest.fixture(params=[V2, V3], ids=lambda release: release.version)
def release(request: pytest.FixtureRequest) -> Release:
    release: Release = request.param
    return release


@pytest.fixture
def world(world: World) -> World:
    world.add_name(Kind.TAG, DONE)
    world.users["paperclerk"].permissions.update(WORKFLOWS)
    return world


@pytest.fixture
def daemon(installation: Installation, paperclerk: Paperclerk) -> Iterator[RunningDaemon]:
    """A daemon without scans, whose webhook the command has installed."""
    installation.configure(RULES, all_fields="fill")
    settings = installation.config / "daemon.toml"
    settings.write_text("[web]\nport = 0\n", "utf-8")
    with a_daemon(installation) as running:
        running.wait_for("event=started")
        port = running.web_address[1]
        settings.write_text(f'[web]\nport = 0\ninternal_url = "http://127.0.0.1:{port}"\n', "utf-8")
        installed = paperclerk("webhook", "install", "home")
        assert installed.code == 0, installed.err
        yield running


def add_letter(sandbox: Sandbox, *tags: str) -> Document:
    """Add a copy of the first letter, as a scanner does; its tags are there when it arrives."""
    world = sandbox.world
    with world.lock:
        letter = world.add_document(world.documents[1].content, "scan_0099.pdf")
        letter.tags = {world.find(Kind.TAG, tag).id for tag in tags}
    return letter


def jobs(paperclerk: Paperclerk) -> list[dict[str, str]]:
    listed = paperclerk("jobs", "--json").json()
    assert isinstance(listed, list)
    return listed


def test_a_document_is_queued_at_once_and_filed_when_it_is_old_enough(
    daemon: RunningDaemon, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    letter = add_letter(sandbox)
    daemon.wait_for("webhook followed")
    [queued] = jobs(paperclerk)
    daemon.wait_for("job completed")
    [job] = jobs(paperclerk)

    due = datetime.fromisoformat(queued["scheduled_for"])
    assert (queued["document"], queued["asked_by"]) == (f"home/{letter.id}", "webhook")
    assert due == letter.added + MIN_AGE
    assert datetime.fromisoformat(job["started_at"]) >= due
    assert sandbox.world.find(Kind.TAG, DONE).id in sandbox.world.documents[letter.id].tags
    assert sandbox.world.webhooks.statuses == [204]
    assert "installed, last received" in paperclerk("check", "home").out


def secret_of(sandbox: Sandbox) -> str:
    [workflow] = sandbox.world.workflows.values()
    [action] = workflow.actions
    webhook = action["webhook"]
    assert isinstance(webhook, dict)
    return str(webhook["headers"][WEBHOOK_HEADER])


@pytest.mark.parametrize("release", [V3], ids=["3"])
def test_a_flood_is_merged_and_a_wrong_secret_names_nothing(
    daemon: RunningDaemon, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    host, port = daemon.web_address
    secret = secret_of(sandbox)
    private = add_letter(sandbox, "Privat")
    url = f"http://{host}:{port}/hooks/paperless/home"

    def post(document: int, secret: str) -> int:
        body = {"doc_url": f"None/documents/{document}/"}
        return httpx.post(url, json=body, headers={WEBHOOK_HEADER: secret}).status_code

    wrong = {post(2, "wrong"), post(2, "")}
    flood = {post(document, secret) for _ in range(20) for document in (1, private.id)}
    daemon.wait_for("job completed")

    assert wrong == {403}
    assert flood == {204}
    assert [job["document"] for job in jobs(paperclerk)] == ["home/1"]
    assert len(sandbox.model.state.chats()) == 1
    assert secret not in daemon.log
