"""Query plans: what is asked often uses the indexes that were made for it, on both engines.

A partial index is used only if the query names the state as a literal, and nothing but the plan
tells whether it was: the results are the same, a hundred times slower.
"""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from sqlalchemy import Connection, Engine, insert

from core.documents import DocumentFilter, DocumentRef, DocumentState
from core.jobs import EVERYTHING, Job, JobStatus, NewJob, Priority, Scope, WaitSettings
from core.messages import plain
from store import (
    HistoryFilter,
    JobFilter,
    ReviewFilter,
    calls,
    document_search,
    notifications,
    scans,
    statistics,
)
from store import documents as store_documents
from store.changes import reads as change_reads
from store.changes import review as change_review
from store.queue import claims, enqueue, events, moves, recovery
from store.queue import reads as job_reads
from store.queue.reads import count_live_jobs_by_scan, list_run_facts
from store.rows import new_document_row, new_job_row, planned_row
from store.tables import changes, documents, holds, instances, jobs
from store.tables import events as events_table
from tests.store.builders import HOME_7, NOON, a_planned_change
from tests.store.query_plans import SORTED, WHOLE_TABLE, filled_engine, plans_of

PRIORITIES = list(Priority)
JOBS = 5_000
BOTH = ("home", "office")
SEEN = frozenset(BOTH)
DAYS = [NOON + timedelta(days=number) for number in range(-2, 1)]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    """A database with a history. It is never changed: what is explained is rolled back."""
    yield from filled_engine(request, tmp_path_factory, _fill)


def claimed(connection: Connection) -> Job:
    job = claims.claim(connection, worker="worker", now=NOON)
    assert job is not None
    return job


def place_holds(connection: Connection) -> None:
    connection.execute(insert(instances), [_an_instance("office"), _an_instance("shed")])
    connection.execute(insert(holds), [_a_hold("paperless:attic"), _a_hold("model:http://ai/v1")])


def test_a_claim_walks_its_index_in_order(engine: Engine) -> None:
    plans = plans_of(engine, claimed)

    assert "ix_jobs_claim" in plans
    assert "uq_jobs_processing" in plans
    assert not WHOLE_TABLE.search(plans), plans
    assert not SORTED.search(plans), plans


def test_a_claim_does_so_while_some_instances_rest(engine: Engine) -> None:
    plans = plans_of(engine, claimed, given=place_holds)

    assert "ix_jobs_claim" in plans
    assert not WHOLE_TABLE.search(plans), plans
    assert not SORTED.search(plans), plans


def test_a_claim_within_a_scope_reads_no_more(engine: Engine) -> None:
    within = Scope(instances=("home",), jobs=frozenset({1, 11, 21}))

    plans = plans_of(
        engine, lambda connection: claims.claim(connection, worker="worker", now=NOON, scope=within)
    )

    assert not WHOLE_TABLE.search(plans), plans


def test_the_next_due_time_is_the_first_of_its_index(engine: Engine) -> None:
    plans = plans_of(engine, lambda connection: claims.next_due_after(connection, NOON))

    assert "ix_jobs_due" in plans
    assert not WHOLE_TABLE.search(plans), plans
    assert not SORTED.search(plans), plans


def test_jobs_that_wait_too_long_are_found_among_those_that_are_not_due(engine: Engine) -> None:
    waits = dict.fromkeys(("home", "office"), WaitSettings(timedelta(minutes=5)))

    plans = plans_of(
        engine, lambda connection: recovery.list_overlong(connection, waits, now=NOON, limit=20)
    )

    assert "ix_jobs_due" in plans
    assert not WHOLE_TABLE.search(plans), plans


def test_whether_anything_is_due_is_read_where_the_claim_looks(engine: Engine) -> None:
    plans = plans_of(
        engine, lambda connection: claims.is_anything_due(connection, EVERYTHING, now=NOON)
    )

    assert "ix_jobs_claim" in plans
    assert "uq_jobs_processing" in plans
    assert not WHOLE_TABLE.search(plans), plans
    assert not SORTED.search(plans), plans


