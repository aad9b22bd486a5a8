"""Scans: their transitions, reports and marks, and the documents and jobs of each page.

An instance has at most one unfinished scan. Its mark records how far it has been scanned.
"""

from collections import Counter
from collections.abc import Collection
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    and_,
    delete,
    exists,
    insert,
    or_,
    select,
    text,
    update,
)

from core.errors import Problem
from core.jobs import ANALYZE
from core.messages import message
from core.scans import (
    FULL_COVERAGE,
    INTERRUPTED,
    Scan,
    ScanCoverage,
    ScanMark,
    ScanPage,
    SkipReason,
)
from core.spending import Consent
from core.workers import ONLY_PROCESSES
from store.database import CHANGE_IF_ANY, WORK, Database
from store.document_search import ids_of_heads
from store.engine import insert_into
from store.errors import InvalidTransition, ScanNotFound, ScanRunning
from store.queue.enqueue import drop_ignored, enqueue_all, enqueue_selected
from store.queue.reads import count_finished_jobs, count_live_jobs_by_scan
from store.rows import (
    Values,
    consent_row,
    problem_row,
    scan_of,
)
from store.tables import (
    UNFINISHED,
    instances,
    scan_marks,
    scans,
    workers,
)

_OPEN = text(UNFINISHED)


class Scans:
    """Scans of instances and their reports. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.request = write(request, announces=WORK)
        self.find_requested = read(find_requested)
        self.start = write(start)
        self.close_orphans = write(close_orphans, announces=CHANGE_IF_ANY)
        self.close_abandoned = write(close_abandoned, announces=CHANGE_IF_ANY)
        self.close_of_former_terms = write(close_of_former_terms, announces=CHANGE_IF_ANY)
        self.close_silent = write(close_silent, announces=CHANGE_IF_ANY)
        self.record_page = write(record_page, announces=WORK)
        self.enqueue_selected = write(enqueue_selected, announces=WORK)
        self.finish = write(finish)
        self.give_up = write(give_up)
        self.get_mark = read(get_mark)
        self.get = read(get)
        self.list = read(list_scans)
        self.list_for_instances = read(list_for_instances)
        self.list_unfinished = read(list_unfinished)
        self.get_latest = read(get_latest)
        self.list_by_ids = read(list_by_ids)
        self.count_live_jobs = read(count_live_jobs_by_scan)
        self.count_finished_jobs = read(count_finished_jobs)


def request(  # noqa: PLR0913 - the columns of a request
    connection: Connection,
    instance: str,
    *,
    asked_by: str,
    kind: str = ANALYZE,
    limit: int | None = None,
    consent: Consent | None = None,
    now: datetime,
) -> Scan:
    """Request a scan; return the requested or running one if there is one."""
    unfinished = _find_unfinished(connection, instance)
    if unfinished is not None:
        return unfinished
    new = insert(scans).values(
        instance=instance,
        asked_by=asked_by,
        kind=kind,
        limit=limit,
        requested_at=now,
        seen=0,
        enqueued=0,
        skipped={},
        **consent_row(consent),
    )
    return scan_of(connection.execute(new.returning(scans)).mappings().one())


def find_requested(connection: Connection, instance: str) -> Scan | None:
    """Return the scan that was requested and not started yet; None if there is none."""
    scan = _find_unfinished(connection, instance)
    return scan if scan is not None and scan.started_at is None else None


def start(  # noqa: PLR0913  # callers do not pass the connection
    connection: Connection,
    instance: str,
    *,
    asked_by: str,
    kind: str = ANALYZE,
    limit: int | None = None,
    term: int | None = None,
    consent: Consent | None = None,
    now: datetime,
) -> Scan:
    """Start a scan; a scan that was requested before is started as it was requested.

    `term` is that of the scanner's lease. Raise ScanRunning if one is already running.
    """
    scan = request(
        connection,
        instance,
        asked_by=asked_by,
        kind=kind,
        limit=limit,
        consent=consent,
        now=now,
    )
    if scan.started_at is not None:
        raise ScanRunning(scan)
    return _update(connection, scan.id, {"started_at": now, "term": term})


def record_page(connection: Connection, scan_id: int, page: ScanPage, *, now: datetime) -> int:
    """Store a page's documents and jobs and count them; return how many jobs were enqueued.

    Documents that were queued or ignored in the meantime are counted as skipped. Raise
    ScanNotFound, or InvalidTransition if the scan is not running.
    """
    scan = _require_unfinished(connection, scan_id)
    if scan.started_at is None:
        which = message("scan {number}", number=str(scan_id))
        raise InvalidTransition(which, state="only asked for", wanted="longer")
    wanted = drop_ignored(connection, page.selected)
    inserted = enqueue_all(connection, wanted, scan_id, now)
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


def finish(
    connection: Connection, scan_id: int, *, coverage: ScanCoverage = FULL_COVERAGE, now: datetime
) -> Scan:
    """Close the report of a completed scan, and store the instance's mark.

    Raise ScanNotFound, or InvalidTransition if it is closed already.
    """
    scan = _require_unfinished(connection, scan_id)
    if scan.started_at is not None:
        coverage_at = update(instances).where(instances.c.name == scan.instance)
        connection.execute(coverage_at.values(last_scan_at=now))
    if coverage.mark is not None:
        _save_mark(connection, scan.instance, coverage.mark)
    values: Values = {"finished_at": now, "changed_since": coverage.changed_since}
    return _update(connection, scan_id, values)


def give_up(connection: Connection, scan_id: int, *, problem: Problem, now: datetime) -> Scan:
    """Close the report of a scan that ended early; the mark is not changed.

    Raise ScanNotFound, or InvalidTransition if it is closed already.
    """
    _require_unfinished(connection, scan_id)
    return _update(connection, scan_id, {"finished_at": now, "problem": problem_row(problem)})


def close_orphans(connection: Connection, *, now: datetime) -> tuple[Scan, ...]:
    """End every running scan as interrupted; requested scans are kept.

    Only for a caller that knows that no other process scans.
    """
    return _interrupt(connection, scans.c.started_at.is_not(None), now)


def close_abandoned(
    connection: Connection, *, silent_since: datetime, now: datetime
) -> tuple[Scan, ...]:
    """End the scans as interrupted that no living process can have started.

    Every process with a heartbeat since `silent_since` started later than the scan, or only
    processes jobs.
    """
    can_be_theirs = exists().where(
        workers.c.beat_at >= silent_since,
        workers.c.started_at <= scans.c.started_at,
        workers.c.role != ONLY_PROCESSES,
    )
    return _interrupt(connection, and_(scans.c.started_at < silent_since, ~can_be_theirs), now)


def close_of_former_terms(connection: Connection, *, term: int, now: datetime) -> tuple[Scan, ...]:
    """End the scans as interrupted that former holders of the scanner's lease left running."""
    return _interrupt(connection, scans.c.term < term, now)


