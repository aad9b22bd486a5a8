"""Every transition of a scan (requested, running, ended), and how far each instance was scanned.

An instance has at most one unfinished scan.
"""

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
    select,
    text,
    update,
)

from core.errors import Problem
from core.jobs import ANALYZE
from core.messages import message
from core.scans import FULL_COVERAGE, INTERRUPTED, Scan, ScanCoverage, ScanMark
from core.spending import Consent
from core.workers import ONLY_PROCESSES
from store.engine import insert_into
from store.errors import InvalidTransition, ScanNotFound, ScanRunning
from store.rows import Values, consent_row, problem_row, scan_of
from store.tables import UNFINISHED, instances, scan_marks, scans, workers


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


def finish(
    connection: Connection, scan_id: int, *, coverage: ScanCoverage = FULL_COVERAGE, now: datetime
) -> Scan:
    """Close the report of a completed scan, and store the instance's mark.

    Raise ScanNotFound, or InvalidTransition if it is closed already.
    """
    scan = require_unfinished(connection, scan_id)
    if scan.started_at is not None:
        coverage_at = update(instances).where(instances.c.name == scan.instance)
        connection.execute(coverage_at.values(last_scan_at=now))
    if coverage.mark is not None:
        save_mark(connection, scan.instance, coverage.mark)
    values: Values = {"finished_at": now, "changed_since": coverage.changed_since}
    return _update(connection, scan_id, values)


def give_up(connection: Connection, scan_id: int, *, problem: Problem, now: datetime) -> Scan:
    """Close the report of a scan that ended early; the mark is not changed.

    Raise ScanNotFound, or InvalidTransition if it is closed already.
    """
    require_unfinished(connection, scan_id)
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


def _interrupt(
    connection: Connection, orphaned: ColumnElement[bool], now: datetime
) -> tuple[Scan, ...]:
    orphans = scans.c.id.in_(select(scans.c.id).where(text(UNFINISHED), orphaned))
    ended = update(scans).where(orphans).values(finished_at=now, problem=problem_row(INTERRUPTED))
    found = connection.execute(ended.returning(scans)).mappings().all()
    return tuple(sorted((scan_of(row) for row in found), key=lambda scan: scan.id))


def get(connection: Connection, scan_id: int) -> Scan:
    """Return the scan, or raise ScanNotFound."""
    row = connection.execute(select(scans).where(scans.c.id == scan_id)).mappings().first()
    if row is None:
        raise ScanNotFound(scan_id)
    return scan_of(row)


def require_unfinished(connection: Connection, scan_id: int) -> Scan:
    """Return the scan, or raise ScanNotFound, or InvalidTransition if it is finished."""
    scan = get(connection, scan_id)
    if scan.finished_at is not None:
        which = message("scan {number}", number=str(scan_id))
        raise InvalidTransition(which, state="finished", wanted="longer")
    return scan


def _find_unfinished(connection: Connection, instance: str) -> Scan | None:
    statement = select(scans).where(scans.c.instance == instance, text(UNFINISHED))
    row = connection.execute(statement).mappings().first()
    return None if row is None else scan_of(row)


def _update(connection: Connection, scan_id: int, values: Values) -> Scan:
    """Update a scan that was read in this transaction; as there is one writer, it is unchanged."""
    changed = update(scans).where(scans.c.id == scan_id, text(UNFINISHED)).values(**values)
    return scan_of(connection.execute(changed.returning(scans)).mappings().one())


def get_mark(connection: Connection, instance: str) -> ScanMark | None:
    """Return how far an instance was scanned; None if it never was."""
    its_mark = select(scan_marks).where(scan_marks.c.instance == instance)
    row = connection.execute(its_mark).mappings().first()
    return None if row is None else _scan_mark_of(row)


def save_mark(connection: Connection, instance: str, mark: ScanMark) -> None:
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


def forget_mark(connection: Connection, instance: str) -> None:
    """Delete the mark, so that the next scan reads the whole list."""
    connection.execute(delete(scan_marks).where(scan_marks.c.instance == instance))


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
