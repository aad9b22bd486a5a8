"""From the first visit to going out, on a real port; what passwords are taken, and how kept."""

import asyncio
import re
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from argon2 import PasswordHasher

from core.access import Permission
from dashboard.auth.login import (
    LINK_LIFETIME,
    MIN_PASSWORD_LENGTH,
    Login,
    PasswordProblem,
    Passwords,
    find_password_problem,
)
from tests.dashboard.auth.conftest import (
    PAGE,
    PASSWORD,
    QUICK,
    AuthSite,
    csrf_of,
    log_in,
    open_site,
    set_password,
)
from tests.dashboard.conftest import DashboardRig

SLOWER = PasswordHasher(time_cost=2, memory_cost=8, parallelism=1)
KNOCK = "/api/v1/knock"


async def knock(browser: httpx.AsyncClient) -> int:
    return (await browser.get(KNOCK)).status_code


async def test_the_first_visit_sets_a_password_and_comes_in(site: AuthSite) -> None:
    browser = await site.browser()
    assert await knock(browser) == 401

    answer = await set_password(browser, await site.link())

    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert (await browser.get(KNOCK)).json()["name"] == "admin"


async def test_the_password_opens_the_door_for_another_browser(site: AuthSite) -> None:
    await site.logged_in_browser()
    browser = await site.browser()

    answer = await log_in(browser)

    assert answer.status_code == 303
    assert await knock(browser) == 200


async def test_a_wrong_password_does_not(site: AuthSite) -> None:
    await site.logged_in_browser()
    browser = await site.browser()

    answer = await log_in(browser, "wrong horse battery")

    assert answer.status_code == 403
    assert "Wrong password." in answer.text
    assert "set-cookie" not in answer.headers
    assert await knock(browser) == 401


async def test_without_a_password_no_password_is_right(site: AuthSite) -> None:
    browser = await site.browser()

    page = await browser.get("/login", headers=PAGE)
    answer = await log_in(browser, "")

    assert "paperclerk user link" in page.text
    assert answer.status_code == 403


async def test_an_action_needs_what_only_our_pages_know(site: AuthSite) -> None:
    browser = await site.logged_in_browser()
    csrf = await csrf_of(browser)

    answers = [
        await browser.post(KNOCK),
        await browser.post(KNOCK, data={"csrf": ""}),
        await browser.post(KNOCK, data={"csrf": csrf[:-1] + "x"}),
        await browser.post(KNOCK, headers={b"x-csrf-token": "é".encode()}),
    ]

    assert [answer.status_code for answer in answers] == [403] * 4
    assert {answer.json()["error"]["code"] for answer in answers} == {"foreign_page"}


async def test_a_form_or_a_header_may_carry_it(site: AuthSite) -> None:
    browser = await site.logged_in_browser()
    csrf = await csrf_of(browser)

    by_field = await browser.post(KNOCK, data={"csrf": csrf, "said": "yes"})
    by_header = await browser.post(KNOCK, headers={"x-csrf-token": csrf}, data={"said": "yes"})
    by_parts = await browser.post(KNOCK, data={"csrf": csrf}, files={"said": (None, "yes")})

    assert [answer.json()["said"] for answer in (by_field, by_header, by_parts)] == ["yes"] * 3


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
    ids=str,
)
async def test_another_site_cannot_act_though_it_knows_the_mark(
    site: AuthSite, headers: dict[str, str]
) -> None:
    browser = await site.logged_in_browser()
    csrf = await csrf_of(browser)

    answer = await browser.post(KNOCK, data={"csrf": csrf}, headers=headers)

    assert answer.status_code == 403


async def test_the_mark_of_another_session_is_worth_nothing(site: AuthSite) -> None:
    mine, other = await site.logged_in_browser(), await site.browser()
    await log_in(other)

    answer = await mine.post(KNOCK, data={"csrf": await csrf_of(other)})

    assert answer.status_code == 403


async def test_going_out_ends_the_session_for_good(site: AuthSite) -> None:
    browser = await site.logged_in_browser()
    cookies = dict(browser.cookies)

    answer = await browser.post("/logout", data={"csrf": await csrf_of(browser)})
    browser.cookies.update(cookies)

    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    assert await knock(browser) == 401


async def test_going_out_needs_the_mark_as_well(site: AuthSite) -> None:
    browser = await site.logged_in_browser()

    answer = await browser.post("/logout")

    assert answer.status_code == 403
    assert await knock(browser) == 200


async def test_one_can_go_out_everywhere(site: AuthSite) -> None:
    here, there = await site.logged_in_browser(), await site.browser()
    await log_in(there)

    await here.post("/logout/everywhere", data={"csrf": await csrf_of(here)})

    assert (await knock(here), await knock(there)) == (401, 401)


