"""The account page: the password, the sessions with their browsers, and the tokens."""

import re

import httpx
import pytest

from core.access import Permission
from dashboard.auth.account import UserAgent, parse_user_agent
from tests.dashboard.auth.conftest import PASSWORD, AuthSite, csrf_of, log_in

WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
NEW = "a quite different one"


async def sent(browser: httpx.AsyncClient, path: str, **form: str) -> httpx.Response:
    return await browser.post(path, data={"csrf": await csrf_of(browser)} | form)


async def changed(browser: httpx.AsyncClient, before: str = PASSWORD, **form: str) -> int:
    typed = {"before": before, "password": NEW, "again": NEW} | form
    return (await sent(browser, "/account/password", **typed)).status_code


async def test_it_shows_where_one_is_logged_in(site: AuthSite) -> None:
    browser, other = (
        await site.logged_in_browser(),
        await site.browser(**{"user-agent": "<b>Phone</b>"}),
    )
    await log_in(other)

    page = await browser.get("/account")

    assert page.status_code == 200
    assert "&lt;b&gt;Phone&lt;/b&gt;" in page.text


async def test_a_known_browser_is_shown_by_its_name(site: AuthSite) -> None:
    header = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    browser, other = await site.logged_in_browser(), await site.browser(**{"user-agent": header})
    await log_in(other)

    page = await browser.get("/account")

    assert f'title="{header}"><b>Firefox on Linux</b></span>' in page.text


async def test_a_new_password_keeps_this_browser_in_and_sends_the_others_out(
    site: AuthSite,
) -> None:
    here, there = await site.logged_in_browser(), await site.browser()
    await log_in(there)

    assert await changed(here) == 303

    assert (await here.get("/account")).status_code == 200
    assert (await there.get("/api/v1/knock")).status_code == 401
    assert (await log_in(there)).status_code == 403
    assert (await log_in(there, NEW)).status_code == 303


@pytest.mark.parametrize(
    ("before", "form", "status"),
    [
        ("a guess at it", {}, 403),
        (PASSWORD, {"again": "another"}, 422),
        (PASSWORD, {"password": "short", "again": "short"}, 422),
    ],
    ids=["wrong", "different", "short"],
)
async def test_no_other_way_leads_to_a_new_password(
    site: AuthSite, before: str, form: dict[str, str], status: int
) -> None:
    browser = await site.logged_in_browser()
    kept = await site.context.store.access.get_password_hash()

    assert await changed(browser, before, **form) == status
    assert await site.context.store.access.get_password_hash() == kept


async def test_guesses_at_the_present_password_are_limited_too(site: AuthSite) -> None:
    browser = await site.logged_in_browser()

    tried = [await changed(browser, f"guess {number}") for number in range(6)]

    assert tried == [403] * 5 + [429]


async def test_a_token_is_made_shown_once_and_revoked(site: AuthSite) -> None:
    browser = await site.logged_in_browser()

    made = await sent(browser, "/account/tokens", name=" grafana ", right="act")
    [token] = re.findall(r"pck_[\w-]{43}", made.text)
    program = await site.browser(authorization=f"Bearer {token}")
    before = (await program.get("/api/v1/knock")).json()["name"]
    listed = await browser.get("/account")
    revoked = await sent(browser, "/account/tokens/revoke", name="grafana")

    assert before == "grafana"
    assert token not in listed.text
    assert "grafana" in listed.text
    assert revoked.status_code == 303
    assert "API token grafana revoked." in (await browser.get("/account")).text
    assert (await program.get("/api/v1/knock")).status_code == 401


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"name": "taken", "right": "read"}, 409),
        ({"name": " rule ", "right": "read"}, 409),
        ({"name": " ", "right": "read"}, 400),
        ({"name": "x", "right": "root"}, 400),
        ({"name": "x", "right": "read", "instances": "elsewhere"}, 400),
    ],
)
async def test_what_cannot_be_a_token_is_refused(
    site: AuthSite, form: dict[str, str], status: int
) -> None:
    browser = await site.logged_in_browser()
    await sent(browser, "/account/tokens", name="taken", right="read")

    answer = await sent(browser, "/account/tokens", **form)

    assert answer.status_code == status
    assert len(await site.context.store.access.tokens.list()) == 1


async def test_a_token_for_one_instance_cannot_make_itself_one_for_all(site: AuthSite) -> None:
    program = await site.browser(**await site.token(Permission.ADMIN, "home"))

    made = await program.post("/account/tokens", data={"name": "x", "right": "admin"})

    assert (made.status_code, (await program.get("/account")).status_code) == (403, 403)


async def test_it_is_there_in_german(site: AuthSite) -> None:
    browser = await site.logged_in_browser()

    page = await browser.get("/account", headers={"accept-language": "de"})

    assert "Überall abmelden" in page.text


@pytest.mark.parametrize(
    ("header", "browser", "system"),
    [
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "Firefox",
            "Linux",
        ),
        (
            f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/141.0.0.0 Safari/537.36",
            "Chrome",
            "Windows",
        ),
        (
            f"Mozilla/5.0 (Windows NT 10.0) {WEBKIT} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
            "Edge",
            "Windows",
        ),
        (
            f"Mozilla/5.0 (Linux; Android 10; K) {WEBKIT} Chrome/141.0.0.0 Mobile Safari/537.36",
            "Chrome",
            "Android",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 "
            "(KHTML, like Gecko) Version/26.0 Safari/605.1.15",
            "Safari",
            "macOS",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 "
            "(KHTML, like Gecko) CriOS/141.0.0.0 Mobile/15E148 Safari/604.1",
            "Chrome",
            "iOS",
        ),
    ],
)
def test_a_usual_browser_is_recognized(header: str, browser: str, system: str) -> None:
    assert parse_user_agent(header) == UserAgent(browser, system)


@pytest.mark.parametrize(
    ("header", "browser", "system"),
    [
        ("", "", ""),
        ("curl/8.5.0", "", ""),
        ("Firefox", "", ""),
        ("Firefox/140.0", "Firefox", ""),
        ("(X11; Linux)", "", "Linux"),
    ],
)
def test_what_is_not_known_is_not_guessed(header: str, browser: str, system: str) -> None:
    assert parse_user_agent(header) == UserAgent(browser, system)
