"""`/notifications`: list notifications with their deliveries, and mark them as read."""

from datetime import UTC, datetime
from functools import partial
from typing import Annotated

from fastapi import Query
from pydantic import BaseModel

from actions import notifications
from actions.notifications import build_lines
from core.notifications import Delivery, DeliveryState, Notification
from dashboard.api.router import (
    After,
    Limit,
    Page,
    api_router,
    build_page,
    error_responses,
    parse_id_cursor,
)
from dashboard.auth.dependencies import ActCaller, ReadCaller
from dashboard.context import MAX_ID, PathId
from i18n import Translator, get_translator

router = api_router("/notifications", tag="notifications")

Unread = Annotated[bool, Query(description="Only those that are unread.")]
Until = Annotated[
    int | None,
    Query(ge=1, le=MAX_ID, description="Up to this notification; left out: all."),
]


class DeliveryShown(BaseModel):
    """A notification on one channel."""

    channel: str
    """`in_app`, or number and service of an address of `notify.urls`."""
    state: str
    attempts: int
    next_attempt_at: datetime | None
    settled_at: datetime | None
    problem: str | None
    """Why the last attempt failed."""


class NotificationShown(BaseModel):
    """A notification to the owner; it never contains text of a document."""

    id: int
    kind: str
    text: str
    recorded_at: datetime
    read_at: datetime | None
    """null: it is unread."""
    deliveries: list[DeliveryShown]


class MarkedShown(BaseModel):
    """How many notifications were marked as read."""

    marked: int


@router.get("", responses=error_responses(403))
async def list_notifications(
    caller: ReadCaller, after: After = None, limit: Limit = 50, *, unread: Unread = False
) -> Page[NotificationShown]:
    """List notifications, newest first."""
    found = await notifications.list_notifications(
        caller, limit=limit + 1, before_id=parse_id_cursor(after), only_unread=unread
    )
    # The API is in English.
    translator = get_translator("en", zone=caller.zone or UTC, now=caller.now())
    serialize = partial(serialize_notification, translator)
    return build_page(found, limit, lambda notification: notification.id, serialize)


@router.post("/read", responses=error_responses(403))
async def mark_all_read(caller: ActCaller, until: Until = None) -> MarkedShown:
    """Mark all notifications as read."""
    return MarkedShown(marked=await notifications.mark_all_read(caller, until))


@router.post("/{notification}/read", responses=error_responses(403, 404))
async def mark_read(caller: ActCaller, notification: PathId) -> MarkedShown:
    """Mark a notification as read; it counts only if it was unread."""
    return MarkedShown(marked=await notifications.mark_read(caller, notification))


def serialize_notification(translator: Translator, notification: Notification) -> NotificationShown:
    return NotificationShown(
        id=notification.id,
        kind=notification.kind,
        text="\n".join(build_lines(notification, translator)),
        recorded_at=notification.recorded_at,
        read_at=notification.read_at,
        deliveries=[_serialize_delivery(delivery) for delivery in notification.deliveries],
    )


def _serialize_delivery(delivery: Delivery) -> DeliveryShown:
    waits = delivery.state is DeliveryState.WAITING
    return DeliveryShown(
        channel=delivery.channel,
        state=delivery.state,
        attempts=delivery.attempts,
        next_attempt_at=delivery.due_at if waits else None,
        settled_at=delivery.settled_at,
        problem=None if delivery.problem is None else str(delivery.problem),
    )
