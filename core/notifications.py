"""Notifications to the owner, and their delivery state."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import JsonValue


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


class NotificationState(StrEnum):
    """Delivery state of a notification."""

    WAITING = "waiting"
    SENDING = "sending"
    """It is being sent, or its process died while sending."""
    SENT = "sent"
    LOST = "lost"
    """All tries failed, or it is unknown whether it arrived."""
    SILENT = "silent"
    """Not sent, only recorded: the start of a count, or that there was nothing to report."""


@dataclass(frozen=True, slots=True)
class NewNotification:
    """A notification to be recorded."""

    kind: NotificationKind
    topic: str
    """Subject within the kind; the latest notification of a topic has the current state."""
    key: str
    """Identity: a notification with the same key is sent once."""
    facts: Mapping[str, JsonValue]
    """Figures and names; no text and no title of a document."""
    state: NotificationState = NotificationState.WAITING


@dataclass(frozen=True, slots=True)
class Notification:
    """A recorded notification."""

    id: int
    kind: NotificationKind
    topic: str
    facts: Mapping[str, JsonValue]
    state: NotificationState
    recorded_at: datetime
    tries: int
    settled_at: datetime | None
    problem: str
    """Why the last try did not reach every service; "" if it did."""
