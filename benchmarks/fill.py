"""Fill a queue with finished jobs, their documents and events, and with pending jobs."""

from datetime import datetime
from pathlib import Path

import psycopg
from sqlalchemy import Connection, text

from store.engine import engines_for
from store.migrate import prepare_database

INSTANCE = "home"
"""The statements below contain it as a literal."""
_LONG_AGO = "2026-01-01 00:00:00.000000"

_NUMBERS = (
    "WITH RECURSIVE numbers(i) AS "
    "(SELECT CAST(:first AS bigint) UNION ALL SELECT i + 1 FROM numbers WHERE i < :last) "
)
_DOCUMENTS = text(
    "INSERT INTO documents (instance, document_id, state, title, title_key, trigger_removed, "
    "first_seen_at, updated_at) "
    + _NUMBERS
    + "SELECT 'home', i, :state, 'Title', 'title', false, :at, :at FROM numbers"
)
_JOBS = text(
    "INSERT INTO jobs (instance, document_id, kind, status, priority, claim, attempts, "
    "max_attempts, give_backs, recovered, scheduled_for, created_at, asked_by, payload, progress) "
    + _NUMBERS
    + "SELECT 'home', i, 'analyze', :status, 1, :claim, :claim, 3, 0, false, :at, :at, 'scan', "
    "'{}', 0 FROM numbers"
)
_EVENTS = text(
    "INSERT INTO events (job_id, name, at, trace, data) "
    "SELECT id, :name, :at, NULL, '{}' FROM jobs WHERE status = 'completed'"
)


def create_queue(url: str | None, folder: Path, *, finished: int, pending: int) -> None:
    """Create a database with the given numbers of finished and pending jobs."""
    engines = engines_for(url, folder)
    try:
        prepare_database(engines, folder, now=datetime.fromisoformat(f"{_LONG_AGO}+00:00"))
        with engines.writer.begin() as connection:
            _fill(connection, finished, pending)
    finally:
        engines.dispose()
    if url is not None:
        # Autovacuum does this a minute after such a large insert.
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")


def _fill(connection: Connection, finished: int, pending: int) -> None:
    at = _LONG_AGO if connection.dialect.name == "sqlite" else datetime.fromisoformat(_LONG_AGO)
    done = {"first": 1, "last": finished, "at": at}
    waits = {"first": finished + 1, "last": finished + pending, "at": at}
    connection.execute(_DOCUMENTS, {**done, "state": "done"})
    connection.execute(_DOCUMENTS, {**waits, "state": "queued"})
    connection.execute(_JOBS, {**done, "status": "completed", "claim": 1})
    connection.execute(_JOBS, {**waits, "status": "pending", "claim": 0})
    for name in ("claimed", "completed"):
        connection.execute(_EVENTS, {"name": name, "at": at})
