"""Open the store: one face for everything that is remembered."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from core.clock import Clock, utc_now
from store.access import Access
from store.calls import Calls
from store.capabilities import Capabilities
from store.change_signal import ChangeSignal
from store.changes.changes import Changes
from store.changes.written import WrittenValues
from store.data_folder import FileMonitor
from store.database import Database
from store.documents import Documents
from store.engine import engines_for, version_of
from store.holds import Holds
from store.instances import Instances, SearchFaults
from store.lock import WorkLock
from store.names import Names
from store.notifications import Activity, Notifications
from store.opening import Opener, OpenMode
from store.queue.jobs import Jobs
from store.queue.waits import Waits
from store.results import Results
from store.retention import Retention
from store.scans import Scans
from store.shared_clock import SharedClock
from store.statistics import HealthStatistics, Statistics
from store.workers import Workers


class Store:
    """Everything that is remembered, by subject. Each method of a subject is one transaction."""

    def __init__(self, database: Database, lock: WorkLock | None, clock: Clock) -> None:
        self._database = database
        self._shared_clock = SharedClock(clock) if database.engines.shared else None
        self.clock = self._shared_clock or clock
        """The time that all who share this queue go by, since `set_clock`."""
        self.lock = lock
        """To be held by who drains the queue; None if it is shared, and needs none."""
        self.access = Access(database)
        self.calls = Calls(database)
        self.capabilities = Capabilities(database)
        self.changes = Changes(database)
        self.documents = Documents(database)
        self.statistics = Statistics(database)
        self.holds = Holds(database)
        self.instances = Instances(database)
        self.jobs = Jobs(database)
        self.names = Names(database)
        self.activity = Activity(database)
        self.notifications = Notifications(database)
        self.results = Results(database)
        self.retention = Retention(database)
        self.scans = Scans(database)
        self.search_faults = SearchFaults(database)
        self.health = HealthStatistics(database)
        self.waits = Waits(database)
        self.workers = Workers(database)
        self.written = WrittenValues(database)
        self._watch = ChangeSignal(database)

    @property
    def shared(self) -> bool:
        """Tell whether several processes may drain this queue."""
        return self._database.engines.shared

    async def version(self) -> str:
        """Name the database that is behind all this, with its version."""
        return await self._database.read(version_of)

    async def synchronize_clock(self) -> None:
        """Have `clock` tell the database's time, if processes of several machines may share it."""
        if self._shared_clock is not None:
            await self._database.read(self._shared_clock.synchronize)

    async def check_schema(self) -> None:
        """Raise SchemaChanged if another version has changed the database beneath us.

        Then all that is asked for is refused likewise, until a look finds the schema as it was.
        """
        await self._database.check_schema()

    async def has_changed(self) -> bool:
        """Tell whether anything was committed since the last call; True at the first.

        Made to be asked about twice a second. It may be True though nothing of interest happened.
        """
        return await self._watch.has_changed()

    def new_change_signal(self) -> ChangeSignal:
        """Return someone who notices changes for himself, whatever others have noticed already."""
        return ChangeSignal(self._database)

    async def close(self) -> None:
        """Wait for what is under way and close all connections; harmless when done twice."""
        await self._database.close()


@asynccontextmanager
async def open_store(
    url: str | None,
    data: Path,
    *,
    opening: OpenMode = OpenMode.WORK,
    clock: Clock = utc_now,
) -> AsyncIterator[Store]:
    """Open the SQLite file in `data`, or the PostgreSQL at `url`, if it has our schema.

    If not, `opening` says what may be done about it. Raise CannotOpen, or one of its kin, with what
    the operator can do.
    """
    engines = engines_for(url, data)
    lock = None if engines.shared else WorkLock(data)
    opener = Opener(engines, data, opening, lock, clock)
    guard = None if engines.file is None else FileMonitor(engines.file, engines, opener.open)
    database = Database(engines, guard)
    try:
        await database.run_in_writer_thread(opener.open if guard is None else guard.open)
        yield Store(database, lock, clock)
    finally:
        await database.close()
