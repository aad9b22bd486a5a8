"""Notifications to the owner, and their deliveries by channel."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import JsonValue

from core.messages import Message

IN_APP = "in_app"
"""The channel of the dashboard's own list; the others are the addresses of `notify.urls`."""


class NotificationKind(StrEnum):
    """Subject of a notification."""

    REVIEW = "review"
    """Documents wait for review."""
    FAILED = "failed"
    """Documents failed after their last attempt."""
    CONNECTION = "connection"
    """Paperless or the model has become unreachable, or reachable again."""
    LIMIT = "limit"
    ALERT = "alert"
    """A warning of `/health`."""
    DIGEST = "digest"
    """Summary of a day."""


class DeliveryState(StrEnum):
    """State of a notification on one channel."""

    WAITING = "waiting"
    SENDING = "sending"
    """It is being sent, or its process died while sending."""
    SENT = "sent"
    LOST = "lost"
    """All attempts failed, or it is unknown whether it arrived."""


@dataclass(frozen=True, slots=True)
class NewNotification:
    """A notification to be recorded."""

    kind: NotificationKind
    topic: str
    """Subject within the kind; the latest notification of a topic has the current state."""
    key: str
    """Identity: a notification with the same key is recorded once."""
    facts: Mapping[str, JsonValue]
    """Figures and names; no text and no title of a document."""
    is_silent: bool = False
    """Only recorded: the start of a count, or that there was nothing to report."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """A notification on one channel."""

    id: int
    channel: str
    """`in_app`, or number and service of an address, such as "1 (ntfy)"; addresses are secret."""
    state: DeliveryState
    attempts: int
    due_at: datetime
    """When the next attempt is due, while it waits."""
    settled_at: datetime | None
    problem: Message | None
    """Why the last attempt failed; None if it did not."""


@dataclass(frozen=True, slots=True)
class Notification:
    """A recorded notification."""

    id: int
    kind: NotificationKind
    topic: str
    facts: Mapping[str, JsonValue]
    is_silent: bool
    recorded_at: datetime
    read_at: datetime | None = None
    deliveries: tuple[Delivery, ...] = ()
    """By channel, where they are loaded: in lists."""


@dataclass(frozen=True, slots=True)
class ClaimedDelivery:
    """A delivery that only the caller sends, with its notification."""

    delivery: Delivery
    notification: Notification


def parse_moment(fact: JsonValue) -> datetime:
    """Parse a time among the facts of a notification."""
    return datetime.fromisoformat(str(fact))
