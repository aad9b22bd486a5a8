"""The account page: the password, the sessions, and the tokens."""

import re

import httpx
import pytest

from core.access import Permission
from tests.dashboard.auth.conftest import PASSWORD, GuardedSite, csrf_of, log_in

NEW = "a quite different one"


async def sent(browser: httpx.AsyncClient, path: str, **form: str) -> httpx.Response:
    return await browser.post(path, data={"csrf": await csrf_of(browser)} | form)


async def changed(browser: httpx.AsyncClient, before: str = PASSWORD, **form: str) -> int:
    typed = {"before": before, "password": NEW, "again": NEW} | form
    return (await sent(browser, "/account/password", **typed)).status_code


async def test_it_shows_where_one_is_logged_in(site: GuardedSite) -> None:
    browser, other = await site.at_home(), await site.browser(**{"user-agent": "<b>Phone</b>"})
    await log_in(other)

    page = await browser.get("/account")

    assert page.status_code == 200
    assert "&lt;b&gt;Phone&lt;/b&gt;" in page.text


async def test_a_known_browser_is_shown_by_its_name(site: GuardedSite) -> None:
    header = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    browser, other = await site.at_home(), await site.browser(**{"user-agent": header})
    await log_in(other)

    page = await browser.get("/account")

    assert f'title="{header}"><b>Firefox on Linux</b></span>' in page.text


async def test_a_new_password_keeps_this_browser_in_and_sends_the_others_out(
    site: GuardedSite,
) -> None:
    here, there = await site.at_home(), await site.browser()
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
    site: GuardedSite, before: str, form: dict[str, str], status: int
) -> None:
    browser = await site.at_home()
    kept = await site.context.store.access.get_password_hash()

    assert await changed(browser, before, **form) == status
    assert await site.context.store.access.get_password_hash() == kept


async def test_guesses_at_the_present_password_are_limited_too(site: GuardedSite) -> None:
    browser = await site.at_home()

    tried = [await changed(browser, f"guess {number}") for number in range(6)]

    assert tried == [403] * 5 + [429]


async def test_a_token_is_made_shown_once_and_revoked(site: GuardedSite) -> None:
    browser = await site.at_home()

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
    site: GuardedSite, form: dict[str, str], status: int
) -> None:
    browser = await site.at_home()
    await sent(browser, "/account/tokens", name="taken", right="read")

    answer = await sent(browser, "/account/tokens", **form)

    assert answer.status_code == status
    assert len(await site.context.store.access.tokens.list()) == 1


async def test_a_token_for_one_instance_cannot_make_itself_one_for_all(site: GuardedSite) -> None:
    program = await site.browser(**await site.token(Permission.ADMIN, "home"))

    made = await program.post("/account/tokens", data={"name": "x", "right": "admin"})

    assert (made.status_code, (await program.get("/account")).status_code) == (403, 403)


async def test_it_is_there_in_german(site: GuardedSite) -> None:
    browser = await site.at_home()

    page = await browser.get("/account", headers={"accept-language": "de"})

    assert "Überall abmelden" in page.text
