"""Notifications, through the API."""

import pytest

from core.notifications import NewNotification, NotificationKind
from daemon.services import Services
from tests.dashboard.api_client import Client

PHONE = "1 (ntfy)"


@pytest.fixture
async def three(services: Services) -> None:
    """Three notifications; the address has the first."""
    notifications, now = services.store.notifications, services.context.clock()
    for number in (5, 6, 7):
        new = NewNotification(
            NotificationKind.REVIEW, "review", f"review:{number}", {"documents": number}
        )
        await notifications.record([new], channels=[PHONE] if number == 5 else [], now=now)
    [claimed] = await notifications.claim_due([PHONE], now=now)
    await notifications.mark_sent([claimed.delivery.id], now=now)


@pytest.mark.usefixtures("three")
async def test_they_are_listed_page_by_page_with_their_deliveries(api: Client) -> None:
    first = await api.page("/notifications", limit=2)
    rest = await api.page("/notifications", limit=2, after=first["next"])

    assert [item["id"] for item in first["items"] + rest["items"]] == [3, 2, 1]
    assert first["items"][0]["text"] == "7 documents are waiting for review."
    [listed, sent] = rest["items"][0]["deliveries"]
    assert (listed["channel"], listed["state"]) == ("in_app", "sent")
    assert (sent["channel"], sent["state"], sent["attempts"]) == (PHONE, "sent", 1)
    assert (sent["next_attempt_at"], sent["problem"]) == (None, None)


@pytest.mark.usefixtures("three")
async def test_one_or_all_are_marked_as_read(api: Client) -> None:
    one = await api.post("/notifications/2/read")
    again = await api.post("/notifications/2/read")
    unread = await api.page("/notifications", unread=True)
    some = await api.post("/notifications/read?until=1")
    rest = await api.post("/notifications/read")

    assert (one, again) == ({"marked": 1}, {"marked": 0})
    assert [item["id"] for item in unread["items"]] == [3, 1]
    assert (some, rest) == ({"marked": 1}, {"marked": 1})


async def test_an_unknown_one_is_not_found(api: Client) -> None:
    refused = await api.refused("POST", "/notifications/9/read")

    assert refused == (404, "notification_not_found")
