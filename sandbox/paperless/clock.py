"""The clock of a fake Paperless: it never returns the same moment twice."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta


def system_time() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 - the sandbox imports nothing of ours, not even the clock


class Clock:
    """Returns strictly increasing moments, so that `modified` orders the writes exactly."""

    def __init__(self, source: Callable[[], datetime] = system_time) -> None:
        self._source = source
        self._last: datetime | None = None

    def __call__(self) -> datetime:
        now = self._source()
        if self._last is not None and now <= self._last:
            now = self._last + timedelta(microseconds=1)
        self._last = now
        return now

    def pass_by(self, moment: datetime) -> None:
        """Return only later moments from now on."""
        self._last = moment if self._last is None else max(self._last, moment)
