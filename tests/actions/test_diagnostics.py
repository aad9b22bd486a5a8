"""A file for bug reports: what is wrong is in it, and nothing of documents, persons or hosts."""

import json
from collections.abc import AsyncIterator
from functools import partial

import pytest

from actions.diagnostics import DiagnosticsSource, Mask, build_diagnostics
from core.holds import PAUSE_ALL, limit_target, model_target, paperless_target, pause_target
from core.messages import message, plain
from daemon.check import check_reachability
from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Fault
from scanner.scan import ScanOrder
from tests.browser.sample_data import RUBBISH
from tests.builders import because
from tests.installation import COMPLETIONS, Installation, drain

PRIVATE = {
    "a-secret-key": 'api_key = "a-secret-key"',
    "Erika": 'instructions = "My sister is called Erika"',
    "daughter": 'type_instructions = { "Brief" = "Letters of my daughter" }',
    "Mustermann": 'owner_names = ["Max Mustermann"]',
    "Betrag": '[fields]\ncustom_fields = { "Betrag" = "review" }',
    "Privat": '[scan]\nexclude_tags = ["Privat"]\nenabled = false',
    "Inbox": 'remove_tags = ["Inbox"]',
    "Steuer": '[titles]\npattern = "Steuer {type}"',
    "lawyer": '[names]\ndescriptions = { "Privat" = "Letters of my lawyer" }',
}
"""What must not be in the file, and the setting that has it."""
HOSTS = ("mustermann", "10.1.2.3", "push.example")
DAEMON = """
[web]
public_url = "https://nas.mustermann.example/clerk"
internal_url = "http://clerk.mustermann.example:8484"
trusted_proxies = ["10.1.2.3"]

[notify]
urls = ["ntfy://push.example/mustermanns-topic"]
"""


@pytest.fixture
async def services(installation: Installation) -> AsyncIterator[Services]:
    installation.configure("\n".join([*PRIVATE.values(), "[retry]", "max_attempts = 1"]))
    text = installation.settings_file.read_text()
    public = 'public_url = "https://paperless.mustermann.example"'
    installation.settings_file.write_text(text.replace("[ai]", f"{public}\n[ai]", 1))
    (installation.config / "daemon.toml").write_text(DAEMON)
    installation.settings_file.rename(installation.config / "mustermanns-attic.toml")
    async with installation.open() as services:
        yield services


async def read(services: Services) -> tuple[str, dict[str, object]]:
    context = services.context
    text = await build_diagnostics(
        DiagnosticsSource(
            context.settings,
            context.store,
            context.clock(),
            context.zone,
            "1.2.3",
            partial(check_reachability, services),
        )
    )
    return text, json.loads(text)


@pytest.fixture
async def worked(services: Services, sandbox: Sandbox) -> Services:
    """A failed document, one for review, a failed scan, and every kind of hold."""
    name, now = "mustermanns-attic", services.context.clock()
    scanner = services.scanners[name]
    sandbox.model.state.faults.add(Fault(path=COMPLETIONS, times=None, effect=RUBBISH))
    await scanner.scan(ScanOrder(limit=1))
    await drain(services)
    sandbox.model.state.faults.clear()
    await scanner.scan(ScanOrder())
    await drain(services)
    for target in (
        *(paperless_target(name), limit_target(name), pause_target(name), PAUSE_ALL),
        model_target("http://nas.mustermann.example:11434/v1#key"),
    ):
        cause = because("the letter of my sister Erika")
        await services.store.holds.place(target, cause, next_probe_at=None, now=now)
    return services


async def test_nothing_private_is_in_it(worked: Services, sandbox: Sandbox) -> None:
    text, _ = await read(worked)

    changes = await worked.store.changes.list_for_review()
    values = {str(change.after) for change in changes} | {change.evidence for change in changes}
    titles = {document.title for document in sandbox.world.documents.values()}
    names = set(sandbox.world.users)
    planted = {*PRIVATE, *HOSTS, *values, *titles, *names, sandbox.token} - {"paperclerk", ""}
    assert changes
    assert sorted(word for word in planted if word in text) == []


async def test_versions_settings_and_checks_are_in_it(worked: Services, sandbox: Sandbox) -> None:
    _, facts = await read(worked)

    assert facts["paperclerk"] == "1.2.3"
    assert str(facts["database"]).startswith("SQLite 3.")
    settings = facts["settings"]
    assert isinstance(settings, dict)
    instance, daemon = settings["instance-1.toml"], settings["daemon.toml"]
    assert instance["ai.model"] == {"value": "sandbox-model", "from": "file"}
    assert instance["ai.base_url"]["value"] == sandbox.model.base_url
    assert instance["paperless.public_url"]["value"] == "https://host-1"
    assert instance["paperless.timeout"] == {"value": "30s", "from": "default"}
    assert instance["ai.api_key"] == {"value": "…", "from": "file"}
    assert instance["fields.title"]["value"] == "review"
    assert instance["fields.custom_fields"]["value"] == "entries: 1"
    assert daemon["web.public_url"]["value"] == "https://host-2/…"
    assert "failed" in daemon["notify.about"]["value"]
    checks = facts["checks"]
    assert isinstance(checks, dict)
    found = {check["name"]: check for check in checks["instance-1"]}
    assert found["Paperless"]["ok"]
    assert f"{sandbox.url}, version " in found["Paperless"]["summary"]
    assert found["Permissions"]["summary"] == 'user "…" has the required permissions'
    assert found["Model"]["summary"] == f"sandbox-model at {sandbox.model.base_url}"


async def test_queue_errors_and_holds_are_in_it_by_code_and_wording(worked: Services) -> None:
    _, facts = await read(worked)

    assert facts["jobs"] == {
        "instance-1": {"pending": 0, "processing": 0, "completed": 2, "failed": 1, "cancelled": 0}
    }
    assert facts["documents_for_review"] == {"instance-1": 2}
    failed, scans, holds = facts["failed_jobs"], facts["scans"], facts["holds"]
    assert isinstance(failed, list)
    assert isinstance(scans, list)
    assert isinstance(holds, list)
    assert [(job["code"], job["attempts"]) for job in failed] == [("answer_unusable", 1)]
    assert [(scan["enqueued"], scan["code"]) for scan in scans] == [(2, None), (1, None)]
    assert {(hold["kind"], hold["of"], hold["cause"]) for hold in holds} == {
        ("paperless", "instance-1", "…"),
        ("limit", "instance-1", "…"),
        ("pause", "instance-1", "…"),
        ("pause", "*", "…"),
        ("model", "http://host-2:11434/v1", "…"),
    }


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://paperless:8000", "http://host-1:8000"),
        ("https://user:password@cloud.example/v1", "https://host-1/v1"),
        ("https://cloud.example/accounts/anna/v1", "https://host-1/…"),
        ("http://localhost:11434/v1", "http://localhost:11434/v1"),
        ("http://[::1]:8000", "http://::1:8000"),
        ("192.168.1.7", "host-1"),
        ("", ""),
    ],
)
def test_of_an_address_only_scheme_port_and_usual_path_are_shown(address: str, shown: str) -> None:
    assert Mask().address(address) == shown


def test_of_a_message_only_wording_and_numbers_are_shown() -> None:
    said = message("{what} of {document}: {n} pages", what=plain("Erika"), document="home/7", n=3)

    assert Mask().message(said) == "… of …: 3 pages"
