"""Where nobody logs in, the forms of the login do nothing."""

from core.access import ADMIN
from tests.dashboard.auth.conftest import PASSWORD, AuthSite, open_site, set_password
from tests.dashboard.conftest import DashboardRig


async def sessions(site: AuthSite) -> int:
    return len(await site.context.store.access.sessions.list_for_account(ADMIN, now=site.clock()))


async def test_a_password_begins_no_session_that_nobody_would_look_at(rig: DashboardRig) -> None:
    async with open_site(rig) as site:
        await site.logged_in_browser()
        had = await sessions(site)
    async with open_site(rig, login=False) as site:
        browser = await site.browser()

        answer = await browser.post("/login", data={"password": PASSWORD, "next": "/jobs/7"})
        followed = await browser.get(answer.headers["location"])

        assert (answer.status_code, answer.headers["location"]) == (303, "/login?next=%2Fjobs%2F7")
        assert "set-cookie" not in answer.headers
        assert followed.headers["location"] == "/jobs/7"
        assert await sessions(site) == had


async def test_a_blocked_login_says_why_in_place_of_a_wrong_password(
    rig: DashboardRig,
) -> None:
    web = {"login": False, "trusted_proxies": ("203.0.113.1",), "user_header": "Remote-User"}
    async with open_site(rig, **web) as site:
        browser = await site.browser()

        answer = await browser.post(
            "/login", data={"password": "a guess or two"}, follow_redirects=True
        )

        assert answer.status_code == 200
        assert "The proxy in front of Paperclerk handles logins." in answer.text
        assert await sessions(site) == 0


async def test_a_link_sets_the_password_and_begins_no_session(rig: DashboardRig) -> None:
    async with open_site(rig, login=False) as site:
        answer = await set_password(await site.browser(), await site.link())

        assert (answer.status_code, "set-cookie" in answer.headers) == (303, False)
        assert await site.context.store.access.get_password_hash() is not None
        assert await sessions(site) == 0
