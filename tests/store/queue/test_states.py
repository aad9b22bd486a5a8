"""States in queries: literals, never bound values.

A partial index is not used for a bound state: not by SQLite in a list, and not by PostgreSQL once a
statement has run five times and has a plan for any value. No single EXPLAIN shows that.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from sqlalchemy import event

from core.jobs import JobStatus
from store import Store
from store.database import Database
from store.engine import engines_for
from store.store import Jobs
from tests.store.builders import HOME_7, HOME_8, NOON, FakeClock, enqueue_and_claim, enqueue_job
from tests.store.conftest import Place

ASKED: dict[str, Callable[[Jobs], Awaitable[object]]] = {
    "claim": lambda jobs: jobs.claim(worker="worker", now=NOON),
    "next due": lambda jobs: jobs.next_due_after(NOON),
    "anything due": lambda jobs: jobs.is_anything_due(now=NOON),
    "held": lambda jobs: jobs.count_held("home"),
    "recover": lambda jobs: jobs.recover(silent_since=NOON + timedelta(hours=1), now=NOON),
}


@pytest.mark.parametrize("asked", ASKED)
async def test_no_query_of_the_queue_binds_a_state(
    place: Place, store: Store, clock: FakeClock, asked: str
) -> None:
    await enqueue_and_claim(store, clock, HOME_7)
    await enqueue_job(store, clock, HOME_8)
    engines = engines_for(place.url, place.data)
    seen: list[tuple[str, str]] = []

    def note(_c: object, _cursor: object, query: str, values: object, *_: object) -> None:
        seen.append((query, str(values)))

    for engine in (engines.writer, engines.reader):
        event.listen(engine, "before_cursor_execute", note)
    database = Database(engines)

    await ASKED[asked](Jobs(database))
    await database.close()

    queries = [(q, v) for q, v in seen if _looks(q) and "jobs.status" in q]
    assert queries
    for _, values in queries:
        assert not [status for status in JobStatus if f"'{status}'" in values]


def _looks(query: str) -> bool:
    """Tell what looks for jobs from what changes one that is known: that may bind its states."""
    return query.startswith("SELECT") or "jobs.id = (SELECT" in query
