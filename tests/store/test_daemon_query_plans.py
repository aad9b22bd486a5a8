"""Query plans of what the daemon asks all day long, with several instances and a long history."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import Connection, Engine, Table, insert

from core.analysis import ModelCall
from core.documents import DocumentRef
from core.jobs import Cancellation, Job, NewJob, Priority, Scope
from core.spending import SpendingLimits
from store.calls import reserve
from store.changes import reads
from store.queue import claims, events, moves
from store.rows import Values, new_job_row, planned_row
from store.scans import find_requested
from store.tables import changes, jobs, model_calls, scans
from store.tables import events as events_table
from tests.store.builders import NOON, a_planned_change
from tests.store.query_plans import SORTED, WHOLE_TABLE, filled_engine, plans_of

ROWS = 5_000
PRIORITIES = list(Priority)
MINE = Scope(instances=("home", "office", "shed"))
LIMITS = SpendingLimits(9_999, Decimal(99))


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    """A database with a long queue of one instance and a short one of another."""
    yield from filled_engine(request, tmp_path_factory, _fill)


def claimed(connection: Connection) -> Job:
    job = claims.claim(connection, worker="worker", now=NOON, scope=MINE)
    assert job is not None
    return job


def test_a_claim_takes_the_first_entry_of_each_instance(engine: Engine) -> None:
    plans = plans_of(engine, claimed)

    assert plans.count("ix_jobs_turn") == len(MINE.instances or ()), plans
    assert not WHOLE_TABLE.search(plans), plans
    # Only the first entries are put in order: "Limit" or a subquery stands between.
    assert len(SORTED.findall(plans)) <= len(MINE.instances or ()), plans


ASKED: dict[str, tuple[Callable[[Connection], object], str]] = {
    "what a scan did": (lambda s: reads.list_for_scan(s, 7), "ix_changes_scan"),
    "which jobs of a scan to cancel": (
        lambda s: moves.cancel_of_scan(
            s, ROWS + 1, Cancellation.of_user("hand"), now=NOON, after_id=0, limit=200
        ),
        "ix_jobs_scan",
    ),
    "whether a scan is asked for": (
        lambda s: find_requested(s, "home"),
        "uq_scans_unfinished",
    ),
    "whether a call may be made": (
        lambda s: reserve(
            s,
            a_call(),
            instance="home",
            job_id=7,
            limits=LIMITS,
            day_start=NOON,
            month_start=NOON - timedelta(days=1),
        ),
        "ix_model_calls_instance",
    ),
    "whether anything is due": (
        lambda s: claims.is_anything_due(s, MINE, now=NOON),
        "ix_jobs_turn",
    ),
    "what happened since": (lambda s: events.list_after(s, 0, limit=10), ""),
}


def a_call() -> ModelCall:
    return ModelCall("http://ai/v1", "gemma", "text", "ok", 1, 1, 1, NOON)


@pytest.mark.parametrize("name", ASKED)
def test_what_is_asked_often_uses_its_index(engine: Engine, name: str) -> None:
    asked, index = ASKED[name]

    plans = plans_of(engine, asked)

    assert index in plans, plans
    assert not WHOLE_TABLE.search(plans), plans


def _fill(connection: Connection) -> None:
    for table, row in HISTORY:
        connection.execute(insert(table), [row(number) for number in range(1, ROWS + 1)])


def _instance(number: int) -> str:
    return "home" if number % 50 else "office"


def _a_scan(number: int) -> Values:
    life: Values = {"requested_at": NOON, "started_at": NOON, "finished_at": NOON}
    counted: Values = {"seen": 0, "enqueued": 0, "skipped": {}}
    return {"instance": _instance(number), "asked_by": "x", "kind": "analyze"} | life | counted


def _a_job(number: int) -> Values:
    priority = PRIORITIES[number % len(PRIORITIES)]
    new = NewJob(DocumentRef(_instance(number), number), priority=priority)
    row = new_job_row(new, now=NOON - timedelta(seconds=number), scan_id=number)
    return row | {"status": "completed" if number % 5 == 1 else "pending"}


def _a_change(number: int) -> Values:
    where: Values = {"instance": "home", "document_id": number, "job_id": number}
    life: Values = {"state": "applied", "decided_by": "rule", "created_at": NOON}
    return where | planned_row(a_planned_change()) | life | {"scan_id": number}


def _a_model_call(number: int) -> Values:
    call = a_call()
    return {
        "instance": _instance(number),
        "job_id": number,
        "endpoint": call.endpoint,
        "model": call.model,
        "mode": call.mode,
        "outcome": call.outcome,
        "tokens_in": call.tokens_in,
        "tokens_out": call.tokens_out,
        "took_ms": call.took_ms,
        "at": NOON - timedelta(hours=number),
        "cost": call.cost,
    }


def _an_event(number: int) -> Values:
    return {"job_id": number, "name": "enqueued", "at": NOON, "data": {}}


HISTORY: list[tuple[Table, Callable[[int], Values]]] = [
    (scans, _a_scan),
    (jobs, _a_job),
    (changes, _a_change),
    (model_calls, _a_model_call),
    (events_table, _an_event),
]
