"""Notices: what the owner is told by a message, and how far each is on its way."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import JsonValue


class NotificationKind(StrEnum):
    """What a notice is about."""

    REVIEW = "review"
    """Documents wait for a person."""
    FAILED = "failed"
    """Documents failed, after their last attempt."""
    CONNECTION = "connection"
    """Paperless or the model does not answer, or does again."""
    LIMIT = "limit"
    ALERT = "alert"
    """Something that a person should look at, as `/health` warns of."""
    DIGEST = "digest"
    """What a day brought."""


class NotificationState(StrEnum):
    """How far a notice is on its way."""

    WAITING = "waiting"
    SENDING = "sending"
    """It is being sent, or whoever sent it died in the middle."""
    SENT = "sent"
    LOST = "lost"
    """It was tried often enough, or nobody knows whether it arrived."""
    SILENT = "silent"
    """It is only remembered: from where on to count, or that there was nothing to tell."""


@dataclass(frozen=True, slots=True)
class NewNotification:
    """A notice to be recorded."""

    kind: NotificationKind
    topic: str
    """What it is about, with the kind: of one topic, the latest notice says what is known."""
    key: str
    """What makes it the same notice: with one key it is told once."""
    facts: Mapping[str, JsonValue]
    """Numbers and names of ours; no text of a document, and no title."""
    state: NotificationState = NotificationState.WAITING


@dataclass(frozen=True, slots=True)
class Notification:
    """A notice that is recorded."""

    id: int
    kind: NotificationKind
    topic: str
    facts: Mapping[str, JsonValue]
    state: NotificationState
    recorded_at: datetime
    tries: int
    settled_at: datetime | None
    problem: str
    """Why the last try did not reach everybody; "" if it did."""
