"""The way in at the first start: a link that is printed, and not logged."""

import re
import signal
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from subprocess import Popen

import httpx
import pytest

from core.settings import DaemonSettings, Settings, WebSettings
from daemon.commands.demo import with_free_port
from daemon.memory import Memory
from daemon.web import invitation
from store import Store
from tests.daemon.conftest import Program

PASSWORD = {"password": "correct horse battery", "again": "correct horse battery"}


def link_of(process: "Popen[str]") -> httpx.URL:
    """Read what is printed until the link comes."""
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"Choose a password for the dashboard: (\S+)", line):
            return httpx.URL(found[1])
    raise AssertionError(process.communicate())


@contextmanager
def come_in(link: httpx.URL) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=link.copy_with(path="/", query=None)) as client:
        assert client.get(link).status_code == 200
        answer = client.post("/welcome", data={"link": link.params["link"], **PASSWORD})
        assert answer.status_code == 303
        yield client


def test_the_first_start_prints_a_link_that_lets_one_in(program: Program) -> None:
    process = program("run")

    link = link_of(process)
    with come_in(link) as browser:
        entered = browser.get("/api/v1/openapi.json")
    process.send_signal(signal.SIGTERM)
    _, log = process.communicate(timeout=60)

    assert entered.status_code == 200
    assert 'event="no password set"' in log
    assert link.params["link"] not in log


def test_the_demo_stays_with_its_dashboard_until_it_is_told_to_end(program: Program) -> None:
    process = program("demo")

    with come_in(link_of(process)) as browser:
        health = browser.get("/health").json()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)

    assert health["status"] == "ok"
    assert re.fullmatch(r"\d+ documents filed, \d+ for review, 0 failed", out.splitlines()[-1])
    assert (process.returncode, err) == (0, "")


def test_the_demo_takes_another_port_if_its_own_is_taken() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        web = WebSettings(port=taken.getsockname()[1])
        settings = Settings(instances={}, daemon=DaemonSettings(web=web))

        moved = with_free_port(settings)

    assert moved.daemon.web.port == 0
    assert with_free_port(settings) == settings


@pytest.mark.parametrize(
    ("web", "address"),
    [
        ({}, "http://localhost:8484/welcome?link="),
        ({"base_path": "/clerk"}, "http://localhost:8484/clerk/welcome?link="),
        ({"public_url": "https://my.house"}, "https://my.house/welcome?link="),
        ({"login": False}, None),
        ({"user_header": "Remote-User"}, None),
    ],
)
async def test_who_has_to_choose_a_password_is_invited(
    store: Store, tmp_path: Path, web: dict[str, object], address: str | None
) -> None:
    memory = a_memory(store, tmp_path, host="::", trusted_proxies=("10.0.0.1",), **web)

    link = await invitation(memory, port=8484)

    assert (link or "")[: len(address or "")] == (address or "")
    assert (link is None) == (address is None)


async def test_with_a_password_nobody_is_invited(store: Store, tmp_path: Path) -> None:
    memory = a_memory(store, tmp_path)
    await store.access.set_password("hash", now=memory.clock())

    assert await invitation(memory, port=8484) is None


def a_memory(store: Store, data: Path, **web: object) -> Memory:
    daemon = DaemonSettings(web=WebSettings.model_validate(web))
    return Memory(Settings(instances={}, daemon=daemon), store, data)
