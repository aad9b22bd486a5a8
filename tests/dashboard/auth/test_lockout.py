"""Whoever guesses has to wait."""

import httpx
from structlog.testing import capture_logs

from core.access import LoginLimits
from tests.dashboard.auth.conftest import AuthSite, log_in, open_site
from tests.dashboard.conftest import DashboardRig

MAX_ATTEMPTS = LoginLimits().per_address
PROXY = {"trusted_proxies": ("127.0.0.1",)}


async def guessed(browser: httpx.AsyncClient, times: int = MAX_ATTEMPTS) -> list[int]:
    return [(await log_in(browser, f"guess {number}")).status_code for number in range(times)]


async def test_after_some_wrong_passwords_none_is_looked_at(site: AuthSite) -> None:
    await site.logged_in_browser()
    browser = await site.browser()

    assert await guessed(browser) == [403] * MAX_ATTEMPTS
    site.clock.advance(minutes=5)
    right = await log_in(browser)

    assert right.status_code == 429
    assert right.headers["retry-after"] == "600"
    assert "Try again in 10 min." in right.text


async def test_the_door_opens_again_by_itself(site: AuthSite) -> None:
    await site.logged_in_browser()
    browser = await site.browser()
    await guessed(browser)

    site.clock.advance(minutes=15)

    assert (await log_in(browser)).status_code == 303


async def test_the_right_password_wipes_the_slate(site: AuthSite) -> None:
    await site.logged_in_browser()
    browser = await site.browser()

    for _ in range(2):
        assert await guessed(browser, MAX_ATTEMPTS - 1) == [403] * (MAX_ATTEMPTS - 1)
        assert (await log_in(browser)).status_code == 303


async def test_who_is_in_stays_in_while_the_door_is_shut(site: AuthSite) -> None:
    inside, outside = await site.logged_in_browser(), await site.browser()

    await guessed(outside)

    assert (await inside.get("/api/v1/knock")).status_code == 200


async def test_behind_a_trusted_proxy_each_visitor_is_counted_alone(rig: DashboardRig) -> None:
    async with open_site(rig, **PROXY) as site:
        await site.logged_in_browser()
        guesser = await site.browser(**{"x-forwarded-for": "198.51.100.1"})
        owner = await site.browser(**{"x-forwarded-for": "198.51.100.2"})

        await guessed(guesser)

        assert (await log_in(guesser)).status_code == 429
        assert (await log_in(owner)).status_code == 303


async def test_a_stranger_cannot_pretend_to_be_many(site: AuthSite) -> None:
    await site.logged_in_browser()

    for number in range(MAX_ATTEMPTS):
        browser = await site.browser(**{"x-forwarded-for": f"198.51.100.{number}"})
        assert await guessed(browser, 1) == [403]

    assert await guessed(await site.browser(), 1) == [429]


async def test_wrong_passwords_from_a_shared_address_do_not_lock_out_a_device_that_has_logged_in(
    site: AuthSite,
) -> None:
    owner, stranger = await site.logged_in_browser(), await site.browser()
    owner.cookies.delete("paperclerk")

    assert await guessed(stranger, MAX_ATTEMPTS + 1) == [403] * MAX_ATTEMPTS + [429]

    assert (await log_in(owner)).status_code == 303
    assert (await log_in(stranger)).status_code == 429


async def test_a_device_that_has_logged_in_may_not_guess_for_ever_either(site: AuthSite) -> None:
    device, stranger = await site.logged_in_browser(), await site.browser()

    assert await guessed(device, MAX_ATTEMPTS + 1) == [403] * MAX_ATTEMPTS + [429]

    assert (await log_in(stranger)).status_code == 303


async def test_a_device_is_known_by_another_proof_after_each_login(site: AuthSite) -> None:
    owner = await site.logged_in_browser()
    before = owner.cookies["paperclerk-device"]

    await log_in(owner)
    thief = await site.browser()
    thief.cookies.set("paperclerk-device", before)

    assert owner.cookies["paperclerk-device"] != before
    assert await guessed(await site.browser()) == [403] * MAX_ATTEMPTS
    assert await guessed(thief, 1) == [429]


async def test_who_may_not_log_in_is_logged_once(site: AuthSite) -> None:
    await site.logged_in_browser()

    with capture_logs() as logs:
        await guessed(await site.browser(), 3 * MAX_ATTEMPTS)

    assert [line["event"] for line in logs].count("login blocked") == 1
