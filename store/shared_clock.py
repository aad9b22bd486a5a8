"""The shared clock: our clock, corrected by the database's.

Heartbeats are written by one machine and read by others, so all must use the same time.
"""

from datetime import datetime, timedelta

import structlog
from sqlalchemy import Connection, func, select

from core.clock import Clock

log = structlog.get_logger()

CLOSE_ENOUGH = timedelta(seconds=1)
"""Smaller differences are ignored: a worker counts as dead only after minutes of silence."""


class SharedClock:
    """A clock with the database's time, once it is synchronized."""

    def __init__(self, ours: Clock) -> None:
        self._ours = ours
        self._behind = timedelta()

    def __call__(self) -> datetime:
        return self._ours() + self._behind

    def synchronize(self, connection: Connection) -> None:
        """Measure the difference to the database's clock; ignore a slow, inaccurate answer."""
        asked_at = self._ours()
        theirs = read_database_time(connection)
        took = self._ours() - asked_at
        if timedelta() <= took <= CLOSE_ENOUGH:
            self._set(theirs - (asked_at + took / 2))

    def _set(self, behind: timedelta) -> None:
        before, self._behind = self._behind, _worth_it(behind)
        if self._behind and not before:
            log.warning("clock set by the database", seconds=round(behind.total_seconds(), 1))
        elif before and not self._behind:
            log.info("clock agrees with the database")


def read_database_time(connection: Connection) -> datetime:
    """Return the time of a PostgreSQL server."""
    theirs: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return theirs


def _worth_it(behind: timedelta) -> timedelta:
    return behind if abs(behind) > CLOSE_ENOUGH else timedelta()
