"""The clock: the only module that reads the system's time."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the current time, aware and in UTC."""
    return datetime.now(UTC)  # noqa: TID251 - the clock itself