def close_silent(
    connection: Connection, *, silent_since: datetime, under_way: Collection[int], now: datetime
) -> tuple[Scan, ...]:
    """End the scans as interrupted that started before `silent_since` and are not in `under_way`.

    Only for a caller that knows that no other process scans, such as the holder of the WorkLock.
    """
    left = and_(scans.c.started_at < silent_since, scans.c.id.not_in(sorted(under_way)))
    return _interrupt(connection, left, now)


def get(connection: Connection, scan_id: int) -> Scan:
    """Return the scan, or raise ScanNotFound."""
    row = connection.execute(select(scans).where(scans.c.id == scan_id)).mappings().first()
    if row is None:
        raise ScanNotFound(scan_id)
    return scan_of(row)


def get_mark(connection: Connection, instance: str) -> ScanMark | None:
    """Return how far an instance was scanned; None if it never was."""
    its_mark = select(scan_marks).where(scan_marks.c.instance == instance)
    row = connection.execute(its_mark).mappings().first()
    return None if row is None else _scan_mark_of(row)


def forget_mark(connection: Connection, instance: str) -> None:
    """Delete the mark, so that the next scan reads the whole list."""
    connection.execute(delete(scan_marks).where(scan_marks.c.instance == instance))


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


def list_by_ids(connection: Connection, ids: Collection[int]) -> tuple[Scan, ...]:
    """Return these scans, the newest first; ids that do not exist are left out."""
    found = select(scans).where(scans.c.id.in_(sorted(ids))).order_by(scans.c.id.desc())
    return tuple(scan_of(row) for row in connection.execute(found).mappings())


def _interrupt(
    connection: Connection, orphaned: ColumnElement[bool], now: datetime
) -> tuple[Scan, ...]:
    orphans = scans.c.id.in_(select(scans.c.id).where(_OPEN, orphaned))
    ended = update(scans).where(orphans).values(finished_at=now, problem=problem_row(INTERRUPTED))
    found = connection.execute(ended.returning(scans)).mappings().all()
    return tuple(sorted((scan_of(row) for row in found), key=lambda scan: scan.id))


def _require_unfinished(connection: Connection, scan_id: int) -> Scan:
    """Return the scan, or raise ScanNotFound, or InvalidTransition if it is finished."""
    scan = get(connection, scan_id)
    if scan.finished_at is not None:
        which = message("scan {number}", number=str(scan_id))
        raise InvalidTransition(which, state="finished", wanted="longer")
    return scan


def _find_unfinished(connection: Connection, instance: str) -> Scan | None:
    statement = select(scans).where(scans.c.instance == instance, _OPEN)
    row = connection.execute(statement).mappings().first()
    return None if row is None else scan_of(row)


def _update(connection: Connection, scan_id: int, values: Values) -> Scan:
    """Update a scan that was read in this transaction; as there is one writer, it is unchanged."""
    changed = update(scans).where(scans.c.id == scan_id, _OPEN).values(**values)
    return scan_of(connection.execute(changed.returning(scans)).mappings().one())


def _save_mark(connection: Connection, instance: str, mark: ScanMark) -> None:
    values = {
        "modified": mark.modified,
        "rules": mark.rules,
        "around": mark.around,
        "whole_at": mark.whole_at,
        "passed_at": mark.passed_at,
        "documents": mark.documents,
        "newest_id": mark.newest_id,
    }
    new = insert_into(connection, scan_marks).values(instance=instance, **values)
    connection.execute(new.on_conflict_do_update(index_elements=["instance"], set_=values))


def _scan_mark_of(row: RowMapping) -> ScanMark:
    return ScanMark(
        modified=row["modified"],
        rules=row["rules"],
        around=row["around"],
        whole_at=row["whole_at"],
        # An older version did not distinguish the two.
        passed_at=row["passed_at"] or row["whole_at"],
        documents=row["documents"],
        newest_id=row["newest_id"],
    )
