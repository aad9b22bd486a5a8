"""Scans: asked for, under way, finished. A page of documents and jobs is written at once."""

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial

from sqlalchemy import Connection, RowMapping, func, or_, select, text, update

from core.documents import DocumentRef, DocumentState
from core.errors import Problem
from core.jobs import ANALYZE, EventName, NewJob
from core.messages import message
from core.scans import FULL_COVERAGE, Scan, ScanCoverage, ScanMark, ScanPage, SkipReason
from store import scan_marks, scan_moves
from store.database import Database
from store.document_search import ids_of_heads
from store.documents import get_states
from store.engine import insert_into
from store.errors import InvalidTransition
from store.queue import events
from store.queue.moves import enqueued_facts
from store.rows import new_document_row, new_job_row, ref_of, scan_of
from store.scan_moves import ScanRequest
from store.tables import UNFINISHED, documents, jobs, scans

Selected = Sequence[tuple[NewJob, str]]

_OPEN = text(UNFINISHED)


class Scans:
    """Passes over instances and their reports. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._write = database.write
        self._read = database.read

    async def request(
        self,
        instance: str,
        *,
        asked_by: str,
        kind: str = ANALYZE,
        limit: int | None = None,
        now: datetime,
    ) -> Scan:
        """Ask for a scan; if one is asked for or under way already, that one is returned."""
        return await self._write(
            scan_moves.request, instance, ScanRequest(asked_by, kind, limit), now
        )

    async def find_requested(self, instance: str) -> Scan | None:
        """Return the scan that was asked for and is not started yet; None if nobody asked."""
        return await self._read(scan_moves.find_requested, instance)

    async def start(
        self,
        instance: str,
        *,
        asked_by: str,
        kind: str = ANALYZE,
        limit: int | None = None,
        now: datetime,
    ) -> Scan:
        """Start a scan; if one was asked for, it is that one, as it was asked for.

        Raise ScanRunning if one is under way.
        """
        return await self._write(
            scan_moves.start, instance, ScanRequest(asked_by, kind, limit), now
        )

    async def close_orphans(self, *, now: datetime) -> tuple[Scan, ...]:
        """End every scan under way as interrupted: only for who knows that nobody scans."""
        return await self._write(scan_moves.close_orphans, now)

    async def close_abandoned(self, *, silent_since: datetime, now: datetime) -> tuple[Scan, ...]:
        """End the scans whose process has not been heard of since then as interrupted."""
        return await self._write(scan_moves.close_abandoned, silent_since, now)

    async def close_silent(
        self, *, silent_since: datetime, under_way: Collection[int], now: datetime
    ) -> tuple[Scan, ...]:
        """End the scans from before that time that are not among those under way.

        Only for who knows that nobody else scans, such as the holder of the WorkLock.
        """
        return await self._write(scan_moves.close_silent, silent_since, under_way, now)

    async def record_page(self, scan_id: int, page: ScanPage, *, now: datetime) -> int:
        """Write a page's documents and jobs and count them; return how many jobs were made.

        What cannot be enqueued after all is counted as skipped: queued by someone else, or ignored
        in the meantime. Raise ScanNotFound, or WrongMove if the scan is not under way.
        """
        return await self._write(_record_page, scan_id, page, now)

    async def finish(
        self, scan_id: int, *, looked: ScanCoverage = FULL_COVERAGE, now: datetime
    ) -> Scan:
        """Close the report of a scan that went through, and move the instance's mark.

        Raise ScanNotFound, or WrongMove if it is closed already.
        """
        return await self._write(scan_moves.finish, scan_id, looked, now)

    async def give_up(self, scan_id: int, *, problem: Problem, now: datetime) -> Scan:
        """Close the report of a scan that ended early; the mark stays where it is.

        Raise ScanNotFound, or WrongMove if it is closed already.
        """
        return await self._write(scan_moves.give_up, scan_id, problem, now)

    async def get_mark(self, instance: str) -> ScanMark | None:
        """Say how far an instance has been looked through; None: not at all."""
        return await self._read(scan_marks.get, instance)

    async def get(self, scan_id: int) -> Scan:
        """Return the scan, or raise ScanNotFound."""
        return await self._read(scan_moves.get, scan_id)

    async def list(
        self, instance: str | None = None, limit: int = 100, before_id: int | None = None
    ) -> tuple[Scan, ...]:
        """List scans, newest first."""
        return await self._read(_list, instance, limit, before_id)

    async def list_for_instances(
        self,
        *,
        instances: Collection[str] | None,
        limit: int = 100,
        before_id: int | None = None,
        with_empty: bool = True,
    ) -> tuple[Scan, ...]:
        """List the scans of several instances, newest first; None for all of them.

        An empty one found nothing, and nothing went wrong.
        """
        listed = partial(_listed, with_empty=with_empty)
        return await self._read(listed, instances, limit, before_id)

    async def list_unfinished(self) -> tuple[Scan, ...]:
        """List the scans that are asked for or under way: one of an instance at most."""
        return await self._read(_unfinished)

    async def get_latest(self, instance: str) -> Scan | None:
        """Return the newest scan of an instance; None before its first."""
        newest = await self._read(_list, instance, 1, None)
        return newest[0] if newest else None


def _record_page(connection: Connection, scan_id: int, page: ScanPage, now: datetime) -> int:
    scan = _under_way(connection, scan_id)
    wanted = _without_ignored(connection, page.selected)
    made = _make_jobs(connection, wanted, scan_id, now)
    _queue_documents(connection, wanted, made, now)
    late = {
        SkipReason.IGNORED: len(page.selected) - len(wanted),
        SkipReason.QUEUED: len(wanted) - len(made),
    }
    skipped = Counter(scan.skipped) + Counter(page.skipped) + Counter(late)
    counters = update(scans).where(scans.c.id == scan_id)
    connection.execute(
        counters.values(
            seen=scans.c.seen + page.seen,
            enqueued=scans.c.enqueued + len(made),
            skipped={reason.value: count for reason, count in skipped.items()},
        )
    )
    return len(made)


def _without_ignored(connection: Connection, selected: Selected) -> Selected:
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


def _make_jobs(
    connection: Connection, wanted: Selected, scan_id: int, now: datetime
) -> Sequence[RowMapping]:
    if not wanted:
        return ()
    last = connection.scalar(select(func.max(jobs.c.id))) or 0
    # Many rows with one statement: measured ten times as fast as one statement with many values.
    rows = [new_job_row(new, now=now, scan_id=scan_id) for new, _ in wanted]
    connection.execute(insert_into(connection, jobs).on_conflict_do_nothing(), rows)
    made = connection.execute(select(jobs).where(jobs.c.id > last).order_by(jobs.c.id)).mappings()
    found = made.all()
    facts = {row["id"]: enqueued_facts(_asked_for(row)) | {"scan": scan_id} for row in found}
    events.append_all(connection, EventName.ENQUEUED, facts, at=now)
    return found


def _asked_for(row: RowMapping) -> NewJob:
    return NewJob(ref_of(row), row["kind"], row["priority"], row["asked_by"])


def _queue_documents(
    connection: Connection, wanted: Selected, made: Sequence[RowMapping], now: datetime
) -> None:
    analysed = {ref_of(row) for row in made if row["kind"] == ANALYZE}
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


def _under_way(connection: Connection, scan_id: int) -> Scan:
    scan = scan_moves.require_unfinished(connection, scan_id)
    if scan.started_at is None:
        which = message("scan {number}", number=str(scan_id))
        raise InvalidTransition(which, state="only asked for", wanted="longer")
    return scan


def _list(
    connection: Connection, instance: str | None, limit: int, before_id: int | None
) -> tuple[Scan, ...]:
    only = None if instance is None else {instance}
    return _listed(connection, only, limit, before_id)


def _listed(
    connection: Connection,
    instances: Collection[str] | None,
    limit: int,
    before_id: int | None,
    *,
    with_empty: bool = True,
) -> tuple[Scan, ...]:
    newest = select(scans).order_by(scans.c.id.desc()).limit(limit)
    if not with_empty:
        newest = newest.where(or_(scans.c.enqueued > 0, scans.c.problem.is_not(None), _OPEN))
    if before_id is not None:
        newest = newest.where(scans.c.id < before_id)
    if instances is not None:
        ids = newest.with_only_columns(scans.c.id)
        heads = ids_of_heads(ids.where(scans.c.instance == one) for one in sorted(instances))
        if heads is None:
            return ()
        newest = newest.where(scans.c.id.in_(select(heads.c.id)))
    return tuple(scan_of(row) for row in connection.execute(newest).mappings())


def list_newest_two(connection: Connection, instances: Collection[str]) -> tuple[Scan, ...]:
    """List the two newest of each instance, the newest first: one at least has ended."""
    two = (
        select(scans.c.id).where(scans.c.instance == one).order_by(scans.c.id.desc()).limit(2)
        for one in sorted(instances)
    )
    heads = ids_of_heads(two)
    if heads is None:
        return ()
    found = select(scans).where(scans.c.id.in_(select(heads.c.id))).order_by(scans.c.id.desc())
    return tuple(scan_of(row) for row in connection.execute(found).mappings())


def _unfinished(connection: Connection) -> tuple[Scan, ...]:
    open_ = select(scans).where(_OPEN).order_by(scans.c.id)
    return tuple(scan_of(row) for row in connection.execute(open_).mappings())
