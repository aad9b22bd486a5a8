"""Plain sqlite3 on our tables: only the statements of a claim and a settle."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from uuid import uuid4

from benchmarks.fill import INSTANCE, create_queue
from core.calendar import utc_now
from store.engine import FILE_NAME

_CLAIMED = "SELECT recovered FROM jobs WHERE status = 'processing' AND worker = ?"
_HELD = "SELECT target FROM holds WHERE lifted_at IS NULL"
_DUE = """
SELECT id, recovered, priority FROM jobs
WHERE status = 'pending' AND scheduled_for <= ? AND instance = ? AND NOT EXISTS (
    SELECT * FROM jobs AS other WHERE other.status = 'processing'
    AND other.instance = jobs.instance AND other.document_id = jobs.document_id)
ORDER BY priority DESC, id LIMIT 1"""
_CLAIM = """
UPDATE jobs SET status = 'processing', claim = claim + 1, attempts = attempts + 1, worker = ?,
trace = ?, heartbeat_at = ?, stage = NULL, progress = 0, cancel_requested = NULL
WHERE id = ? AND status = 'pending' RETURNING *"""
_SETTLE = """
UPDATE jobs SET status = 'completed', worker = NULL, heartbeat_at = NULL, recovered = 0,
finished_at = ?, progress = 100, problem = NULL
WHERE id = ? AND status = 'processing' AND claim = ? RETURNING *"""
_UPDATE_DOCUMENT = """
UPDATE documents SET state = CASE WHEN state = 'ignored' THEN state ELSE 'done' END,
state_before_ignored = CASE WHEN state = 'ignored' THEN 'done' END, updated_at = ?
WHERE instance = ? AND document_id = ?"""
_RECORD_EVENT = "INSERT INTO events (job_id, name, at, trace, data) VALUES (?, ?, ?, ?, ?)"


class PlainQueue:
    """Processes jobs as a script with SQL would, with the same durability."""

    name = "plain sqlite3"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def prepare(self, count: int) -> None:
        """Do nothing: the queue was filled when it was created."""

    async def process(self, count: int) -> float:
        began = perf_counter()
        with self._transaction():
            job = self._claim()
        for _ in range(count - 1):
            with self._transaction():
                self._settle(job)
                job = self._claim()
        with self._transaction():
            self._settle(job)
        return perf_counter() - began

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        yield
        self._connection.execute("COMMIT")

    def _claim(self) -> sqlite3.Row:
        now, execute = _now(), self._connection.execute
        execute(_CLAIMED, ("bench",)).fetchall()
        execute(_HELD).fetchall()
        first = execute(_DUE, (now, INSTANCE)).fetchone()
        [job] = execute(_CLAIM, ("bench", uuid4().hex, now, first["id"])).fetchall()
        facts = '{"worker": "bench", "attempts": 1, "claim": 1}'
        execute(_RECORD_EVENT, (job["id"], "claimed", now, job["trace"], facts))
        return job  # type: ignore[no-any-return]  # the driver's cursor is not typed

    def _settle(self, job: sqlite3.Row) -> None:
        now, execute = _now(), self._connection.execute
        [done] = execute(_SETTLE, (now, job["id"], job["claim"])).fetchall()
        execute(_UPDATE_DOCUMENT, (now, done["instance"], done["document_id"]))
        execute(_RECORD_EVENT, (job["id"], "completed", now, job["trace"], '{"attempts": 1}'))


@contextmanager
def plain_queue(folder: Path, *, finished: int, pending: int) -> Iterator[PlainQueue]:
    """Open a database with our schema, using only the driver."""
    folder.mkdir()
    create_queue(None, folder, finished=finished, pending=pending)
    connection = sqlite3.connect(folder / FILE_NAME, isolation_level=None)
    connection.row_factory = sqlite3.Row
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")
    try:
        yield PlainQueue(connection)
    finally:
        connection.close()


def _now() -> str:
    return utc_now().strftime("%Y-%m-%d %H:%M:%S.%f")