@pytest.mark.parametrize(
    "scope",
    [Scope(jobs=frozenset({1, 11, 21})), Scope(("home",), kinds=frozenset({"rehearse"}))],
    ids=str,
)
def test_whether_some_jobs_are_due_reads_no_more(engine: Engine, scope: Scope) -> None:
    plans = plans_of(engine, lambda connection: claims.is_anything_due(connection, scope, now=NOON))

    assert not WHOLE_TABLE.search(plans), plans


HOT: dict[str, Callable[[Connection], object]] = {
    "enqueue": lambda s: enqueue.enqueue(s, NewJob(DocumentRef("home", JOBS + 1)), now=NOON),
    "heartbeat": lambda s: claims.heartbeat(s, claimed(s), now=NOON),
    "succeed": lambda s: moves.succeed(s, claimed(s), now=NOON),
    "succeed and claim": lambda s: moves.succeed_and_claim(s, claimed(s), now=NOON),
    "release": lambda s: moves.release(s, claimed(s), plain("stop"), now=NOON),
    "recover": lambda s: recovery.recover(s, silent_since=NOON, now=NOON),
    "cancel": lambda s: moves.cancel(s, 1, by="anna", now=NOON),
    "story": lambda s: events.list_for_job(s, 7),
    "tally": lambda s: job_reads.count_for_scan(s, 7),
    "a job's events": lambda s: events.list_for_job_after(s, 7, after=0, limit=50),
    "what followers read": lambda s: events.list_with_jobs(s, JOBS - 10, limit=50),
    "jobs of a status": lambda s: job_reads.list_newest(s, JobFilter(status=JobStatus.FAILED), 50),
    "failures of an hour": lambda s: statistics.count_failed(s, NOON),
    "failures to tell of": lambda s: notifications.list_failures(s, ["home"], (NOON, NOON)),
    "the newest that waits": lambda s: notifications.get_newest_for_review(s, ["home"]),
    "the queue": statistics.count_live_jobs,
    "the mean time": statistics.get_mean_time,
    "a document's changes": lambda s: change_reads.list_for_document(s, HOME_7),
    "a job's changes": lambda s: change_reads.list_for_job(s, 7),
}


@pytest.mark.parametrize("name", HOT)
def test_no_hot_transaction_reads_a_whole_table(engine: Engine, name: str) -> None:
    plans = plans_of(engine, HOT[name])

    assert not WHOLE_TABLE.search(plans), plans


def test_review_reads_only_what_waits(engine: Engine) -> None:
    def waiting(connection: Connection) -> None:
        change_review.list_for_review(connection, "home", None, 20, 0)

    plans = plans_of(engine, waiting)

    assert "ix_changes_waiting" in plans
    assert not WHOLE_TABLE.search(plans), plans


@pytest.mark.parametrize("state", [None, DocumentState.FAILED])
def test_a_list_of_documents_is_read_in_the_order_of_an_index(
    engine: Engine, state: DocumentState | None
) -> None:
    wanted = DocumentFilter(state=state, before=DocumentRef("home", 100))

    plans = plans_of(
        engine, lambda connection: document_search.list_documents(connection, wanted, 20)
    )

    assert not WHOLE_TABLE.search(plans), plans
    assert not SORTED.search(plans), plans


