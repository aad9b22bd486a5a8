"""A daemon whose daemon.toml is invalid helps to correct it, and then starts by itself."""

import asyncio
import re
import signal
import socket
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from starlette.responses import JSONResponse, PlainTextResponse, Response

from core.settings import ConfigError
from daemon.cli.exits import Exit
from daemon.web import wait_for_valid_settings
from sandbox.server import Server
from tests.daemon.conftest import Paperclerk
from tests.daemon.processes import RunningDaemon, a_daemon
from tests.installation import Installation
from tests.waiting import LONG

SECRET = "secret-that-nobody-sees"
MISTAKE = f'[database]\n\nulr = "{SECRET}"\n'
MISTAKE_OF_AN_INSTANCE = '[paperless]\nurl = "http://webserver:8000"\ntokn = "x"\n'
_ADDRESS = re.compile(r'event="settings cannot be used".* web=(\S+)')
_STARTED = re.compile(r"event=started .*web=(\S+)")


def address_in(log: str, pattern: re.Pattern[str]) -> str:
    found = pattern.search(log)
    assert found, log
    return f"http://{found[1]}"


def daemon_file(installation: Installation) -> Path:
    return installation.config / "daemon.toml"


def helping(daemon: RunningDaemon) -> str:
    """Wait for the page; return where it is."""
    daemon.wait_for("settings cannot be used")
    return address_in(daemon.log, _ADDRESS)


def test_mistakes_are_shown_with_file_and_line_until_they_are_mended(
    installation: Installation,
) -> None:
    daemon_file(installation).write_text(MISTAKE)

    with a_daemon(installation) as daemon, httpx.Client(timeout=LONG) as browser:
        page = browser.get(helping(daemon) + "/setup").text
        daemon_file(installation).write_text("")
        daemon.wait_for("event=started")
        after = browser.get(address_in(daemon.log, _STARTED) + "/setup")
        daemon.signal(signal.SIGTERM)
        code = daemon.end()

    assert "<code>daemon.toml:3</code>" in page
    assert "<b>database.ulr</b>" in page
    assert SECRET not in page + daemon.log
    assert (after.status_code, after.headers["location"]) == (303, "/")
    assert code == 0


def test_who_waits_for_settings_is_alive_and_no_restart_helps(
    installation: Installation, paperclerk: Paperclerk, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon_file(installation).write_text(MISTAKE)

    with a_daemon(installation) as daemon:
        address = helping(daemon)
        health = httpx.get(address + "/health", timeout=LONG)
        monkeypatch.setenv("PAPERCLERK_WEB__PORT", address.rpartition(":")[2])
        during = paperclerk("healthcheck")
        daemon.signal(signal.SIGTERM)
        daemon.end()
    after = paperclerk("healthcheck")

    assert (health.status_code, health.json()) == (200, {"status": "setup"})
    assert (during.code, after.code) == (Exit.OK, Exit.LOOK)
    assert during.out == "alive, and waiting for valid settings\n"
    assert "daemon.toml:3" in during.err


@pytest.mark.parametrize(
    "answer", [PlainTextResponse("hello"), JSONResponse({"status": "ok"}), JSONResponse([])]
)
def test_something_else_on_the_port_is_no_sign_of_life(
    installation: Installation,
    paperclerk: Paperclerk,
    monkeypatch: pytest.MonkeyPatch,
    answer: Response,
) -> None:
    daemon_file(installation).write_text(MISTAKE)

    with Server(answer) as other:
        monkeypatch.setenv("PAPERCLERK_WEB__PORT", str(other.port))
        said = paperclerk("healthcheck")

    assert said.code == Exit.LOOK


def test_a_folder_without_an_instance_is_enough_for_a_daemon(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.settings_file.unlink()
    installation.config.rmdir()

    with a_daemon(installation) as daemon:
        daemon.wait_for("event=started")
        page = httpx.get(f"{address_in(daemon.log, _STARTED)}/login", timeout=LONG)
        status = paperclerk("status")
        daemon.signal(signal.SIGTERM)
        code = daemon.end()

    assert 'event="no instance"' in daemon.log
    assert page.status_code == 200
    assert "no instance is set up" in status.out
    assert code == 0


def test_the_password_can_be_set_before_the_first_instance(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.settings_file.unlink()

    link, scan = paperclerk("user", "link"), paperclerk("scan-now")

    assert (link.code, scan.code) == (Exit.OK, Exit.CONFIG)
    assert "/welcome?link=" in link.out
    assert "contains no instance - run `paperclerk init`" in scan.err


@pytest.mark.parametrize("text", ["[web]\nprt = 1\n", "not toml"])
def test_mistakes_in_daemon_toml_are_shown_at_the_usual_address(
    installation: Installation, paperclerk: Paperclerk, text: str
) -> None:
    file = installation.config / "daemon.toml"
    file.write_text(text)

    with a_daemon(installation) as daemon:
        page = httpx.get(helping(daemon) + "/setup", timeout=LONG).text
        file.write_text("")
        daemon.wait_for("event=started")

    assert "daemon.toml:" in page
    assert "<form" not in page.replace('<form method="post" action="/preferences">', "")


async def test_nothing_is_waited_for_if_all_is_well(installation: Installation) -> None:
    assert await wait_for_valid_settings(installation.options)


async def test_one_goes_on_as_soon_as_the_file_is_right(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    daemon_file(installation).write_text(MISTAKE)

    waiting = asyncio.create_task(wait_for_valid_settings(installation.options))
    await asyncio.wait({waiting}, timeout=0.5)
    waited = not waiting.done()
    daemon_file(installation).write_text("")

    assert waited
    assert await asyncio.wait_for(waiting, LONG)
    assert "daemon.toml:3" in capsys.readouterr().err


async def test_an_error_of_an_instance_does_not_stop_the_start(installation: Installation) -> None:
    installation.settings_file.write_text(MISTAKE_OF_AN_INSTANCE)

    assert await wait_for_valid_settings(installation.options)


@pytest.mark.parametrize(
    ("settings", "error"), [(MISTAKE_OF_AN_INSTANCE, "home.toml:3"), ("", "contains no instance")]
)
async def test_without_a_dashboard_the_start_is_stopped(
    installation: Installation, settings: str, error: str
) -> None:
    installation.settings_file.write_text(settings)
    if not settings:
        installation.settings_file.unlink()
    (installation.config / "daemon.toml").write_text("[web]\nenabled = false\n")

    with pytest.raises(ConfigError) as caught:
        await wait_for_valid_settings(installation.options)

    assert error in str(caught.value)


async def test_variables_that_nobody_can_use_stop_the_start(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERCLERK_WEB__PORT", "eighty")

    with pytest.raises(ConfigError) as caught:
        await wait_for_valid_settings(installation.options)

    assert "PAPERCLERK_WEB__PORT" in str(caught.value)


def test_a_port_that_is_taken_stops_the_start_and_is_reported_with_the_mistakes(
    installation: Installation, paperclerk: Paperclerk, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon_file(installation).write_text(MISTAKE)

    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = str(taken.getsockname()[1])
        monkeypatch.setenv("PAPERCLERK_WEB__PORT", port)
        said = paperclerk("run")

    assert said.code == Exit.CONFIG
    assert "daemon.toml:3" in said.err
    assert f"port {port}: Address already in use" in said.err
    assert "Set another web.port in daemon.toml, or stop the program that uses it." in said.err
