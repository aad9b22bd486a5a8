"""Scans: each page of documents and jobs is written at once, with the scan's counters."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import RowMapping, func, insert, select, update
from sqlalchemy.orm import Session

from core.documents import DocumentRef, DocumentState
from core.jobs import ANALYZE, EventName, NewJob
from core.scans import Scan, ScanPage, Skip
from store import events
from store.database import Database
from store.documents import states_of
from store.engine import insert_into
from store.errors import ScanNotFound, WrongMove
from store.moves import enqueued_facts
from store.rows import new_document_row, new_job_row, ref_of, scan_of
from store.tables import documents, instances, jobs, scans

Selected = Sequence[tuple[NewJob, str]]


class Scans:
    """Passes over instances and their reports. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._write = database.write
        self._read = database.read

    async def start(self, instance: str, *, asked_by: str, now: datetime) -> Scan:
        return await self._write(_start, instance, asked_by, now)

    async def record_page(self, scan_id: int, page: ScanPage, *, now: datetime) -> int:
        """Write a page's documents and jobs and count them; return how many jobs were made.

        What cannot be enqueued after all is counted as skipped: queued by someone else, or ignored
        in the meantime. Raise ScanNotFound, or WrongMove if the scan is finished.
        """
        return await self._write(_record_page, scan_id, page, now)

    async def finish(self, scan_id: int, *, problem: str | None, now: datetime) -> Scan:
        """Close the scan's report. Raise ScanNotFound, or WrongMove if it is closed already."""
        return await self._write(_finish, scan_id, problem, now)

    async def get(self, scan_id: int) -> Scan:
        """Return the scan, or raise ScanNotFound."""
        return await self._read(_get, scan_id)

    async def list(
        self, instance: str | None = None, limit: int = 100, before_id: int | None = None
    ) -> tuple[Scan, ...]:
        """List scans, newest first."""
        return await self._read(_list, instance, limit, before_id)

    async def latest(self, instance: str) -> Scan | None:
        """Return the newest scan of an instance; None before its first."""
        newest = await self._read(_list, instance, 1, None)
        return newest[0] if newest else None


def _start(session: Session, instance: str, asked_by: str, now: datetime) -> Scan:
    new = insert(scans).values(
        instance=instance, asked_by=asked_by, started_at=now, seen=0, enqueued=0, skipped={}
    )
    return scan_of(session.execute(new.returning(scans)).mappings().one())


def _record_page(session: Session, scan_id: int, page: ScanPage, now: datetime) -> int:
    scan = _open_scan(session, scan_id)
    wanted = _without_ignored(session, page.selected)
    made = _make_jobs(session, wanted, scan_id, now)
    _queue_documents(session, wanted, made, now)
    late = {
        Skip.IGNORED: len(page.selected) - len(wanted),
        Skip.QUEUED: len(wanted) - len(made),
    }
    skipped = Counter(scan.skipped) + Counter(page.skipped) + Counter(late)
    counters = update(scans).where(scans.c.id == scan_id)
    session.execute(
        counters.values(
            seen=scans.c.seen + page.seen,
            enqueued=scans.c.enqueued + len(made),
            skipped={reason.value: count for reason, count in skipped.items()},
        )
    )
    return len(made)


def _without_ignored(session: Session, selected: Selected) -> Selected:
    analyses = [new.document for new, _ in selected if new.kind == ANALYZE]
    ignored: set[DocumentRef] = set()
    for instance in {ref.instance for ref in analyses}:
        states = states_of(session, instance, [r.id for r in analyses if r.instance == instance])
        ignored |= {
            DocumentRef(instance, number)
            for number, state in states.items()
            if state is DocumentState.IGNORED
        }
    return [(new, title) for new, title in selected if new.document not in ignored]


def _make_jobs(
    session: Session, wanted: Selected, scan_id: int, now: datetime
) -> Sequence[RowMapping]:
    if not wanted:
        return ()
    last = session.scalar(select(func.max(jobs.c.id))) or 0
    # Many rows with one statement: measured ten times as fast as one statement with many values.
    rows = [new_job_row(new, now=now, scan_id=scan_id) for new, _ in wanted]
    session.execute(insert_into(session, jobs).on_conflict_do_nothing(), rows)
    made = session.execute(select(jobs).where(jobs.c.id > last).order_by(jobs.c.id)).mappings()
    found = made.all()
    facts = {row["id"]: enqueued_facts(_asked_for(row)) | {"scan": scan_id} for row in found}
    events.tell_all(session, EventName.ENQUEUED, facts, at=now)
    return found


def _asked_for(row: RowMapping) -> NewJob:
    return NewJob(ref_of(row), row["kind"], row["priority"], row["asked_by"])


def _queue_documents(
    session: Session, wanted: Selected, made: Sequence[RowMapping], now: datetime
) -> None:
    analysed = {ref_of(row) for row in made if row["kind"] == ANALYZE}
    rows = [
        new_document_row(new.document, DocumentState.QUEUED, title=title, now=now)
        for new, title in wanted
        if new.kind == ANALYZE and new.document in analysed
    ]
    if not rows:
        return
    statement = insert_into(session, documents)
    again = {name: statement.excluded[name] for name in ("state", "title", "updated_at")}
    session.execute(
        statement.on_conflict_do_update(
            index_elements=["instance", "document_id"], set_=again | {"trigger_removed": False}
        ),
        rows,
    )


def _finish(session: Session, scan_id: int, problem: str | None, now: datetime) -> Scan:
    scan = _open_scan(session, scan_id)
    session.execute(
        update(instances).where(instances.c.name == scan.instance).values(last_scan_at=now)
    )
    closed = update(scans).where(scans.c.id == scan_id, scans.c.finished_at.is_(None))
    closed = closed.values(finished_at=now, problem=problem)
    return scan_of(session.execute(closed.returning(scans)).mappings().one())


def _open_scan(session: Session, scan_id: int) -> Scan:
    scan = _get(session, scan_id)
    if scan.finished_at is not None:
        raise WrongMove(f"scan {scan_id}", state="finished", wanted="longer")
    return scan


def _get(session: Session, scan_id: int) -> Scan:
    row = session.execute(select(scans).where(scans.c.id == scan_id)).mappings().first()
    if row is None:
        raise ScanNotFound(scan_id)
    return scan_of(row)


def _list(
    session: Session, instance: str | None, limit: int, before_id: int | None
) -> tuple[Scan, ...]:
    statement = select(scans).order_by(scans.c.id.desc()).limit(limit)
    if instance is not None:
        statement = statement.where(scans.c.instance == instance)
    if before_id is not None:
        statement = statement.where(scans.c.id < before_id)
    return tuple(scan_of(row) for row in session.execute(statement).mappings())
