"""The page that is there while the settings cannot be used."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC

import httpx

from core.messages import plain
from core.settings import SettingError
from dashboard.invalid_settings import SetupInfo, build_setup_app
from dashboard.middleware import POLICY
from tests.dashboard.conftest import DashboardRig, open_browser
from tests.store.builders import FakeClock

HOSTILE = SettingError(
    "home.toml", 3, "ai.<b>", plain('unknown option - did you mean "<i>model</i>"?')
)


@asynccontextmanager
async def helped(*mistakes: SettingError, base_path: str = "") -> AsyncIterator[httpx.AsyncClient]:
    info = SetupInfo("/config", lambda: mistakes, FakeClock(), UTC, "1.2.3")
    transport = httpx.ASGITransport(build_setup_app(info, base_path=base_path))
    async with httpx.AsyncClient(transport=transport, base_url="http://clerk") as client:
        yield client


async def test_what_is_wrong_is_shown_as_text_under_the_strict_policy() -> None:
    async with helped(HOSTILE) as client:
        page = await client.get("/setup")

    assert "home.toml:3" in page.text
    assert "<i>model</i>" not in page.text
    assert page.headers["content-security-policy"] == POLICY


async def test_it_speaks_german_and_looks_again_by_itself() -> None:
    async with helped(HOSTILE) as client:
        page = await client.get("/setup", headers={"accept-language": "de"})

    assert "Fehler, die den Start von Paperclerk verhindern" in page.text
    assert 'hx-get="/setup" hx-trigger="every 3s"' in page.text


async def test_any_other_page_is_not_there_yet_and_helps_all_the_same() -> None:
    async with helped(HOSTILE) as client:
        page, health = await client.get("/review"), await client.get("/health")

    assert (page.status_code, health.status_code) == (503, 200)
    assert "home.toml:3" in page.text
    assert health.json() == {"status": "setup"}


async def test_it_stands_below_the_path_of_a_proxy_with_its_files() -> None:
    async with helped(HOSTILE, base_path="/clerk") as client:
        page = await client.get("/clerk/setup")
        files = await client.get("/clerk/static/app.css")

    assert 'href="/clerk/setup"' in page.text
    assert (page.status_code, files.status_code) == (200, 200)


async def test_who_waited_is_sent_on_when_the_daemon_is_there(rig: DashboardRig) -> None:
    async with open_browser(rig) as browser:
        asked = await browser.get("/setup")
        htmx = await browser.get("/setup", headers={"hx-request": "true"})

    assert (asked.status_code, asked.headers["location"]) == (303, "/")
    assert (htmx.status_code, htmx.headers["hx-redirect"]) == (200, "/")
