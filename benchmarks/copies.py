"""Fill a SQLite store with a long history: copy a few jobs with all their rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Table, text

from store.engine import engines_for
from store.tables import changes, documents, events, jobs, model_calls, results

FIRST = 1_000
"""Id of the first copy, the same for job and document; the others follow."""
DAYS = 90
"""Retention of finished jobs. The copies are spread over this time; the last one ends now."""
EVENTS = 10
"""Events of each finished job."""
_NUMBER = f"{FIRST} + i"
_OWN: Mapping[str, str | None] = {
    "instance": "CASE i % 10 WHEN 9 THEN 'office' ELSE 'home' END",
    "document_id": _NUMBER,
    "job_id": _NUMBER,
    "reused_from": "NULL",
}
"""Values of a copy that differ from the original; None for what the database assigns."""


@dataclass(frozen=True, slots=True)
class Size:
    """Number of jobs to create, by kind."""

    jobs: int
    waiting: int
    """Documents for review."""
    failed: int
    pending: int


@dataclass(frozen=True, slots=True)
class SampleJobs:
    """Ids of the jobs to copy, one of each kind; these were really processed."""

    written: int
    waiting: int
    failed: int
    pending: int


def copy_jobs(data: Path, samples: SampleJobs, size: Size) -> None:
    """Copy the sample jobs up to the given size; every tenth copy belongs to another instance."""
    failed, waiting = f"i % {size.jobs // size.failed} = 0", f"i % {size.jobs // size.waiting} = 1"
    engines = engines_for(None, data)
    try:
        with engines.writer.begin() as connection:
            for job in (samples.written, samples.waiting, samples.failed):
                _top_up_events(connection, job)
            history = _Copier(connection, first=0, last=size.jobs - 1)
            history.copy(samples.failed, failed)
            history.copy(samples.waiting, f"{waiting} AND NOT {failed}")
            history.copy(samples.written, f"NOT {waiting} AND NOT {failed}")
            queue = _Copier(connection, first=size.jobs, last=size.jobs + size.pending - 1)
            queue.copy(samples.pending, "true")
    finally:
        engines.dispose()


def _top_up_events(connection: Connection, job: int) -> None:
    """Repeat progress events of a job until it has `EVENTS` of them."""
    has = connection.scalar(text("SELECT count(*) FROM events WHERE job_id = :j"), {"j": job}) or 0
    names = ", ".join(column.name for column in events.c if column.name != "id")
    again = text(
        f"INSERT INTO events ({names}) SELECT {names} FROM events "
        "WHERE job_id = :j AND name = 'progressed' ORDER BY id LIMIT 1"
    )
    for _ in range(EVENTS - has):
        connection.execute(again, {"j": job})


class _Copier:
    """Copies jobs for a range of numbers; the last copy has the current time."""

    def __init__(self, connection: Connection, *, first: int, last: int) -> None:
        self._connection = connection
        self._numbers = (
            f"WITH RECURSIVE numbers(i) AS (SELECT {first} UNION ALL "
            f"SELECT i + 1 FROM numbers WHERE i < {last})"
        )
        self._seconds_before = f"-(({last} - i) * {DAYS * 86_400.0 / (last - first + 1)})"

    def copy(self, job: int, which: str) -> None:
        """Copy a job with its document, events, calls, results and changes for these numbers."""
        children = dict.fromkeys((events, model_calls, results, changes), f"job_id = {job}")
        for table, whose in (
            {jobs: f"id = {job}", documents: _document_of(job)} | children
        ).items():
            self._copy(table, whose, which, {**_OWN, "id": _NUMBER if table is jobs else None})

    def _copy(self, table: Table, whose: str, which: str, own: Mapping[str, str | None]) -> None:
        columns = {
            column.name: own.get(column.name, self._copied(column.name)) for column in table.c
        }
        given = {name: value for name, value in columns.items() if value is not None}
        self._connection.execute(
            text(
                f"INSERT INTO {table.name} ({', '.join(map(_quoted, given))}) {self._numbers} "
                f"SELECT {', '.join(given.values())} FROM numbers "
                f"CROSS JOIN (SELECT * FROM {table.name} WHERE {whose}) AS original "
                f"WHERE {which} ORDER BY i, original.id"
            )
        )

    def _copied(self, column: str) -> str:
        """Return the SQL for the original value; timestamps are shifted by the age of the copy."""
        if column == "at" or column.endswith(("_at", "_for")):
            shift = f"{self._seconds_before} || ' seconds'"
            return f"strftime('%Y-%m-%d %H:%M:%f', original.{column}, {shift}) || '000'"
        return f"original.{_quoted(column)}"


def _document_of(job: int) -> str:
    return f"(instance, document_id) = (SELECT instance, document_id FROM jobs WHERE id = {job})"


def _quoted(column: str) -> str:
    # "before" and "limit" are keywords of SQL.
    return f'"{column}"'
