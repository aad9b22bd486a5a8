"""The store: all stored data by subject, and how it is opened."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

from core.calendar import Clock, utc_now
from store.access import Access
from store.calls import Calls, Capabilities
from store.change_signal import ChangeSignal, Listener
from store.changes import decisions, plans, review
from store.changes import moves as change_moves
from store.changes import reads as change_reads
from store.changes.written import WrittenValues
from store.data_folder import WorkLock
from store.database import CHANGE_IF_ANY, WORK, WORK_IF_ANY, Database, FencedDatabase, FileMonitor
from store.documents import Adoption, Documents
from store.engine import engines_for, index_engines_for, version_of
from store.holds import Holds
from store.index.archive import ArchiveIndex
from store.instances import Instances, SearchFaults, Webhooks
from store.learnt import LearntFacts
from store.names import Names
from store.notifications import Activity, Notifications
from store.opening import MAX_PREPARATION, Opener, OpenMode
from store.queue import claims, enqueue, events, moves, recovery
from store.queue import reads as job_reads
from store.queue.recovery import Waits
from store.results import Results
from store.retention import Retention
from store.scans import Scans
from store.statistics import HealthStatistics, Statistics
from store.workers import HeldLease, SharedClock, Workers


class Store:
    """All stored data, by subject. Each method of a subject is one transaction."""

    def __init__(
        self,
        database: Database,
        index: ArchiveIndex,
        lock: WorkLock | None,
        clock: Clock,
        lease: HeldLease | None = None,
    ) -> None:
        self._database = database
        self._lease = lease
        self.index = index
        self._shared_clock = SharedClock(clock) if database.engines.shared else None
        self.clock = self._shared_clock or clock
        """The clock that all processes of this queue share, once `synchronize_clock` was called."""
        self.lock = lock
        """Must be held to work on the queue; None if several processes may share it."""
        self.access = Access(database)
        self.adoption = Adoption(database)
        self.calls = Calls(database)
        self.capabilities = Capabilities(database)
        self.changes = Changes(database)
        self.documents = Documents(database)
        self.statistics = Statistics(database)
        self.holds = Holds(database)
        self.instances = Instances(database)
        self.jobs = Jobs(database)
        self.learnt = LearntFacts(database)
        self.names = Names(database)
        self.activity = Activity(database)
        self.notifications = Notifications(database)
        self.results = Results(database)
        self.retention = Retention(database)
        self.scans = Scans(database)
        self.search_faults = SearchFaults(database)
        self.health = HealthStatistics(database)
        self.waits = Waits(database)
        self.webhooks = Webhooks(database)
        self.workers = Workers(database)
        self.written = WrittenValues(database)
        announcer = database.engines.announcer
        self._listener = Listener(announcer) if announcer is not None else None
        self._watch = ChangeSignal(database, self._listener)

    @property
    def shared(self) -> bool:
        """Return whether several processes may work on this queue."""
        return self._database.engines.shared

    @property
    def term(self) -> int | None:
        """Return the term of the lease that fences our writes; None without a lease."""
        return None if self._lease is None else self._lease.term

    def new_lease(self, name: str, holder: str) -> HeldLease:
        """Return a lease that is still to be acquired. Only for a store that is shared."""
        return HeldLease(self._database, name, holder)

    def fenced_by(self, lease: HeldLease) -> "Store":
        """Return this store for the holder of a lease: without it, every write is refused.

        Its writes raise LeaseLost. It is closed with this store.
        """
        fenced = FencedDatabase(self._database, lease.require)
        return Store(fenced, self.index, self.lock, self.clock, lease)

    async def version(self) -> str:
        """Return the name and version of the database."""
        return await self._database.read(version_of)

    async def synchronize_clock(self) -> None:
        """Set `clock` by the database's if several machines may share the queue."""
        if self._shared_clock is not None:
            await self._database.read(self._shared_clock.synchronize)

    async def check_schema(self) -> None:
        """Raise SchemaChanged if another version has changed the schema.

        Then every transaction is refused until a later check finds the schema as it was.
        """
        await self._database.check_schema()

    async def has_changed(self) -> bool:
        """Return whether anything was committed since the last call; True at the first call.

        It is called about twice a second. It may be True although nothing of interest happened.
        """
        return await self._watch.has_changed()

    def new_change_signal(self) -> ChangeSignal:
        """Return a signal with a state of its own, independent of `has_changed`."""
        return ChangeSignal(self._database, self._listener)

    async def listen(self, on_work: Callable[[], None]) -> None:
        """Call `on_work` when another process leaves work, until cancelled. Only if shared.

        Meanwhile `has_changed` needs no query. Raise StoreUnavailable if the connection breaks.
        """
        assert self._listener is not None
        await self._listener.listen(on_work)

    async def close(self) -> None:
        """Wait for running transactions and close all connections; harmless when called twice."""
        await self._database.close()
        await self.index.close()


