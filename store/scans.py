"""Scans: their reports, and the documents and jobs of each page."""

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Connection, RowMapping, func, or_, select, text, update

from core.documents import DocumentRef, DocumentState
from core.jobs import ANALYZE, EventName, NewJob
from core.messages import message
from core.scans import Scan, ScanPage, SkipReason
from store import scan_moves, scan_progress
from store.announcements import CHANGE_IF_ANY, WORK
from store.database import Database
from store.document_search import ids_of_heads
from store.documents import get_states
from store.engine import insert_into
from store.errors import InvalidTransition
from store.queue import events
from store.queue.moves import enqueued_facts
from store.rows import new_document_row, new_job_row, ref_of, scan_of
from store.tables import UNFINISHED, documents, jobs, scans

Selected = Sequence[tuple[NewJob, str]]

_OPEN = text(UNFINISHED)


class Scans:
    """Scans of instances and their reports. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.request = write(scan_moves.request, announces=WORK)
        self.find_requested = read(scan_moves.find_requested)
        self.start = write(scan_moves.start)
        self.close_orphans = write(scan_moves.close_orphans, announces=CHANGE_IF_ANY)
        self.close_abandoned = write(scan_moves.close_abandoned, announces=CHANGE_IF_ANY)
        self.close_of_former_terms = write(
            scan_moves.close_of_former_terms, announces=CHANGE_IF_ANY
        )
        self.close_silent = write(scan_moves.close_silent, announces=CHANGE_IF_ANY)
        self.record_page = write(record_page, announces=WORK)
        self.enqueue_selected = write(enqueue_selected, announces=WORK)
        self.finish = write(scan_moves.finish)
        self.give_up = write(scan_moves.give_up)
        self.get_mark = read(scan_moves.get_mark)
        self.get = read(scan_moves.get)
        self.list = read(list_scans)
        self.list_for_instances = read(list_for_instances)
        self.list_unfinished = read(list_unfinished)
        self.get_latest = read(get_latest)
        self.list_by_ids = read(scan_progress.list_by_ids)
        self.count_live_jobs = read(scan_progress.count_live_jobs_by_scan)
        self.count_finished_jobs = read(scan_progress.count_finished_jobs)


def record_page(connection: Connection, scan_id: int, page: ScanPage, *, now: datetime) -> int:
    """Store a page's documents and jobs and count them; return how many jobs were enqueued.

    Documents that were queued or ignored in the meantime are counted as skipped. Raise
    ScanNotFound, or InvalidTransition if the scan is not running.
    """
    scan = _require_running(connection, scan_id)
    wanted = _drop_ignored(connection, page.selected)
    inserted = _enqueue(connection, wanted, scan_id, now)
    late = {
        SkipReason.IGNORED: len(page.selected) - len(wanted),
        SkipReason.QUEUED: len(wanted) - inserted,
    }
    skipped = Counter(scan.skipped) + Counter(page.skipped) + Counter(late)
    counters = update(scans).where(scans.c.id == scan_id)
    connection.execute(
        counters.values(
            seen=scans.c.seen + page.seen,
            enqueued=scans.c.enqueued + inserted,
            skipped={reason.value: count for reason, count in skipped.items()},
        )
    )
    return inserted


def enqueue_selected(connection: Connection, selected: Selected, *, now: datetime) -> int:
    """Store documents that were selected outside a scan, with their jobs; return how many.

    Documents that were queued or ignored in the meantime are left out.
    """
    return _enqueue(connection, _drop_ignored(connection, selected), None, now)


def _drop_ignored(connection: Connection, selected: Selected) -> Selected:
    analyses = [new.document for new, _ in selected if new.kind == ANALYZE]
    ignored: set[DocumentRef] = set()
    for instance in {ref.instance for ref in analyses}:
        states = get_states(
            connection, instance, [r.id for r in analyses if r.instance == instance]
        )
        ignored |= {
            DocumentRef(instance, number)
            for number, state in states.items()
            if state is DocumentState.IGNORED
        }
    return [(new, title) for new, title in selected if new.document not in ignored]


def _enqueue(connection: Connection, wanted: Selected, scan_id: int | None, now: datetime) -> int:
    inserted = _insert_jobs(connection, wanted, scan_id, now)
    _queue_documents(connection, wanted, inserted, now)
    return len(inserted)


def _insert_jobs(
    connection: Connection, wanted: Selected, scan_id: int | None, now: datetime
) -> Sequence[RowMapping]:
    if not wanted:
        return ()
    last = connection.scalar(select(func.max(jobs.c.id))) or 0
    # Measured: executing one statement with many rows is ten times as fast as one with many values.
    rows = [new_job_row(new, now=now, scan_id=scan_id) for new, _ in wanted]
    connection.execute(insert_into(connection, jobs).on_conflict_do_nothing(), rows)
    inserted = connection.execute(
        select(jobs).where(jobs.c.id > last).order_by(jobs.c.id)
    ).mappings()
    found = inserted.all()
    scan = {} if scan_id is None else {"scan": scan_id}
    facts = {row["id"]: enqueued_facts(_new_job_of(row)) | scan for row in found}
    events.append_all(connection, EventName.ENQUEUED, facts, at=now)
    return found


def _new_job_of(row: RowMapping) -> NewJob:
    return NewJob(ref_of(row), row["kind"], row["priority"], row["asked_by"])


def _queue_documents(
    connection: Connection, wanted: Selected, inserted: Sequence[RowMapping], now: datetime
) -> None:
    analysed = {ref_of(row) for row in inserted if row["kind"] == ANALYZE}
    rows = [
        new_document_row(new.document, DocumentState.QUEUED, title=title, now=now)
        for new, title in wanted
        if new.kind == ANALYZE and new.document in analysed
    ]
    if not rows:
        return
    statement = insert_into(connection, documents)
    again = {
        name: statement.excluded[name] for name in ("state", "title", "title_key", "updated_at")
    }
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=["instance", "document_id"], set_=again | {"trigger_removed": False}
        ),
        rows,
    )


def _require_running(connection: Connection, scan_id: int) -> Scan:
    scan = scan_moves.require_unfinished(connection, scan_id)
    if scan.started_at is None:
        which = message("scan {number}", number=str(scan_id))
        raise InvalidTransition(which, state="only asked for", wanted="longer")
    return scan


def list_scans(
    connection: Connection,
    instance: str | None = None,
    limit: int = 100,
    before_id: int | None = None,
) -> tuple[Scan, ...]:
    """List scans, newest first."""
    only = None if instance is None else {instance}
    return list_for_instances(connection, instances=only, limit=limit, before_id=before_id)


def get_latest(connection: Connection, instance: str) -> Scan | None:
    """Return the newest scan of an instance; None before its first."""
    return next(iter(list_scans(connection, instance, limit=1)), None)


def list_for_instances(
    connection: Connection,
    *,
    instances: Collection[str] | None,
    limit: int = 100,
    before_id: int | None = None,
    with_empty: bool = True,
) -> tuple[Scan, ...]:
    """List the scans of several instances, newest first; None for all of them.

    A scan is empty if it enqueued nothing, has ended and had no problem.
    """
    newest = select(scans).order_by(scans.c.id.desc()).limit(limit)
    if not with_empty:
        newest = newest.where(or_(scans.c.enqueued > 0, scans.c.problem.is_not(None), _OPEN))
    if before_id is not None:
        newest = newest.where(scans.c.id < before_id)
    if instances is not None:
        ids = newest.with_only_columns(scans.c.id)
        heads = ids_of_heads(ids.where(scans.c.instance == name) for name in sorted(instances))
        if heads is None:
            return ()
        newest = newest.where(scans.c.id.in_(select(heads.c.id)))
    return tuple(scan_of(row) for row in connection.execute(newest).mappings())


def list_newest_two(connection: Connection, instances: Collection[str]) -> tuple[Scan, ...]:
    """List the two newest scans of each instance, the newest first: at least one has ended."""
    two = (
        select(scans.c.id).where(scans.c.instance == name).order_by(scans.c.id.desc()).limit(2)
        for name in sorted(instances)
    )
    heads = ids_of_heads(two)
    if heads is None:
        return ()
    found = select(scans).where(scans.c.id.in_(select(heads.c.id))).order_by(scans.c.id.desc())
    return tuple(scan_of(row) for row in connection.execute(found).mappings())


def list_unfinished(connection: Connection) -> tuple[Scan, ...]:
    """List the requested and running scans: at most one for each instance."""
    open_ = select(scans).where(_OPEN).order_by(scans.c.id)
    return tuple(scan_of(row) for row in connection.execute(open_).mappings())
