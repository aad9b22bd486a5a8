"""Messages, on the page of the settings."""

from dataclasses import replace

import httpx
import pytest

from core.notifications import NewNotice, NoticeKind
from daemon.notify.sender import NotTaken
from daemon.services import Clerk
from dashboard.auth import Right
from tests.dashboard.api_room import READER, room_of
from tests.dashboard.conftest import Room, browser_in

BUTTON = 'action="/settings/test-message"'


class Courier:
    """Sends tests, unless it cannot."""

    def __init__(self) -> None:
        self.sent = 0
        self.is_away = False

    async def send(self) -> None:
        if self.is_away:
            raise NotTaken("not taken by address 1 (ntfy)")
        self.sent += 1


@pytest.fixture
def courier() -> Courier:
    return Courier()


@pytest.fixture
def told(clerk: Clerk, courier: Courier) -> Room:
    room = room_of(clerk)
    return replace(room, desk=replace(room.desk, send_test=courier.send))


async def shown(room: Room) -> str:
    async with browser_in(room) as browser:
        return (await browser.get("/settings")).text


async def pressed(room: Room) -> str:
    """Press the button; return what the page says then."""
    async with browser_in(room) as browser:
        answer = await browser.post("/settings/test-message")
        assert (answer.status_code, answer.headers["location"]) == (303, "/settings")
        return (await browser.get("/settings")).text


async def test_a_test_is_sent_at_the_press_of_a_button(told: Room, courier: Courier) -> None:
    page = await pressed(told)

    assert "A test message is sent." in page
    assert courier.sent == 1


async def test_that_it_does_not_arrive_is_said(told: Room, courier: Courier) -> None:
    courier.is_away = True

    assert "The message did not arrive everywhere." in await pressed(told)


async def test_without_addresses_there_is_no_button(
    visited: Room, browser: httpx.AsyncClient
) -> None:
    assert BUTTON not in await shown(visited)
    assert (await browser.post("/settings/test-message")).status_code == 404


async def test_what_became_of_the_last_message_is_shown(told: Room) -> None:
    notices, now = told.desk.store.notices, told.desk.clock()
    assert "No message was sent so far." in await shown(told)

    for key, ends in (("a", notices.sent), ("b", notices.lose)):
        await notices.record([NewNotice(NoticeKind.REVIEW, "review", key, {})], now=now)
        [one] = await notices.begin(now=now)
        await ends([one.id], problem=f"problem {key}", now=now)
        page = await shown(told)
        sent = "The last message was sent:" in page
        assert (sent, f"problem {key}" in page) == (key == "a", True)


async def test_who_only_reads_sends_nothing(told: Room, courier: Courier) -> None:
    told.porter.person = READER
    assert READER.right is Right.READ
    async with browser_in(told) as browser:
        answer = await browser.post("/settings/test-message")

    assert (answer.status_code, courier.sent) == (403, 0)
    assert BUTTON not in await shown(told)
