"""How people are recognised: tokens, a trusted proxy's word, or where they come from."""

import pytest

from core.access import Permission
from tests.dashboard.auth.conftest import PAGE, AuthSite, csrf_of, log_in, open_site
from tests.dashboard.conftest import DashboardRig

KNOCK = "/api/v1/knock"
HERE = ("127.0.0.1",)
ELSEWHERE = ("192.0.2.0/24",)
TLS = {"x-forwarded-proto": "https"}


async def test_a_token_needs_no_mark_and_sees_its_instances(site: AuthSite) -> None:
    program = await site.browser(**await site.token(Permission.ACT, "home", "attic"))

    answer = await program.post(KNOCK, data={"said": "yes"})

    assert (answer.status_code, answer.json()["instances"]) == (200, ["attic", "home"])


async def test_a_token_may_not_do_more_than_its_right(site: AuthSite) -> None:
    program = await site.browser(**await site.token(Permission.READ))

    assert (await program.get(KNOCK)).status_code == 200
    refused = await program.post(KNOCK)

    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_allowed")


async def test_a_revoked_or_made_up_token_is_nobodys(site: AuthSite) -> None:
    token = await site.token(Permission.ADMIN)
    await site.context.store.access.tokens.revoke("ADMIN of a test", now=site.clock())

    for headers in (token, {"authorization": "Bearer pck_made-up"}, {"authorization": "bearer -"}):
        assert (await (await site.browser(**headers)).get(KNOCK)).status_code == 401


async def test_a_bad_token_is_not_made_good_by_a_session(site: AuthSite) -> None:
    browser = await site.logged_in_browser()

    answer = await browser.get(KNOCK, headers={"authorization": "Bearer pck_made-up"})

    assert answer.status_code == 401


async def test_another_kind_of_authorization_is_none_of_ours(site: AuthSite) -> None:
    browser = await site.logged_in_browser()

    assert (await browser.get(KNOCK, headers={"authorization": "Basic eDp5"})).status_code == 200


async def test_the_last_use_of_a_token_is_noted_now_and_then(site: AuthSite) -> None:
    program = await site.browser(**await site.token(Permission.READ))
    first = site.clock()

    for minutes in (0, 4, 4):
        site.clock.advance(minutes=minutes)
        await program.get(KNOCK)
        [token] = await site.context.store.access.tokens.list()
        assert token.used_at == (first if site.clock() < first.replace(minute=5) else site.clock())


async def test_a_trusted_proxy_may_name_who_comes(rig: DashboardRig) -> None:
    async with open_site(rig, trusted_proxies=HERE, user_header="Remote-User") as site:
        browser = await site.browser(**{"remote-user": "anna"})

        csrf = await csrf_of(browser)

        assert (await browser.get(KNOCK)).json()["name"] == "anna"
        assert (await browser.post(KNOCK)).status_code == 403
        assert (await browser.post(KNOCK, data={"csrf": csrf})).status_code == 200
        assert (await (await site.browser()).get(KNOCK)).status_code == 401


@pytest.mark.parametrize("more", [{}, {"login": False}], ids=["login", "no login"])
async def test_nobody_else_may(rig: DashboardRig, more: dict[str, object]) -> None:
    web = {"trusted_proxies": ELSEWHERE, "user_header": "Remote-User"} | more
    async with open_site(rig, **web) as site:
        browser = await site.browser(**{"remote-user": "anna", "x-forwarded-for": "192.0.2.1"})

        assert (await browser.get(KNOCK)).status_code == 401


async def test_a_password_opens_the_door_beside_a_proxy_as_well(rig: DashboardRig) -> None:
    async with open_site(rig, trusted_proxies=HERE, user_header="Remote-User") as site:
        await site.logged_in_browser()
        browser = await site.browser()

        assert (await log_in(browser)).status_code == 303
        assert (await browser.get(KNOCK)).status_code == 200


async def test_without_login_everybody_on_this_machine_may_come(rig: DashboardRig) -> None:
    async with open_site(rig, login=False) as site:
        browser = await site.browser()

        csrf = await csrf_of(browser)

        assert (await browser.post(KNOCK, data={"csrf": csrf})).status_code == 200
        assert (await browser.post(KNOCK)).status_code == 403


@pytest.mark.parametrize(
    ("host", "status"),
    [("evil.example", 401), ("localhost:8484", 200), ("[::1]:8484", 200), ("", 401)],
)
async def test_without_login_a_name_of_someone_else_does_not_stand_for_us(
    rig: DashboardRig, host: str, status: int
) -> None:
    async with open_site(rig, login=False) as site:
        browser = await site.browser(host=host)

        assert (await browser.get(KNOCK)).status_code == status


async def test_without_login_a_trusted_proxy_may_call_us_as_it_likes(rig: DashboardRig) -> None:
    async with open_site(rig, login=False, trusted_proxies=HERE) as site:
        browser = await site.browser(host="clerk.example")

        assert (await browser.get(KNOCK)).status_code == 200


async def test_where_the_proxy_does_the_login_the_page_says_so(rig: DashboardRig) -> None:
    web = {"login": False, "trusted_proxies": ELSEWHERE, "user_header": "Remote-User"}
    async with open_site(rig, **web) as site:
        page = await (await site.browser()).get("/login", headers=PAGE)

        assert "The proxy in front of Paperclerk handles logins." in page.text
        assert 'action="/login"' not in page.text


async def test_by_tls_the_cookie_is_kept_safe(rig: DashboardRig) -> None:
    async with open_site(rig, trusted_proxies=HERE) as site:
        await site.logged_in_browser()

        answer = await log_in(await site.browser(**TLS))

        assert answer.headers["set-cookie"].startswith("__Host-paperclerk=")
        for part in ("Secure", "HttpOnly", "SameSite=lax", "Path=/"):
            assert f"; {part}" in answer.headers["set-cookie"]


async def test_tls_is_not_believed_from_strangers(site: AuthSite) -> None:
    await site.logged_in_browser()

    answer = await log_in(await site.browser(**TLS))

    assert answer.headers["set-cookie"].startswith("paperclerk=")
    assert "Secure" not in answer.headers["set-cookie"]


@pytest.mark.parametrize("prefix", ["/clerk", ""], ids=["passed on", "stripped"])
async def test_below_a_path_cookie_and_redirects_stay_there(rig: DashboardRig, prefix: str) -> None:
    async with open_site(rig, base_path="/clerk", trusted_proxies=HERE) as site:
        await site.logged_in_browser()
        browser = await site.browser(**TLS)

        form = {"password": "correct horse battery", "next": "/review"}
        answer = await browser.post(f"{prefix}/login", data=form)
        turned_away = await (await site.browser()).get(f"{prefix}/paper?day=1", headers=PAGE)

        assert answer.headers["location"] == "/clerk/review"
        assert answer.headers["set-cookie"].startswith("__Secure-paperclerk=")
        assert "; Path=/clerk;" in answer.headers["set-cookie"]
        assert turned_away.headers["location"] == "/clerk/login?next=%2Fpaper%3Fday%3D1"
