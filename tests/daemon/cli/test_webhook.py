"""`webhook install` and what `check` says of it, as they are typed."""

import asyncio
import re
from pathlib import Path

import pytest

from core.access import WEBHOOK_HEADER, hash_secret
from sandbox import Sandbox
from sandbox.paperless import Kind, World
from tests.daemon.conftest import Paperclerk
from tests.installation import Installation

URL = "http://paperclerk:8484"
HOOK = f"{URL}/clerk/hooks/paperless/home"


@pytest.fixture
def world(world: World) -> World:
    world.users["paperclerk"].permissions.update(
        {"view_workflow", "add_workflow", "change_workflow"}
    )
    return world


@pytest.fixture(autouse=True)
def addressed(installation: Installation) -> None:
    settings = f'[web]\nbase_path = "/clerk"\ninternal_url = "{URL}"\n'
    (installation.config / "daemon.toml").write_text(settings, "utf-8")


def webhook(sandbox: Sandbox) -> dict[str, object]:
    [workflow] = sandbox.world.workflows.values()
    [action] = workflow.actions
    assert isinstance(action["webhook"], dict)
    return action["webhook"]


def secret(sandbox: Sandbox) -> str:
    headers = webhook(sandbox)["headers"]
    assert isinstance(headers, dict)
    assert list(headers) == [WEBHOOK_HEADER]
    return str(headers[WEBHOOK_HEADER])


def stored_hash(installation: Installation) -> str:
    async def read() -> str:
        async with installation.open() as services:
            stored = await services.store.webhooks.get("home")
        assert stored is not None
        return stored.secret_hash

    return asyncio.run(read())


def test_the_workflow_is_created_once_and_each_installation_changes_the_secret(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    first = paperclerk("webhook", "install", "home")
    before = secret(sandbox)
    sandbox.world.workflows[1].enabled = False
    again = paperclerk("webhook", "install", "home")

    assert (first.code, again.code) == (0, 0), first.err + again.err
    assert first.out.splitlines()[0] == f'home: the workflow "Paperclerk (home)" sends to {HOOK}'
    assert before not in first.out + first.err
    [workflow] = sandbox.world.workflows.values()
    assert (workflow.name, workflow.enabled) == ("Paperclerk (home)", True)
    assert [trigger["type"] for trigger in workflow.triggers] == [2]
    sent = webhook(sandbox)
    assert (sent["url"], sent["as_json"], sent["include_document"]) == (HOOK, True, False)
    # In this order: Paperless 2 drops what follows the placeholder that it does not know.
    assert list(dict(sent["params"]).values()) == ["{{doc_url}}", "{{doc_id}}"]  # type: ignore[call-overload]
    assert secret(sandbox) != before
    assert stored_hash(installation) == hash_secret(secret(sandbox))


def test_with_required_tags_updates_without_the_done_tag_fire_too(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    inbox, done = (sandbox.world.find(Kind.TAG, name).id for name in ("Inbox", "Software"))
    installation.configure('[scan]\ninclude_tags = ["Inbox"]\ndone_tag = "Software"\n')

    assert paperclerk("webhook", "install", "home").code == 0

    added, updated = sandbox.world.workflows[1].triggers
    assert (added["type"], added["filter_has_not_tags"]) == (2, [])
    assert (updated["type"], updated["filter_has_all_tags"]) == (3, [inbox])
    assert updated["filter_has_not_tags"] == [done]


def test_without_the_permission_it_prints_what_to_enter_and_accepts_that_secret(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    sandbox.world.users["paperclerk"].permissions -= {"add_workflow"}
    installation.configure('[scan]\ninclude_tags = ["Inbox"]\ndone_tag = "Software"\n')

    printed = paperclerk("webhook", "install", "home")

    assert printed.code == 1
    assert "add_workflow" in printed.out
    assert "Document Updated, has all tags #" in printed.out
    for text in ("Paperclerk (home)", HOOK, "{{doc_url}}", "{{doc_id}}", WEBHOOK_HEADER):
        assert text in printed.out
    [shown] = re.findall(r"pcw_\S+", printed.out)
    assert stored_hash(installation) == hash_secret(shown)
    assert sandbox.world.workflows == {}


def test_without_an_internal_address_nothing_is_installed(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    Path(installation.config / "daemon.toml").unlink()

    refused = paperclerk("webhook", "install", "home")

    assert refused.code == 2
    assert "Set web.internal_url in daemon.toml" in refused.err
    assert sandbox.world.workflows == {}


def test_check_says_whether_the_webhook_exists_and_when_it_was_last_received(
    paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    def line() -> str:
        checked = paperclerk("check", "home").out.splitlines()
        [number] = [number for number, text in enumerate(checked) if "home: Webhook" in text]
        return " ".join(checked[number].split() + checked[number + 1].split())

    assert "not installed; new documents are found by scans" in line()
    paperclerk("webhook", "install", "home")
    assert "ok home: Webhook installed, not received yet" in line()
    sandbox.world.workflows[1].enabled = False
    assert "WARN home: Webhook Paperless has no workflow that sends it" in line()
    assert "Run `paperclerk webhook install home`." in line()
    sandbox.world.users["paperclerk"].permissions.remove("view_workflow")
    assert "ok home: Webhook installed, not received yet; its workflow cannot be read" in line()


def test_check_says_that_a_webhook_with_an_unknown_secret_is_refused(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    paperclerk("webhook", "install", "home")
    # As after the restore of a backup that is older than the webhook.
    database = installation.data / "paperclerk.db"
    database.unlink()
    for rest in ("-wal", "-shm"):
        database.with_name(f"{database.name}{rest}").unlink(missing_ok=True)

    checked = paperclerk("check", "home").out

    assert "Paperless sends it, but its secret is not known here: it is refused" in checked
    assert "Run `paperclerk webhook install home`." in checked
