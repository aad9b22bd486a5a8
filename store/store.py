"""Open the store: one face for everything that is remembered."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from core.clock import Clock, utc_now
from store.calls import Calls
from store.capabilities import Capabilities
from store.changes import Changes
from store.database import Database
from store.documents import Documents
from store.engine import engines_for
from store.errors import CannotOpen
from store.holds import Holds
from store.instances import Instances
from store.jobs import Jobs
from store.migrate import make_ready
from store.results import Results
from store.scans import Scans


class Store:
    """Everything that is remembered, by subject. Each method of a subject is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.calls = Calls(database)
        self.capabilities = Capabilities(database)
        self.changes = Changes(database)
        self.documents = Documents(database)
        self.holds = Holds(database)
        self.instances = Instances(database)
        self.jobs = Jobs(database)
        self.results = Results(database)
        self.scans = Scans(database)

    @property
    def shared(self) -> bool:
        """Tell whether several processes may drain this queue; if not, take the WorkLock."""
        return self._database.engines.shared

    async def close(self) -> None:
        """Wait for what is under way and close all connections; harmless when done twice."""
        await self._database.close()


@asynccontextmanager
async def open_store(
    url: str | None, data: Path, *, clock: Clock = utc_now
) -> AsyncIterator[Store]:
    """Open the SQLite file in `data`, or the PostgreSQL at `url`, migrated to our schema.

    Raise CannotOpen, or one of its kin, with what the operator can do.
    """
    database = Database(engines_for(url, data))
    try:
        await database.in_writer_thread(lambda: _make_ready(database, data, clock))
        yield Store(database)
    finally:
        await database.close()


def _make_ready(database: Database, data: Path, clock: Clock) -> None:
    try:
        make_ready(database.engines, data, now=clock())
    except DBAPIError as error:
        raise CannotOpen(f"the database cannot be opened: {error.orig}") from error
