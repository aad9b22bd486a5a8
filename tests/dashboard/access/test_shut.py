"""Whoever guesses has to wait."""

import httpx

from core.access import Patience
from tests.dashboard.access.conftest import House, logged_in, open_house
from tests.dashboard.conftest import Room

MOST = Patience().from_one_address
PROXY = {"trusted_proxies": ("127.0.0.1",)}


async def guessed(browser: httpx.AsyncClient, times: int = MOST) -> list[int]:
    return [(await logged_in(browser, f"guess {one}")).status_code for one in range(times)]


async def test_after_some_wrong_passwords_none_is_looked_at(house: House) -> None:
    await house.at_home()
    browser = await house.browser()

    assert await guessed(browser) == [403] * MOST
    house.clock.advance(minutes=5)
    right = await logged_in(browser)

    assert right.status_code == 429
    assert right.headers["retry-after"] == "600"
    assert "The next one is possible in 10 min." in right.text


async def test_the_door_opens_again_by_itself(house: House) -> None:
    await house.at_home()
    browser = await house.browser()
    await guessed(browser)

    house.clock.advance(minutes=15)

    assert (await logged_in(browser)).status_code == 303


async def test_the_right_password_wipes_the_slate(house: House) -> None:
    await house.at_home()
    browser = await house.browser()

    for _ in range(2):
        assert await guessed(browser, MOST - 1) == [403] * (MOST - 1)
        assert (await logged_in(browser)).status_code == 303


async def test_who_is_in_stays_in_while_the_door_is_shut(house: House) -> None:
    inside, outside = await house.at_home(), await house.browser()

    await guessed(outside)

    assert (await inside.get("/api/v1/knock")).status_code == 200


async def test_behind_a_trusted_proxy_each_visitor_is_counted_alone(room: Room) -> None:
    async with open_house(room, **PROXY) as house:
        await house.at_home()
        guesser = await house.browser(**{"x-forwarded-for": "198.51.100.1"})
        owner = await house.browser(**{"x-forwarded-for": "198.51.100.2"})

        await guessed(guesser)

        assert (await logged_in(guesser)).status_code == 429
        assert (await logged_in(owner)).status_code == 303


async def test_a_stranger_cannot_pretend_to_be_many(house: House) -> None:
    await house.at_home()

    for number in range(MOST):
        browser = await house.browser(**{"x-forwarded-for": f"198.51.100.{number}"})
        assert await guessed(browser, 1) == [403]

    assert await guessed(await house.browser(), 1) == [429]
