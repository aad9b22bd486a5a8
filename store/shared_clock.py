"""One time for all who share a queue: our clock, set by the database's.

Who is alive is told by when he was heard of, and that is written by one machine and read by others.
"""

from datetime import datetime, timedelta

import structlog
from sqlalchemy import Connection, func, select

from core.clock import Clock

log = structlog.get_logger()

CLOSE_ENOUGH = timedelta(seconds=1)
"""Clocks that differ by less agree: it takes minutes of silence to be taken for dead."""


class SharedClock:
    """A clock that tells the time of the database, as far as it was asked for it."""

    def __init__(self, ours: Clock) -> None:
        self._ours = ours
        self._behind = timedelta()

    def __call__(self) -> datetime:
        return self._ours() + self._behind

    def synchronize(self, connection: Connection) -> None:
        """Ask the database what time it is; an answer that took long says too little."""
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
    """Ask a PostgreSQL what time it is."""
    theirs: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return theirs


def _worth_it(behind: timedelta) -> timedelta:
    return behind if abs(behind) > CLOSE_ENOUGH else timedelta()
