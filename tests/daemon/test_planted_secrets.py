"""A secret is found in its own settings file, in that file's former copy, and nowhere else."""

import asyncio
import json
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx
import pytest

from core.access import WEBHOOK_HEADER
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.paperless import World
from tests.daemon.conftest import Paperclerk
from tests.daemon.programs import PROGRAM, folders_of
from tests.dashboard.pages.test_settings_edit import EDIT, form_of
from tests.installation import COMPLETIONS, Installation
from tests.waiting import LONG, until

KEY = "sk-planted-key-of-the-model"
NOTIFY = "planted-secret-of-a-notification-address"
PASSWORD = "planted password of the dashboard"
DEBUG = f"""
[log]
level = "debug"

[notify]
urls = ["json://someone:{NOTIFY}@127.0.0.1:9/hook"]
"""
COMMANDS = (
    ("check",),
    ("status",),
    ("status", "--json"),
    ("models", "home"),
    ("jobs", "--json"),
    ("job", "1", "--json"),
    ("job", "2", "--json"),
    ("explain", "home/1"),
    ("history", "--json"),
    ("costs", "--json"),
    ("notify", "test"),
    ("token", "list"),
    ("backup",),
)
_LINK = re.compile(r"""(?:href|src)="([^"#]+)""")
_MAX_PAGES = 150


@dataclass
class Outputs:
    """Everything that could be read somewhere, by where it was."""

    texts: dict[str, bytes] = field(default_factory=dict)

    def add(self, where: str, text: str | bytes) -> None:
        self.texts[where] = text if isinstance(text, bytes) else text.encode()

    def holding(self, secret: str) -> list[str]:
        return [where for where, text in self.texts.items() if secret.encode() in text]


@pytest.fixture
def world(world: World) -> World:
    world.users["paperclerk"].permissions |= {"view_workflow", "add_workflow", "change_workflow"}
    return world


@pytest.fixture
def daemon(
    installation: Installation, sandbox: Sandbox, tmp_path: Path
) -> Iterator["subprocess.Popen[bytes]"]:
    """The program with planted secrets, whose model repeats a request once in its error."""
    installation.configure('[scan]\nmin_age = "0s"\n\n[retry]\nmax_attempts = 1\n')
    settings = installation.settings_file.read_text("utf-8")
    installation.settings_file.write_text(settings.replace("[ai]", f'[ai]\napi_key = "{KEY}"', 1))
    (installation.config / "daemon.toml").write_text(DEBUG, "utf-8")
    sandbox.model.state.api_key = KEY
    echo = json.dumps({"error": {"message": f"bad request with Bearer {KEY}"}})
    headers = {"content-type": "application/json"}
    broken = Answer(status=400, body=echo, headers=headers)
    sandbox.model.state.faults.add(Fault(path=COMPLETIONS, effect=broken))
    command = [PROGRAM, *folders_of(installation), "run"]
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT) as process,
    ):
        yield process
        process.kill()


def wait_until(is_true: Callable[[], bool]) -> None:
    asyncio.run(until(is_true))


def read_pages(client: httpx.Client, outputs: Outputs) -> None:
    """Follow every link from the overview, and read what the API lists."""
    described = client.get("/api/v1/openapi.json").json()["paths"]
    waiting = ["/", "/settings/diagnostics.json", "/login", "/health", "/metrics"]
    waiting += [path for path, methods in described.items() if "get" in methods and "{" not in path]
    seen: set[str] = set()
    while waiting and len(seen) < _MAX_PAGES:
        path = waiting.pop(0)
        if path in seen or path.startswith("/api/v1/events/stream"):
            continue
        seen.add(path)
        answer = client.get(path)
        outputs.add(f"GET {path}", answer.content + repr(answer.headers.multi_items()).encode())
        is_page = "html" in answer.headers.get("content-type", "")
        for link in _LINK.findall(answer.text) if is_page else ():
            target = urlsplit(urljoin(str(client.base_url.join(path)), link.replace("&amp;", "&")))
            if target.netloc == client.base_url.netloc.decode() and "/static/" not in target.path:
                waiting.append(target._replace(scheme="", netloc="").geturl())
    assert len(seen) > 40


