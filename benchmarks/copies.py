"""Copy jobs with all that belongs to them, so that a SQLite store has a long past."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Table, text

from store.engine import engines_for
from store.tables import changes, documents, events, jobs, model_calls, results

FIRST = 1_000
"""Copies have this number and those after it; the same for job and document."""
DAYS = 90
"""Finished jobs are kept for so long; the copies are spread over it, the last ends now."""
EVENTS = 10
"""A finished job has so many."""
_NUMBER = f"{FIRST} + i"
_OWN: Mapping[str, str | None] = {
    "instance": "CASE i % 10 WHEN 9 THEN 'office' ELSE 'home' END",
    "document_id": _NUMBER,
    "job_id": _NUMBER,
    "reused_from": "NULL",
}
"""What a copy has for itself; None: what the database gives it."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is to be."""

    jobs: int
    waiting: int
    """Documents for review."""
    failed: int
    pending: int


@dataclass(frozen=True, slots=True)
class Originals:
    """Jobs that were really worked on, one of a kind."""

    written: int
    waiting: int
    failed: int
    pending: int


def multiply(data: Path, originals: Originals, size: Size) -> None:
    """Copy each original as often as is said; every tenth belongs to another instance."""
    failed, waiting = f"i % {size.jobs // size.failed} = 0", f"i % {size.jobs // size.waiting} = 1"
    engines = engines_for(None, data)
    try:
        with engines.writer.begin() as connection:
            for job in (originals.written, originals.waiting, originals.failed):
                _top_up_events(connection, job)
            past = _Past(connection, first=0, last=size.jobs - 1)
            past.copy(originals.failed, failed)
            past.copy(originals.waiting, f"{waiting} AND NOT {failed}")
            past.copy(originals.written, f"NOT {waiting} AND NOT {failed}")
            queue = _Past(connection, first=size.jobs, last=size.jobs + size.pending - 1)
            queue.copy(originals.pending, "true")
    finally:
        engines.dispose()


def _top_up_events(connection: Connection, job: int) -> None:
    """Repeat steps of an original until it has as many events as are wanted."""
    has = connection.scalar(text("SELECT count(*) FROM events WHERE job_id = :j"), {"j": job}) or 0
    names = ", ".join(column.name for column in events.c if column.name != "id")
    again = text(
        f"INSERT INTO events ({names}) SELECT {names} FROM events "
        "WHERE job_id = :j AND name = 'progressed' ORDER BY id LIMIT 1"
    )
    for _ in range(EVENTS - has):
        connection.execute(again, {"j": job})


class _Past:
    """Copies of a row of numbers, the last of which is of this moment."""

    def __init__(self, connection: Connection, *, first: int, last: int) -> None:
        self._connection = connection
        self._numbers = (
            f"WITH RECURSIVE numbers(i) AS (SELECT {first} UNION ALL "
            f"SELECT i + 1 FROM numbers WHERE i < {last})"
        )
        self._seconds_before = f"-(({last} - i) * {DAYS * 86_400.0 / (last - first + 1)})"

    def copy(self, job: int, which: str) -> None:
        """Copy a job with its document, events, calls, results and changes for these numbers."""
        belongs = dict.fromkeys((events, model_calls, results, changes), f"job_id = {job}")
        for table, whose in ({jobs: f"id = {job}", documents: _document_of(job)} | belongs).items():
            self._copy(table, whose, which, {**_OWN, "id": _NUMBER if table is jobs else None})

    def _copy(self, table: Table, whose: str, which: str, own: Mapping[str, str | None]) -> None:
        said = {
            column.name: own.get(column.name, self._as_it_was(column.name)) for column in table.c
        }
        given = {name: words for name, words in said.items() if words is not None}
        self._connection.execute(
            text(
                f"INSERT INTO {table.name} ({', '.join(map(_quoted, given))}) {self._numbers} "
                f"SELECT {', '.join(given.values())} FROM numbers "
                f"CROSS JOIN (SELECT * FROM {table.name} WHERE {whose}) AS original "
                f"WHERE {which} ORDER BY i, original.id"
            )
        )

    def _as_it_was(self, column: str) -> str:
        """Keep a value; a moment is as much earlier as the copy is older."""
        if column == "at" or column.endswith(("_at", "_for")):
            shift = f"{self._seconds_before} || ' seconds'"
            return f"strftime('%Y-%m-%d %H:%M:%f', original.{column}, {shift}) || '000'"
        return f"original.{_quoted(column)}"


def _document_of(job: int) -> str:
    return f"(instance, document_id) = (SELECT instance, document_id FROM jobs WHERE id = {job})"


def _quoted(column: str) -> str:
    # "before" and "limit" are words of SQL.
    return f'"{column}"'