async def test_each_login_begins_a_session_of_its_own(site: AuthSite) -> None:
    browser = await site.logged_in_browser()
    before = browser.cookies["paperclerk"]

    await log_in(browser)
    after = browser.cookies["paperclerk"]
    stale = await site.browser(cookie=f"paperclerk={before}")

    assert before != after
    assert await knock(stale) == 401


async def test_a_cookie_that_we_did_not_give_is_not_taken_over(site: AuthSite) -> None:
    await site.logged_in_browser()
    browser = await site.browser()
    browser.cookies.set("paperclerk", "planted", domain="127.0.0.1", path="/")

    await log_in(browser)

    assert "planted" not in browser.cookies.values()


async def test_a_session_lasts_while_it_is_used(site: AuthSite) -> None:
    browser = await site.logged_in_browser()

    for _ in range(3):
        site.clock.advance(days=20)
        answer = await browser.get(KNOCK)
        # The browser here goes by the real clock, and would not forget its cookie in time.
        assert (answer.status_code, "set-cookie" in answer.headers) == (200, True)
    site.clock.advance(days=30)

    assert await knock(browser) == 401


async def test_a_browser_gets_its_cookie_again_now_and_then(site: AuthSite) -> None:
    browser = await site.logged_in_browser()
    proof = browser.cookies["paperclerk"]

    given = []
    for minutes in (4, 1, 4, 1):
        site.clock.advance(minutes=minutes)
        page = await browser.get("/paper", headers=PAGE)
        given.append(page.headers.get("set-cookie"))

    whole = f"paperclerk={proof}; HttpOnly; Max-Age=2592000; Path=/; SameSite=lax"
    assert given == [None, whole, None, whole]


async def test_who_goes_out_does_not_get_it_again(site: AuthSite) -> None:
    browser = await site.logged_in_browser()
    csrf = await csrf_of(browser)
    site.clock.advance(minutes=5)

    answer = await browser.post("/logout", data={"csrf": csrf})

    [taken] = answer.headers.get_list("set-cookie")
    assert taken.startswith('paperclerk=""; HttpOnly; Max-Age=0;')


async def test_behind_tls_it_is_as_safe_as_the_first(rig: DashboardRig) -> None:
    tls = {"x-forwarded-proto": "https"}
    async with open_site(rig, trusted_proxies=("127.0.0.1",)) as site:
        await site.logged_in_browser()
        browser = await site.browser(**tls)
        first = (await log_in(browser)).headers.get_list("set-cookie")[0]
        site.clock.advance(minutes=5)

        again = await browser.get(KNOCK, headers={"cookie": first.partition(";")[0]})

    assert again.headers["set-cookie"] == first
    assert first.startswith("__Host-paperclerk=")
    assert "Secure" in first


async def test_the_length_of_a_session_can_be_set(rig: DashboardRig) -> None:
    async with open_site(rig, session=timedelta(hours=1)) as site:
        browser = await site.logged_in_browser()
        site.clock.advance(hours=1)

        assert await knock(browser) == 401


async def test_a_link_is_good_once(site: AuthSite) -> None:
    browser, link = await site.browser(), await site.link()
    await set_password(browser, link)

    page = await browser.get(link, headers=PAGE)
    again = await browser.post(
        "/welcome", data={"link": link.partition("=")[2], "password": "x" * 20, "again": "x" * 20}
    )

    assert (page.status_code, again.status_code) == (403, 403)
    assert "has been used or has expired" in page.text
    assert (await log_in(await site.browser())).status_code == 303


async def test_of_two_who_use_a_link_at_once_one_comes_in(site: AuthSite) -> None:
    link, browser, other = await site.link(), await site.browser(), await site.browser()

    answers = await asyncio.gather(set_password(browser, link), set_password(other, link))

    assert sorted(answer.status_code for answer in answers) == [303, 403]


async def test_a_link_is_good_for_half_an_hour(site: AuthSite) -> None:
    browser, link = await site.browser(), await site.link()

    site.clock.advance(seconds=LINK_LIFETIME.total_seconds())

    assert (await browser.get(link)).status_code == 403


async def test_no_link_opens_nothing(site: AuthSite) -> None:
    browser = await site.browser()

    answer = await browser.post("/welcome", data={"password": PASSWORD, "again": PASSWORD})

    assert answer.status_code == 403
    assert await site.context.store.access.get_password_hash() is None


