"""A daemon whose settings cannot be used helps to mend them, and then starts by itself."""

import asyncio
import re
import signal
import socket
from contextlib import closing

import httpx
import pytest
from starlette.responses import JSONResponse, PlainTextResponse, Response

from core.settings import ConfigError
from daemon.cli.exits import Exit
from daemon.setup_mode import wait_for_valid_settings
from sandbox.server import Server
from tests.daemon.conftest import Paperclerk
from tests.daemon.processes import RunningDaemon, a_daemon
from tests.installation import Installation
from tests.waiting import LONG

SECRET = "secret-that-nobody-sees"
MISTAKE = f'[paperless]\nurl = "http://webserver:8000"\ntokn = "{SECRET}"\n'
_ADDRESS = re.compile(r'event="settings cannot be used".* web=(\S+)')
_STARTED = re.compile(r"event=started .*web=(\S+)")


def address_in(log: str, pattern: re.Pattern[str]) -> str:
    found = pattern.search(log)
    assert found, log
    return f"http://{found[1]}"


def helping(daemon: RunningDaemon) -> str:
    """Wait for the page; return where it is."""
    daemon.wait_for("settings cannot be used")
    return address_in(daemon.log, _ADDRESS)


def test_mistakes_are_shown_with_file_and_line_until_they_are_mended(
    installation: Installation,
) -> None:
    good = installation.settings_file.read_text()
    installation.settings_file.write_text(MISTAKE)

    with a_daemon(installation) as daemon, httpx.Client(timeout=LONG) as browser:
        page = browser.get(helping(daemon) + "/setup").text
        installation.settings_file.write_text(good)
        daemon.wait_for("event=started")
        after = browser.get(address_in(daemon.log, _STARTED) + "/setup")
        daemon.signal(signal.SIGTERM)
        code = daemon.end()

    assert "<code>home.toml:3</code>" in page
    assert "<b>paperless.tokn</b>" in page
    assert SECRET not in page + daemon.log
    assert (after.status_code, after.headers["location"]) == (303, "/")
    assert code == 0


def test_who_waits_for_settings_is_alive_and_no_restart_helps(
    installation: Installation, paperclerk: Paperclerk, monkeypatch: pytest.MonkeyPatch
) -> None:
    installation.settings_file.write_text(MISTAKE)
    (installation.config / "daemon.toml").write_text('[web]\nbase_path = "/clerk"\n')

    with a_daemon(installation) as daemon:
        address = helping(daemon)
        health = httpx.get(address + "/clerk/health", timeout=LONG)
        monkeypatch.setenv("PAPERCLERK_WEB__PORT", address.rpartition(":")[2])
        during = paperclerk("healthcheck")
        daemon.signal(signal.SIGTERM)
        daemon.end()
    after = paperclerk("healthcheck")

    assert (health.status_code, health.json()) == (200, {"status": "setup"})
    assert (during.code, after.code) == (Exit.OK, Exit.LOOK)
    assert during.out == "alive, and waiting for valid settings\n"
    assert "home.toml:3" in during.err


@pytest.mark.parametrize(
    "answer", [PlainTextResponse("hello"), JSONResponse({"status": "ok"}), JSONResponse([])]
)
def test_something_else_on_the_port_is_no_sign_of_life(
    installation: Installation,
    paperclerk: Paperclerk,
    monkeypatch: pytest.MonkeyPatch,
    answer: Response,
) -> None:
    installation.settings_file.write_text(MISTAKE)

    with Server(answer) as other:
        monkeypatch.setenv("PAPERCLERK_WEB__PORT", str(other.port))
        said = paperclerk("healthcheck")

    assert said.code == Exit.LOOK


def test_a_folder_without_an_instance_is_enough_for_a_page(installation: Installation) -> None:
    installation.settings_file.unlink()

    with a_daemon(installation) as daemon:
        page = httpx.get(helping(daemon) + "/", timeout=LONG).text
        daemon.signal(signal.SIGTERM)
        code = daemon.end()

    assert "contains no instance" in page
    assert str(installation.config) in page
    assert code == 0


async def test_nothing_is_waited_for_if_all_is_well(installation: Installation) -> None:
    assert await wait_for_valid_settings(installation.options)


async def test_one_goes_on_as_soon_as_the_file_is_right(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    good = installation.settings_file.read_text()
    installation.settings_file.write_text(MISTAKE)

    waiting = asyncio.create_task(wait_for_valid_settings(installation.options))
    await asyncio.wait({waiting}, timeout=0.5)
    waited = not waiting.done()
    installation.settings_file.write_text(good)

    assert waited
    assert await asyncio.wait_for(waiting, LONG)
    assert "home.toml:3" in capsys.readouterr().err


@pytest.mark.parametrize(
    "daemon",
    ["[web]\nenabled = false\n", "[web]\nprt = 1\n", "not toml"],
    ids=["no dashboard wanted", "nobody knows where", "no settings at all"],
)
async def test_without_a_place_for_the_page_the_start_is_stopped(
    installation: Installation, daemon: str
) -> None:
    installation.settings_file.write_text(MISTAKE)
    (installation.config / "daemon.toml").write_text(daemon)

    with pytest.raises(ConfigError) as caught:
        await wait_for_valid_settings(installation.options)

    assert "home.toml:3" in str(caught.value)


def test_a_port_that_is_taken_stops_the_start_and_is_reported_with_the_mistakes(
    installation: Installation, paperclerk: Paperclerk, monkeypatch: pytest.MonkeyPatch
) -> None:
    installation.settings_file.unlink()

    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = str(taken.getsockname()[1])
        monkeypatch.setenv("PAPERCLERK_WEB__PORT", port)
        said = paperclerk("run")

    assert said.code == Exit.CONFIG
    assert "contains no instance" in said.err
    assert f"port {port}: Address already in use" in said.err
    assert "Set another web.port in daemon.toml, or stop the program that uses it." in said.err


async def test_a_folder_that_is_not_there_can_still_be_made(installation: Installation) -> None:
    installation.settings_file.unlink()
    installation.config.rmdir()

    with a_daemon(installation) as daemon:
        page = httpx.get(helping(daemon) + "/setup", timeout=LONG).text

    assert "does not exist - run `paperclerk init`" in page
