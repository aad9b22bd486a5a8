"""What is stored and cannot be read any more costs a new start, and nothing else."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest
from sqlalchemy import Connection, text
from structlog.testing import capture_logs

from core.analysis import Analysis
from core.changes import Change, ChangeOutcome, ChangeState, Plan
from core.documents import DocumentRef
from core.jobs import ANALYZE, DRY_RUN, Job
from store import HistoryFilter, Store
from store.database import Database
from store.engine import engines_for
from tests.store.builders import (
    HOME_7,
    HOME_8,
    PROBLEM,
    FakeClock,
    a_plan,
    a_planned_change,
    a_tag_to_review,
    an_analysis,
    claim,
    enqueue_and_claim,
)
from tests.store.conftest import Place

DAMAGED = ["7", "{}", '["title"]', '[{"field": "title"}]', '[{"field": "smell", "value": "x"}]']


@pytest.fixture
async def database(place: Place, store: Store) -> AsyncIterator[Database]:
    opened = Database(engines_for(place.url, place.data))
    yield opened
    await opened.close()


async def damage(
    database: Database, column: str, value: str, *, only: Sequence[int] | None = None
) -> None:
    """Spoil a column of all rows, or only of those with these numbers."""
    table, _, name = column.partition(".")

    def write(connection: Connection) -> None:
        statement = f"UPDATE {table} SET {name} = :value"  # noqa: S608 - both are ours
        if only is not None:
            statement += f" WHERE id IN ({', '.join(map(str, only))})"
        connection.execute(text(statement), {"value": value})

    await database.write(write)


async def reusable(store: Store, job: Job) -> Analysis | None:
    return await store.results.find_reusable(
        job, content_hash="hash", prompt_version="prompt", model="gemma"
    )


@pytest.mark.parametrize("damaged", DAMAGED)
async def test_a_damaged_result_is_not_reused_and_that_is_reported(
    store: Store, database: Database, clock: FakeClock, damaged: str
) -> None:
    job = await enqueue_and_claim(store, clock)
    result = await store.results.save(job, an_analysis(), now=clock())
    await damage(database, "results.suggestions", damaged)

    with capture_logs() as logs:
        found = await reusable(store, job)

    assert found is None
    (line,) = logs
    assert (line["event"], line["log_level"]) == ("stored row unreadable", "warning")
    assert line["result"] == result.id
    assert "smell" not in str(line)


@pytest.mark.parametrize("kind", [ANALYZE, DRY_RUN])
async def test_the_job_is_done_anew_from_the_beginning(
    store: Store, database: Database, clock: FakeClock, kind: str
) -> None:
    first = await enqueue_and_claim(store, clock, kind=kind)
    await store.results.save(first, an_analysis(), now=clock())
    await damage(database, "results.suggestions", "7")
    await store.jobs.retry(first, PROBLEM, at=clock(), now=clock())
    again = await claim(store, clock)

    assert await reusable(store, again) is None
    result = await store.results.save(again, an_analysis(), now=clock())

    assert await store.results.get_final(again.id) == result
    assert await reusable(store, again) == an_analysis()


async def test_a_damaged_result_of_an_earlier_job_does_not_disturb_a_later_one(
    store: Store, database: Database, clock: FakeClock
) -> None:
    first = await enqueue_and_claim(store, clock)
    await store.results.save(first, an_analysis(), now=clock())
    await store.jobs.succeed(first, now=clock())
    await damage(database, "results.suggestions", "7")
    later = await enqueue_and_claim(store, clock)

    result = await store.results.save(later, an_analysis(), now=clock())

    assert result.analysis == an_analysis()


async def test_a_damaged_change_does_not_hide_the_others(
    store: Store, database: Database, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock, HOME_7)
    await store.changes.record_plan(job, a_plan(), made_from="plan", now=clock())
    await damage(database, "changes.after", '{"smell": "sour"}')
    whole = await enqueue_and_claim(store, clock, HOME_8)
    kept = await store.changes.record_plan(whole, a_plan(), made_from="plan", now=clock())

    with capture_logs() as logs:
        waiting = await store.changes.list_for_review()

    assert waiting == (kept[1],)
    assert [line["event"] for line in logs] == ["stored row unreadable"]
    assert "sour" not in str(logs)


async def _waiting_and_written(
    store: Store, clock: FakeClock, *documents: DocumentRef
) -> list[tuple[Change, Change]]:
    """Give of each document a title that waits and one that was written."""
    found = []
    for document in documents:
        job = await enqueue_and_claim(store, clock, document)
        plan = Plan(now=(a_planned_change(),), review=(a_tag_to_review(),))
        now, review = await store.changes.record_plan(job, plan, made_from="plan", now=clock())
        [written] = await store.changes.settle(
            job, [ChangeOutcome(now.id, ChangeState.APPLIED)], now=clock.advance(seconds=1)
        )
        await store.jobs.succeed(job, now=clock())
        found.append((review, written))
    return found


async def test_what_cannot_be_read_takes_no_place_on_a_page(
    store: Store, database: Database, clock: FakeClock
) -> None:
    refs = [DocumentRef("home", number) for number in range(1, 7)]
    (first, _), *spoilt, (fifth, _), (last, _) = await _waiting_and_written(store, clock, *refs)
    await damage(database, "changes.after", "7", only=[change.id for change, _ in spoilt])

    page = await store.changes.list_for_review(limit=2)
    documents = await store.changes.list_for_review_by_document(["home"], limit=2)
    proposed = HistoryFilter(states=frozenset({ChangeState.PROPOSED}))
    newest = await store.changes.list_history(proposed, 2)
    older = await store.changes.list_history(replace(proposed, before_id=fifth.id), 2)

    assert page == documents == (first, fifth)
    assert newest == (last, fifth)
    assert older == (first,)


@pytest.mark.parametrize("of_one", [True, False])
async def test_what_was_written_and_cannot_be_read_takes_no_place_either(
    store: Store, database: Database, clock: FakeClock, *, of_one: bool
) -> None:
    refs = [HOME_7] * 5 if of_one else [HOME_7, HOME_8, HOME_7, DocumentRef("attic", 1), HOME_7]
    [(_, oldest), *spoilt, (_, newest)] = await _waiting_and_written(store, clock, *refs)
    await damage(database, "changes.after", "7", only=[change.id for _, change in spoilt])

    page = await store.changes.list_history(HistoryFilter(), 2)

    assert page == (newest, oldest)


async def test_a_plan_that_cannot_be_read_is_made_anew(
    store: Store, database: Database, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.changes.record_plan(job, a_plan(), made_from="plan", now=clock())
    await damage(database, "changes.before", "7")
    await store.jobs.retry(job, PROBLEM, at=clock(), now=clock())
    again = await claim(store, clock)

    plan = Plan(now=(a_planned_change(),))
    (change,) = await store.changes.record_plan(again, plan, made_from="plan", now=clock())

    assert change.state is ChangeState.INTENDED
    assert await store.changes.list_for_job(job.id) == (change,)