SEARCHES: dict[str, Callable[[Connection], object]] = {
    "a title": lambda s: document_search.find(s, BOTH, "Brief 4711", limit=20),
    "a number": lambda s: document_search.find(s, BOTH, "4711", limit=20),
    "nothing": lambda s: document_search.find(s, BOTH, "nowhere", limit=20),
    "in a list": lambda s: document_search.list_documents(
        s, DocumentFilter(title="4711", instances=SEEN, before=HOME_7), 20
    ),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_reads_only_titles_that_have_the_same_trigrams(engine: Engine, name: str) -> None:
    plans = plans_of(engine, SEARCHES[name])

    index = "title_index VIRTUAL TABLE" if engine.dialect.name == "sqlite" else "title_index_tri"
    assert index in plans, plans
    assert not WHOLE_TABLE.search(plans), plans


def test_a_search_for_two_letters_ends_at_the_oldest_that_is_looked_at(engine: Engine) -> None:
    more = [_a_document(number) for number in range(JOBS, JOBS + 9)]

    plans = plans_of(
        engine,
        lambda connection: document_search.find(connection, BOTH, "qx", limit=20),
        given=lambda connection: connection.execute(insert(documents), more),
    )

    assert ("rowid>?" if engine.dialect.name == "sqlite" else "id >") in plans, plans


def test_history_reads_only_what_was_written(engine: Engine) -> None:
    wanted = HistoryFilter(instance="home", before_id=JOBS // 2)

    plans = plans_of(engine, lambda connection: change_reads.list_history(connection, wanted, 20))

    assert "ix_changes_written" in plans
    assert not WHOLE_TABLE.search(plans), plans
    # What was found in each instance is put together, and nothing else.
    assert len(SORTED.findall(plans)) <= 1, plans


PAGES: dict[str, tuple[str, Callable[[Connection], object]]] = {
    "what waits": ("ix_changes_waiting", lambda s: statistics.count_for_review(s, BOTH)),
    "review": (
        "ix_changes_waiting",
        lambda s: change_review.list_for_review_by_document(s, BOTH, 20, 0),
    ),
    "review, a page": (
        "ix_changes_waiting",
        lambda s: change_review.list_review_page(s, ReviewFilter(BOTH), limit=20),
    ),
    "review, neighbours": (
        "ix_changes_waiting",
        lambda s: change_review.find_review_place(s, ReviewFilter(BOTH), HOME_7),
    ),
    "review, correspondents": (
        "ix_changes_waiting",
        lambda s: change_review.list_correspondents_for_review(s, BOTH),
    ),
    "new names": (
        "ix_changes_waiting",
        lambda s: change_review.list_for_review_with_new_names(s, BOTH),
    ),
    "failures of an hour": (
        "COVERING INDEX ix_jobs_finished (finished_at>?)",
        lambda s: statistics.count_failed(s, NOON, BOTH),
    ),
    "the mean time": ("ix_events_job (job_id=?)", lambda s: statistics.get_mean_time(s, BOTH)),
    "the latest changes": (
        "ix_changes_undone (undone_at>?)",
        lambda s: change_reads.list_latest(s, BOTH, 60),
    ),
    "documents by outcome": (
        "COVERING INDEX ix_jobs_finished (finished_at>? AND finished_at<?)",
        lambda s: statistics.count_outcomes(s, BOTH, DAYS),
    ),
    "decisions by field": (
        "ix_changes_decided (settled_at>? AND settled_at<?)",
        lambda s: statistics.count_decisions(s, BOTH, DAYS),
    ),
    "what is left of scans": ("uq_jobs_live", lambda s: count_live_jobs_by_scan(s, BOTH)),
    "what came of jobs": ("ix_changes_job", lambda s: list_run_facts(s, [1, 2, 3])),
    "jobs of a day": (
        "ix_jobs_status",
        lambda s: job_reads.list_newest(
            s, JobFilter(instances=SEEN, created_since=DAYS[0], created_until=DAYS[-1]), 20
        ),
    ),
    "causes": ("ix_jobs_status", lambda s: statistics.list_failure_causes(s, BOTH)),
    "tally": ("ix_jobs_status", lambda s: statistics.count_by_status(s, BOTH, most=100)),
    "queue": ("uq_jobs_live", statistics.count_live_jobs),
    "jobs": ("ix_jobs_status", lambda s: job_reads.list_newest(s, JobFilter(instances=SEEN), 20)),
    "jobs of anybody": ("ix_jobs_status", lambda s: job_reads.list_newest(s, JobFilter(), 20)),
    "failed jobs of a cause": (
        "ix_jobs_status",
        lambda s: job_reads.list_newest(
            s, JobFilter(status=JobStatus.FAILED, instances=SEEN, cause="timeout"), 20
        ),
    ),
    "history": (
        "ix_changes_written (instance=?)",
        lambda s: change_reads.list_history(s, HistoryFilter(instances=SEEN), 20),
    ),
    "history of days": (
        "ix_changes_written (instance=? AND settled_at>? AND settled_at<?)",
        lambda s: change_reads.list_history(
            s, HistoryFilter(instances=SEEN, since=DAYS[0], until=DAYS[-1]), 20
        ),
    ),
    "costs": (
        "COVERING INDEX ix_model_calls_instance (instance=? AND at>? AND at<?)",
        lambda s: calls.sum_periods(s, BOTH, DAYS),
    ),
    "how instances stand": (
        "COVERING INDEX ix_model_calls_instance (instance=? AND at>?)",
        lambda s: statistics.get_figures(s, BOTH, day=DAYS[1], month=DAYS[0]),
    ),
    "what happened": (
        "ix_jobs_finished",
        lambda s: notifications.count_activity(s, BOTH, (DAYS[0], DAYS[-1])),
    ),
    "jobs of scans": (
        "ix_jobs_scan (scan_id=?)",
        lambda s: job_reads.count_for_scans(s, [1, 2, 3], most=9),
    ),
    "scans": ("ix_scans_instance (instance=?)", lambda s: scans.list_newest_two(s, BOTH)),
    "titles": (
        "(instance=? AND document_id=?)",
        lambda s: store_documents.get_many_by_ref(s, (HOME_7, DocumentRef("office", 7))),
    ),
    "documents of which all was undone": (
        "ix_changes_document (instance=? AND document_id=?)",
        lambda s: store_documents.filter_undone(s, (HOME_7, DocumentRef("office", 7))),
    ),
}
"""What pages read, by the index that they must use.

SQLite knows nothing of how much there is of what, and takes the index that looks best. PostgreSQL
does, and in so small a table reads what it likes.
"""
TOO_MUCH = re.compile(r"ix_(changes|jobs)_document \(instance=\?\)")
"""Everything that an instance has, in the order of documents."""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_reads_only_what_it_shows(engine: Engine, name: str) -> None:
    index, read = PAGES[name]

    plans = plans_of(engine, read)

    if engine.dialect.name == "sqlite":
        assert index in plans, plans
        assert not WHOLE_TABLE.search(plans), plans
        assert not TOO_MUCH.search(plans), plans


def _fill(connection: Connection) -> None:
    """Fill a database: nine jobs in ten are finished, and few changes wait."""
    connection.execute(insert(jobs), [_a_job(number) for number in range(JOBS)])
    connection.execute(insert(documents), [_a_document(number) for number in range(JOBS)])
    connection.execute(insert(changes), [_a_change(number) for number in range(JOBS)])
    connection.execute(insert(events_table), [_an_event(number) for number in range(JOBS)])


def _a_job(number: int) -> dict[str, object]:
    new = NewJob(DocumentRef("home", number + 1), priority=PRIORITIES[number % len(PRIORITIES)])
    row = new_job_row(new, now=NOON - timedelta(seconds=number), scan_id=None)
    return row | {"status": "completed" if number % 10 else "pending"}


def _a_document(number: int) -> dict[str, object]:
    ref = DocumentRef("home", number + 1)
    return new_document_row(ref, DocumentState.DONE, title=f"Brief {number}", now=NOON)


def _a_change(number: int) -> dict[str, object]:
    where: dict[str, object] = {"instance": "home", "document_id": number + 1}
    state = "applied" if number % 100 else "proposed"
    life = {"job_id": number + 1, "state": state, "decided_by": "rule", "created_at": NOON}
    return where | planned_row(a_planned_change()) | life


def _an_event(number: int) -> dict[str, object]:
    return {"job_id": number + 1, "name": "enqueued", "at": NOON, "data": {}}


def _an_instance(name: str) -> dict[str, object]:
    return {"name": name, "endpoint": "http://ai/v1", "first_started_at": NOON}


def _a_hold(target: str) -> dict[str, object]:
    return {"target": target, "cause": "", "since": NOON, "next_probe_at": NOON, "probes": 0}