def edit_settings(client: httpx.Client, outputs: Outputs) -> None:
    """Change a setting on the page, which keeps the former file."""
    form = form_of(client.get(EDIT).text) | {"fields.title": "fill"}
    shown = client.post(EDIT, data=form)
    saved = client.post(EDIT, data=form_of(shown.text) | {"step": "save"})
    outputs.add("edited settings", shown.content + saved.content)


def provoke_errors(client: httpx.Client, outputs: Outputs) -> None:
    """Send requests that are refused."""
    anyone = httpx.Client(base_url=client.base_url, timeout=LONG)
    with anyone:
        wrong = anyone.post("/login", data={"password": PASSWORD + "x"})
        hook = anyone.post("/hooks/paperless/home", headers={WEBHOOK_HEADER: "wrong"}, json={})
        form = client.post("/account/password", data={"current": PASSWORD, "password": "short"})
        missing = client.get(f"/api/v1/jobs/{NOTIFY[:3]}")
    for name, answer in {"login": wrong, "hook": hook, "form": form, "missing": missing}.items():
        assert answer.status_code >= 400
        outputs.add(f"refused {name}", answer.content)


def read_processes(outputs: Outputs) -> None:
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            outputs.add(str(file), file.read_bytes())
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended


def read_files(folder: Path, outputs: Outputs) -> None:
    for file in folder.rglob("*"):
        if file.is_file():
            outputs.add(file.name, file.read_bytes())


def webhook_secret(sandbox: Sandbox) -> str:
    [workflow] = sandbox.world.workflows.values()
    [secret] = re.findall(rf"{WEBHOOK_HEADER}['\"]: ['\"]([^'\"]+)", repr(workflow))
    return str(secret)


def test_a_planted_secret_is_found_in_its_own_file_alone(
    installation: Installation,
    paperclerk: Paperclerk,
    sandbox: Sandbox,
    daemon: "subprocess.Popen[bytes]",
    tmp_path: Path,
) -> None:
    outputs, log = Outputs(), tmp_path / "log"
    wait_until(lambda: b"Choose a password" in log.read_bytes())
    wait_until(lambda: log.read_bytes().count(b'event="job ') >= 3)
    link = httpx.URL(re.findall(r"Choose a password for the dashboard: (\S+)", log.read_text())[0])
    daemon_settings = installation.config / "daemon.toml"
    web = f'\n[web]\ninternal_url = "http://127.0.0.1:{link.port}"\n'
    daemon_settings.write_text(DEBUG + web, "utf-8")

    with httpx.Client(base_url=link.copy_with(path="/", query=None), timeout=LONG) as client:
        form = {"link": link.params["link"], "password": PASSWORD, "again": PASSWORD}
        assert client.post("/welcome", data=form).status_code == 303
        cookies = {cookie.value for cookie in client.cookies.jar}
        token = re.findall(r"pck_\S+", paperclerk("token", "create", "script").out)[0]
        for words in (("webhook", "install", "home"), *COMMANDS):
            said = paperclerk(*words)
            outputs.add(" ".join(words), said.out + said.err)
        facts = str(tmp_path / "diagnostics.json")
        assert paperclerk("diagnostics", "--to", facts).code == 0
        provoke_errors(client, outputs)
        edit_settings(client, outputs)
        read_pages(client, outputs)
    read_processes(outputs)
    read_files(installation.data, outputs)
    read_files(installation.config, outputs)
    outputs.add("log", log.read_bytes())
    outputs.add("diagnostics", Path(facts).read_bytes())

    own_files = {
        sandbox.token: ["home.toml", "home.toml.before"],
        KEY: ["home.toml", "home.toml.before"],
        NOTIFY: ["daemon.toml"],
        PASSWORD: [],
        webhook_secret(sandbox): [],
        token: [],
        **{cookie: [] for cookie in cookies if cookie is not None and len(cookie) > 20},
    }
    assert len(own_files) > 6
    assert {secret: sorted(outputs.holding(secret)) for secret in own_files} == own_files
    assert b'event="job failed"' in outputs.texts["log"]
    assert any(name.endswith(".db") for name in outputs.texts)
