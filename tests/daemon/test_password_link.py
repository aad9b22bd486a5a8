"""The way in at the first start: a link that is printed, and not logged."""

import re
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from core.settings import DaemonSettings, Settings, WebSettings
from daemon.context import Context
from daemon.web import PasswordLink, issue_password_link
from store import Store
from tests.daemon.conftest import Program
from tests.daemon.first_login import link_of, open_first_session
from tests.store.builders import FakeClock
from tests.waiting import LONG


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
    context = a_context(store, tmp_path, host="::", trusted_proxies=("10.0.0.1",), **web)

    invited = await issue_password_link(context, port=8484)

    link = invited.link if invited else None
    assert (link or "")[: len(address or "")] == (address or "")
    assert (link is None) == (address is None)


async def test_a_restart_makes_no_other_link_while_the_printed_one_is_valid(
    store: Store, tmp_path: Path
) -> None:
    clock = FakeClock()
    context = replace(a_context(store, tmp_path), clock=clock)
    first = await issue_password_link(context, port=8484)

    clock.advance(minutes=10)
    again = await issue_password_link(context, port=8484)
    clock.advance(minutes=20)
    later = await issue_password_link(context, port=8484)

    assert first
    assert first.link
    assert again == PasswordLink(None, first.until)
    assert later
    assert later.link not in {None, first.link}


def test_the_first_start_prints_a_link_that_lets_one_in_even_after_a_restart(
    program: Program,
) -> None:
    first = program("run")
    link = link_of(first)
    first.send_signal(signal.SIGTERM)
    _, log = first.communicate(timeout=LONG)

    second = program("run")
    assert second.stderr is not None
    started = next(line for line in second.stderr if "event=started" in line)
    port = re.search(r"web=\S+:(\d+)", started)
    assert port
    with open_first_session(link.copy_with(port=int(port[1]))) as browser:
        entered = browser.get("/api/v1/openapi.json")
    second.send_signal(signal.SIGTERM)
    said, _ = second.communicate(timeout=LONG)

    assert 'event="no password set"' in log
    assert link.params["link"] not in log
    assert entered.status_code == 200
    assert "link=" not in said


async def test_with_a_password_nobody_is_invited(store: Store, tmp_path: Path) -> None:
    context = a_context(store, tmp_path)
    await store.access.set_password("hash", now=context.clock())

    assert await issue_password_link(context, port=8484) is None


def a_context(store: Store, data: Path, **web: object) -> Context:
    daemon = DaemonSettings(web=WebSettings.model_validate(web))
    return Context(Settings(instances={}, daemon=daemon), store, data)
