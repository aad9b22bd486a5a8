"""What is stored and cannot be read any more costs a new start, and nothing else."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy import Connection, text
from structlog.testing import capture_logs

from core.analysis import Analysis
from core.changes import ChangeState, Plan
from core.jobs import ANALYZE, REHEARSE, Job
from store import Store
from store.database import Database
from store.engine import engines_for
from tests.store.builders import (
    HOME_7,
    HOME_8,
    PROBLEM,
    FakeClock,
    a_plan,
    a_planned_change,
    an_analysis,
    claim,
    claimed,
)
from tests.store.conftest import Place

DAMAGED = ["7", "{}", '["title"]', '[{"field": "title"}]', '[{"field": "smell", "value": "x"}]']


@pytest.fixture
async def database(place: Place, store: Store) -> AsyncIterator[Database]:
    opened = Database(engines_for(place.url, place.data))
    yield opened
    await opened.close()


async def damage(database: Database, column: str, value: str) -> None:
    table, _, name = column.partition(".")

    def write(connection: Connection) -> None:
        statement = f"UPDATE {table} SET {name} = :value"  # noqa: S608 - both are ours
        connection.execute(text(statement), {"value": value})

    await database.write(write)


async def reusable(store: Store, job: Job) -> Analysis | None:
    return await store.results.reusable(
        job, content_hash="hash", prompt_version="prompt", model="gemma"
    )


@pytest.mark.parametrize("damaged", DAMAGED)
async def test_a_damaged_result_is_not_reused_and_that_is_told(
    store: Store, database: Database, clock: FakeClock, damaged: str
) -> None:
    job = await claimed(store, clock)
    result = await store.results.save(job, an_analysis(), now=clock())
    await damage(database, "results.suggestions", damaged)

    with capture_logs() as logs:
        found = await reusable(store, job)

    assert found is None
    (line,) = logs
    assert (line["event"], line["log_level"]) == ("stored row unreadable", "warning")
    assert line["result"] == result.id
    assert "smell" not in str(line)


@pytest.mark.parametrize("kind", [ANALYZE, REHEARSE])
async def test_the_job_is_done_anew_from_the_beginning(
    store: Store, database: Database, clock: FakeClock, kind: str
) -> None:
    first = await claimed(store, clock, kind=kind)
    await store.results.save(first, an_analysis(), now=clock())
    await damage(database, "results.suggestions", "7")
    await store.jobs.retry(first, PROBLEM, at=clock(), now=clock())
    again = await claim(store, clock)

    assert await reusable(store, again) is None
    result = await store.results.save(again, an_analysis(), now=clock())

    assert await store.results.of_job(again.id) == result
    assert await reusable(store, again) == an_analysis()


async def test_a_damaged_result_of_an_earlier_job_does_not_disturb_a_later_one(
    store: Store, database: Database, clock: FakeClock
) -> None:
    first = await claimed(store, clock)
    await store.results.save(first, an_analysis(), now=clock())
    await store.jobs.succeed(first, now=clock())
    await damage(database, "results.suggestions", "7")
    later = await claimed(store, clock)

    result = await store.results.save(later, an_analysis(), now=clock())

    assert result.analysis == an_analysis()


async def test_a_damaged_change_does_not_hide_the_others(
    store: Store, database: Database, clock: FakeClock
) -> None:
    job = await claimed(store, clock, HOME_7)
    await store.changes.record_plan(job, a_plan(), now=clock())
    await damage(database, "changes.after", '{"smell": "sour"}')
    whole = await claimed(store, clock, HOME_8)
    kept = await store.changes.record_plan(whole, a_plan(), now=clock())

    with capture_logs() as logs:
        waiting = await store.changes.waiting()

    assert waiting == (kept[1],)
    assert [line["event"] for line in logs] == ["stored row unreadable"]
    assert "sour" not in str(logs)


async def test_a_plan_that_cannot_be_read_is_made_anew(
    store: Store, database: Database, clock: FakeClock
) -> None:
    job = await claimed(store, clock)
    await store.changes.record_plan(job, a_plan(), now=clock())
    await damage(database, "changes.before", "7")
    await store.jobs.retry(job, PROBLEM, at=clock(), now=clock())
    again = await claim(store, clock)

    plan = Plan(now=(a_planned_change(),))
    (change,) = await store.changes.record_plan(again, plan, now=clock())

    assert change.state is ChangeState.INTENDED
    assert await store.changes.of_job(job.id) == (change,)
