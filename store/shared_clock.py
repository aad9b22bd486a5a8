"""The shared clock: our clock, corrected by the database's.

Heartbeats are written by one machine and read by others, so all must use the same time.
"""

from datetime import datetime, timedelta

import structlog
from sqlalchemy import Connection, func, select

from core.calendar import Clock

log = structlog.get_logger()

CLOSE_ENOUGH = timedelta(seconds=1)
"""Smaller differences are ignored: a worker counts as dead only after minutes of silence."""


class SharedClock:
    """A clock with the database's time, once it is synchronized."""

    def __init__(self, local_clock: Clock) -> None:
        self._local_clock = local_clock
        self._behind = timedelta()

    def __call__(self) -> datetime:
        return self._local_clock() + self._behind

    def synchronize(self, connection: Connection) -> None:
        """Measure the difference to the database's clock; ignore a slow, inaccurate answer."""
        asked_at = self._local_clock()
        database_time = read_database_time(connection)
        took = self._local_clock() - asked_at
        if timedelta() <= took <= CLOSE_ENOUGH:
            self._set(database_time - (asked_at + took / 2))

    def _set(self, behind: timedelta) -> None:
        before, self._behind = self._behind, _drop_small(behind)
        if self._behind and not before:
            log.warning("clock set by the database", seconds=round(behind.total_seconds(), 1))
        elif before and not self._behind:
            log.info("clock agrees with the database")


def read_database_time(connection: Connection) -> datetime:
    """Return the time of a PostgreSQL server."""
    database_time: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return database_time


def _drop_small(behind: timedelta) -> timedelta:
    return behind if abs(behind) > CLOSE_ENOUGH else timedelta()
