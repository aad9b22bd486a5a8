"""Messages, on the page of the settings."""

from dataclasses import replace

import httpx
import pytest

from core.notifications import NewNotification, NotificationKind
from daemon.notify.sender import NotDelivered
from daemon.services import Services
from dashboard.auth import Permission
from tests.dashboard.api_client import READER, build_rig
from tests.dashboard.conftest import DashboardRig, open_browser

BUTTON = 'action="/settings/test-message"'


class RecordingSender:
    """Sends tests, unless it cannot."""

    def __init__(self) -> None:
        self.sent = 0
        self.is_down = False

    async def send(self) -> None:
        if self.is_down:
            raise NotDelivered("not taken by address 1 (ntfy)")
        self.sent += 1


@pytest.fixture
def sender() -> RecordingSender:
    return RecordingSender()


@pytest.fixture
def notifying_rig(services: Services, sender: RecordingSender) -> DashboardRig:
    rig = build_rig(services)
    return replace(rig, context=replace(rig.context, send_test=sender.send))


async def shown(rig: DashboardRig) -> str:
    async with open_browser(rig) as browser:
        return (await browser.get("/settings")).text


async def pressed(rig: DashboardRig) -> str:
    """Press the button; return what the page says then."""
    async with open_browser(rig) as browser:
        answer = await browser.post("/settings/test-message")
        assert (answer.status_code, answer.headers["location"]) == (303, "/settings")
        return (await browser.get("/settings")).text


async def test_a_test_is_sent_at_the_press_of_a_button(
    notifying_rig: DashboardRig, sender: RecordingSender
) -> None:
    page = await pressed(notifying_rig)

    assert "Test notification sent." in page
    assert sender.sent == 1


async def test_that_it_does_not_arrive_is_said(
    notifying_rig: DashboardRig, sender: RecordingSender
) -> None:
    sender.is_down = True

    assert "The notification could not be sent to every address." in await pressed(notifying_rig)


async def test_without_addresses_there_is_no_button(
    services_rig: DashboardRig, browser: httpx.AsyncClient
) -> None:
    assert BUTTON not in await shown(services_rig)
    assert (await browser.post("/settings/test-message")).status_code == 404


async def test_what_became_of_the_last_message_is_shown(notifying_rig: DashboardRig) -> None:
    notices, now = notifying_rig.context.store.notifications, notifying_rig.context.clock()
    assert "No notification has been sent yet." in await shown(notifying_rig)

    for key, ends in (("a", notices.mark_sent), ("b", notices.give_up)):
        await notices.record([NewNotification(NotificationKind.REVIEW, "review", key, {})], now=now)
        [claimed] = await notices.claim_due(now=now)
        await ends([claimed.id], problem=f"problem {key}", now=now)
        page = await shown(notifying_rig)
        sent = "Last notification sent:" in page
        assert (sent, f"problem {key}" in page) == (key == "a", True)


async def test_who_only_reads_sends_nothing(
    notifying_rig: DashboardRig, sender: RecordingSender
) -> None:
    notifying_rig.authenticator.person = READER
    assert READER.right is Permission.READ
    async with open_browser(notifying_rig) as browser:
        answer = await browser.post("/settings/test-message")

    assert (answer.status_code, sender.sent) == (403, 0)
    assert BUTTON not in await shown(notifying_rig)