@pytest.mark.parametrize(
    ("password", "again", "said"),
    [
        ("short", "short", "The password is too short."),
        (PASSWORD, "another", "The passwords do not match."),
        ("x" * 1001, "x" * 1001, "The password is too long."),
    ],
    ids=["too short", "different", "too long"],
)
async def test_an_unfit_password_is_asked_for_again_and_the_link_stays_good(
    site: AuthSite, password: str, again: str, said: str
) -> None:
    browser, link = await site.browser(), await site.link()

    answer = await set_password(browser, link, password=password, again=again)

    assert (answer.status_code, said in answer.text) == (422, True)
    assert (await set_password(browser, link)).status_code == 303


async def test_a_link_helps_whoever_forgot_the_password_and_logs_everybody_out(
    site: AuthSite,
) -> None:
    before, browser = await site.logged_in_browser(), await site.browser()

    await set_password(browser, await site.link(), password="x" * 20, again="x" * 20)

    assert (await knock(before), await knock(browser)) == (401, 200)
    assert (await log_in(await site.browser(), "x" * 20)).status_code == 303


async def test_nothing_is_kept_in_the_clear(site: AuthSite, tmp_path: Path) -> None:
    browser, link = await site.browser(), await site.link()
    await set_password(browser, link)
    token = await site.token(Permission.READ)
    cookie = browser.cookies["paperclerk"]
    secrets = (PASSWORD, link.partition("=")[2], cookie, token["authorization"].split()[1])

    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    kept = b"".join(files).decode("latin-1")

    assert "argon2id" in kept
    assert [secret for secret in secrets if secret in kept] == []


async def test_what_the_owner_asked_for_is_shown_after_the_login(site: AuthSite) -> None:
    await site.logged_in_browser()
    browser = await site.browser()

    answer = await browser.post("/login", data={"password": PASSWORD, "next": "/jobs/7?all=1"})
    assert answer.headers["location"] == "/jobs/7?all=1"


@pytest.mark.parametrize(
    "path",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "\\\\evil.example",
        "/\t/evil.example/",
        "javascript:alert(1)",
        "evil.example",
        "/\r\nlocation: //evil.example",
        "",
    ],
)
async def test_nobody_is_sent_elsewhere_after_the_login(site: AuthSite, path: str) -> None:
    browser = await site.logged_in_browser()

    known = await browser.get("/login", params={"next": path})
    typed = await browser.post("/login", data={"password": PASSWORD, "next": path})

    assert known.headers["location"] == typed.headers["location"] == "/"


async def test_the_login_page_cannot_be_made_to_run_script(site: AuthSite) -> None:
    await site.logged_in_browser()

    page = await (await site.browser()).get("/login", params={"next": '/"><script>alert(1)'})

    assert "<script>alert" not in page.text
    assert re.search(r'name="next" value="/&#34;&gt;', page.text)


@pytest.mark.parametrize(
    ("password", "again", "why"),
    [
        ("x" * MIN_PASSWORD_LENGTH, "x" * MIN_PASSWORD_LENGTH, None),
        ("x" * 1000, "x" * 1000, None),
        ("ä" * MIN_PASSWORD_LENGTH, "ä" * MIN_PASSWORD_LENGTH, None),
        (
            "x" * (MIN_PASSWORD_LENGTH - 1),
            "x" * (MIN_PASSWORD_LENGTH - 1),
            PasswordProblem.TOO_SHORT,
        ),
        ("x" * 1001, "x" * 1001, PasswordProblem.TOO_LONG),
        ("x" * MIN_PASSWORD_LENGTH, "x" * MIN_PASSWORD_LENGTH + " ", PasswordProblem.DIFFERENT),
    ],
)
def test_a_password_has_a_fit_length(
    password: str, again: str, why: PasswordProblem | None
) -> None:
    assert find_password_problem(password, again) is why


async def test_only_the_password_matches_its_hash() -> None:
    passwords = Passwords(QUICK)

    kept = await passwords.hash("straße \ud800")

    assert kept.startswith("$argon2id$")
    assert await passwords.matches("straße \ud800", kept)
    assert not await passwords.matches("strasse", kept)
    assert not await passwords.matches("x" * 1001, kept)
    assert not await passwords.matches("straße", "no hash at all")


async def test_a_hash_of_less_effort_is_made_anew_at_the_next_login(rig: DashboardRig) -> None:
    access = rig.context.store.access
    await access.set_password(await Passwords(QUICK).hash("correct horse"), now=rig.context.clock())
    weak = await access.get_password_hash()
    login = Login(rig.context, Passwords(SLOWER))

    assert await login.verify_password("correct horse")
    strong = await access.get_password_hash()
    assert await login.verify_password("correct horse")

    assert weak != strong
    assert await access.get_password_hash() == strong