class Jobs:
    """The durable queue. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.enqueue = write(enqueue.enqueue, announces=WORK_IF_ANY)
        self.claim = write(claims.claim, announces=CHANGE_IF_ANY)
        self.heartbeat = write(claims.heartbeat, announces=None)
        self.record_model_call = write(claims.record_model_call, announces=None)
        self.record_progress = write(claims.record_progress)
        self.succeed = write(moves.succeed)
        self.succeed_and_claim = write(moves.succeed_and_claim)
        self.retry = write(moves.retry)
        self.release = write(moves.release, announces=WORK)
        self.postpone = write(moves.postpone)
        self.fail = write(moves.fail)
        self.end_cancelled = write(moves.end_cancelled)
        self.end_gone = write(moves.end_gone)
        self.end_read_only = write(moves.end_read_only)
        self.conclude = write(moves.conclude)
        self.recover = write(recovery.recover, announces=WORK_IF_ANY)
        self.recover_orphans = write(recovery.recover_orphans, announces=WORK_IF_ANY)
        self.bring_forward = write(moves.bring_forward, announces=WORK)
        self.cancel = write(moves.cancel, announces=WORK)
        self.restart = write(enqueue.restart, announces=WORK)
        self.cancel_of_scan = write(moves.cancel_of_scan, announces=WORK)
        self.restart_each = write(enqueue.restart_each, announces=WORK)
        self.get = read(moves.get)
        self.list_processing = read(job_reads.list_processing)
        self.list_asking_model = read(job_reads.list_asking_model)
        self.list_by_ids = read(job_reads.list_by_ids)
        self.list = read(job_reads.list_newest)
        self.list_facts = read(job_reads.list_run_facts)
        self.list_events = read(events.list_for_job)
        self.list_events_of_jobs = read(events.list_for_jobs)
        self.list_events_after = read(events.list_after)
        self.list_job_events_after = read(events.list_for_job_after)
        self.list_events_with_jobs = read(events.list_with_jobs)
        self.get_last_event_id = read(events.get_last_id)
        self.next_due_after = read(claims.next_due_after)
        self.is_anything_due = read(claims.is_anything_due)
        self.count_held = read(claims.count_held)
        self.count_held_by_instance = read(claims.count_held_by_instance)
        self.count_for_scan = read(job_reads.count_for_scan)
        self.count_for_scans = read(job_reads.count_for_scans)
        self.count_by_status = read(job_reads.count_by_status)


class Changes:
    """The ledger of changes. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.record_plan = write(plans.record_plan)
        self.begin = write(change_moves.begin)
        self.begin_undo = write(change_moves.begin_undo)
        self.settle_unconfirmed = write(change_moves.settle_unconfirmed)
        self.settle = write(change_moves.settle)
        self.decide = write(decisions.decide, announces=WORK)
        self.revise = write(decisions.revise, announces=WORK)
        self.undo_decision = write(decisions.undo_decision, announces=WORK)
        self.list_for_review = read(review.list_for_review)
        self.list_for_review_by_document = read(review.list_for_review_by_document)
        self.list_review_page = read(review.list_review_page)
        self.find_review_place = read(review.find_review_place)
        self.list_correspondents_for_review = read(review.list_correspondents_for_review)
        self.list_for_review_with_new_names = read(review.list_for_review_with_new_names)
        self.list_to_apply = read(change_reads.list_to_apply)
        self.list_for_apply_job = read(change_reads.list_for_apply_job)
        self.list_begun = read(change_reads.list_begun)
        self.list_written_automatically = read(change_reads.list_written_automatically)
        self.list_for_job = read(change_reads.list_for_job)
        self.list_for_document = read(change_reads.list_for_document)
        self.list_for_scan = read(change_reads.list_for_scan)
        self.get = read(change_reads.get)
        self.list_by_ids = read(change_reads.list_by_ids)
        self.list_applied = read(change_reads.list_applied)
        self.list_history = read(change_reads.list_history)
        self.list_latest = read(change_reads.list_latest)
        self.record_dry_run = write(plans.record_dry_run)
        self.list_suggestions = read(plans.list_suggestions)
        self.list_suggestions_of_jobs = read(plans.list_suggestions_of_jobs)


@asynccontextmanager
async def open_store(
    url: str | None,
    data: Path,
    *,
    opening: OpenMode = OpenMode.WORK,
    clock: Clock = utc_now,
    max_preparation: timedelta = MAX_PREPARATION,
) -> AsyncIterator[Store]:
    """Open the SQLite file in `data`, or the PostgreSQL database at `url`.

    `opening` decides what happens if it is missing or has another schema; `max_preparation` is how
    long to wait for another process that is creating or migrating it. Raise CannotOpen or one of
    its subclasses, with a hint for the operator.
    """
    engines = engines_for(url, data)
    lock = None if engines.shared else WorkLock(data)
    opener = Opener(engines, data, opening, lock, clock, max_preparation=max_preparation)
    monitor = None if engines.file is None else FileMonitor(engines.file, engines, opener.open)
    database = Database(engines, monitor)
    index = ArchiveIndex(Database(index_engines_for(url, data)))
    try:
        await database.run_in_writer_thread(opener.open if monitor is None else monitor.open)
        yield Store(database, index, lock, clock)
    finally:
        await database.close()
        await index.close()
