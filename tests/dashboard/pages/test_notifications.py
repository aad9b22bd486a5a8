"""Notifications: their list, and what the page of the settings shows of them."""

import re
from dataclasses import replace

import httpx
import pytest

from core.access import Permission
from core.notifications import NewNotification, NotificationKind
from daemon.notify.notifier import REFUSED, NotDelivered
from daemon.services import Services
from tests.dashboard.api_client import READER, build_rig
from tests.dashboard.conftest import ADMIN, DashboardRig, open_browser

BUTTON = 'action="/settings/test-message"'


class RecordingSender:
    """Sends tests, unless it cannot."""

    def __init__(self) -> None:
        self.sent = 0
        self.is_down = False

    async def send(self) -> None:
        if self.is_down:
            raise NotDelivered({"1 (ntfy)": REFUSED})
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

    for key in ("a", "b"):
        new = NewNotification(NotificationKind.REVIEW, "review", key, {})
        await notices.record([new], channels=["1 (ntfy)"], now=now)
    sent, lost = await notices.claim_due(["1 (ntfy)"], now=now)

    await notices.mark_sent([sent.delivery.id], now=now)
    assert "Last notification sent:" in await shown(notifying_rig)
    await notices.give_up([lost.delivery.id], problem=REFUSED, now=now)
    assert str(REFUSED) in await shown(notifying_rig)


async def test_who_only_reads_sends_nothing(
    notifying_rig: DashboardRig, sender: RecordingSender
) -> None:
    notifying_rig.authenticator.person = READER
    assert READER.right is Permission.READ
    async with open_browser(notifying_rig) as browser:
        answer = await browser.post("/settings/test-message")

    assert (answer.status_code, sender.sent) == (403, 0)
    assert BUTTON not in await shown(notifying_rig)


@pytest.fixture
async def listed_rig(services_rig: DashboardRig) -> DashboardRig:
    """Three notifications; one waits for its second attempt to be sent."""
    notifications, now = services_rig.context.store.notifications, services_rig.context.clock()
    for number in (5, 6, 7):
        new = NewNotification(
            NotificationKind.REVIEW, "review", f"review:{number}", {"documents": number}
        )
        await notifications.record([new], channels=["1 (ntfy)"] if number == 7 else [], now=now)
    [claimed] = await notifications.claim_due(["1 (ntfy)"], now=now)
    await notifications.postpone([claimed.delivery.id], until=now, problem=REFUSED)
    return services_rig


async def test_the_list_shows_what_is_unread_and_the_delivery_to_each_address(
    listed_rig: DashboardRig,
) -> None:
    await listed_rig.context.store.notifications.mark_read(2, now=listed_rig.context.clock())
    async with open_browser(listed_rig) as browser:
        page = (await browser.get("/notifications")).text

    assert "7 documents are waiting for review." in page
    assert f"1 (ntfy): waiting to be sent (1 attempt): {REFUSED}" in page
    assert page.count(">Mark as read<") == 2
    assert re.search(r'id="unread"><b class="count">2<', page)


async def test_the_list_says_in_german_why_a_delivery_failed(listed_rig: DashboardRig) -> None:
    async with open_browser(listed_rig) as browser:
        browser.headers["accept-language"] = "de"
        page = (await browser.get("/notifications")).text

    assert (
        "1 (ntfy): wartet auf den Versand (1 Versuch): der Dienst hat sie nicht angenommen" in page
    )


async def test_one_is_marked_as_read_and_then_all_that_were_shown(
    listed_rig: DashboardRig,
) -> None:
    notifications = listed_rig.context.store.notifications
    async with open_browser(listed_rig) as browser:
        await browser.post("/notifications/1/read")
        after_one = await notifications.count_unread()
        await browser.post("/notifications/read", data={"until": "2"})
        after_two = await notifications.count_unread()
        await browser.post("/notifications/read")

    assert (after_one, after_two, await notifications.count_unread()) == (2, 1, 0)


async def test_who_may_not_see_all_instances_sees_no_notifications(
    listed_rig: DashboardRig,
) -> None:
    listed_rig.authenticator.person = replace(ADMIN, instances=frozenset({"home"}))
    async with open_browser(listed_rig) as browser:
        answer = await browser.get("/notifications")
        overview = (await browser.get("/")).text

    assert answer.status_code == 403
    assert 'href="/notifications"' not in overview
