"""A database whose texts have no templates yet shows them, and keeps what was read off them."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection

from core.analysis import Analysis
from core.documents import DocumentRef
from core.errors import Problem
from core.holds import HoldCause
from core.jobs import EventName, JobStatus, NewJob
from core.messages import plain
from core.spending import LimitKind
from store import Store, open_store
from store.engine import engines_for
from store.migrate import prepare_database
from store.tables import events, holds, jobs, results
from tests.store.builders import NOON, FakeClock
from tests.store.conftest import Place
from tests.store.test_upgrade_begun import add_row, old_scripts

GONE = "the document is gone from Paperless"
PROBLEM = {
    "code": "paperless_unavailable",
    "message": "could not read document 7: no answer in time",
    "user_message": "Paperless cannot be reached at the moment.",
    "hint": "Check the address.",
}
CAUSES = {
    "paperless:home": "could not probe Paperless: no answer in time",
    "model:http://a/v1#1": "no question is answered: the model server answered 429 (daily quota)",
    "limit:home": "documents_per_day is limited to 5, and 5 is used",
    "limit:attic": "cost_per_month is limited to 5, and 5 is used",
    "pause:home": "paused by admin: documents_per_day",
}
HOURS_AGO = NOON - timedelta(hours=3)


def add_job(connection: Connection, id_: int, status: str, **more: object) -> None:
    row = {
        **{"id": id_, "instance": "home", "document_id": id_, "kind": "analyze", "status": status},
        **{"priority": 10, "claim": 1, "attempts": 1, "max_attempts": 3, "give_backs": 0},
        **{"recovered": False, "payload": {}, "progress": 0, "asked_by": "timer"},
        **{"scheduled_for": HOURS_AGO, "created_at": HOURS_AGO, "finished_at": HOURS_AGO},
        **more,
    }
    add_row(connection, jobs, row)


def add_texts(connection: Connection) -> None:
    """Add rows as the version before wrote them."""
    add_job(connection, 7, "failed", problem=PROBLEM)
    add_job(connection, 8, "cancelled", cancel_requested=GONE)
    add_job(connection, 9, "cancelled", cancel_requested="admin: not now")
    for target, cause in CAUSES.items():
        row = {"target": target, "cause": cause, "since": HOURS_AGO, "probes": 0}
        add_row(connection, holds, row)
    data = {"why": GONE, "attempts": 1}
    event = {"id": 1, "job_id": 8, "name": "cancelled", "at": HOURS_AGO, "data": data}
    add_row(connection, events, event)
    for document in (8, 9):
        add_result(connection, document)


def add_result(connection: Connection, document: int) -> None:
    row = {
        **{"id": document, "job_id": document, "number": 1, "kind": "final"},
        **{"instance": "home", "document_id": document, "content_hash": "hash"},
        **{"prompt_version": "prompt", "model": "gemma", "tokens_in": 1, "tokens_out": 1},
        **{"schema_version": 1, "suggestions": [], "examples": [], "unread": 0},
        "created_at": HOURS_AGO,
    }
    add_row(connection, results, row)


@pytest.fixture
async def upgraded(empty_place: Place, tmp_path: Path, clock: FakeClock) -> AsyncIterator[Store]:
    """The store over a database of the version before."""
    engines = engines_for(empty_place.url, empty_place.data)
    scripts = old_scripts(tmp_path, newest="0023")
    prepare_database(engines, empty_place.data, now=NOON, scripts=scripts)
    with engines.migrator.begin() as connection:
        add_texts(connection)
        if engines.shared:
            for table in ("jobs", "events"):
                connection.exec_driver_sql(f"SELECT setval('{table}_id_seq', 50)")
    engines.dispose()
    async with open_store(empty_place.url, empty_place.data, clock=clock) as store:
        yield store


async def test_every_text_is_shown_as_it_was(upgraded: Store) -> None:
    failed = await upgraded.jobs.get(7)
    gone, cancelled = [await upgraded.jobs.get(id_) for id_ in (8, 9)]
    [event] = await upgraded.jobs.list_events(8)
    causes = {hold.target: str(hold.cause) for hold in await upgraded.holds.list_active()}

    assert failed.problem == Problem(**{**PROBLEM, "message": plain(PROBLEM["message"])})  # type: ignore[arg-type]  # one dict of both
    assert (gone.cancel_requested, gone.status) == (plain(GONE), JobStatus.CANCELLED)
    assert cancelled.cancel_requested == plain("admin: not now")
    assert (event.name, event.text("why")) == (EventName.CANCELLED, plain(GONE))
    assert causes == CAUSES


async def test_what_was_read_off_the_causes_of_holds_is_known(upgraded: Store) -> None:
    causes = {hold.target: hold.cause for hold in await upgraded.holds.list_active()}

    def cause(target: str, **facts: object) -> HoldCause:
        return HoldCause(plain(CAUSES[target]), **facts)  # type: ignore[arg-type]  # any of them

    assert causes == {
        "paperless:home": cause("paperless:home"),
        "model:http://a/v1#1": cause("model:http://a/v1#1", is_daily_quota=True, needs_answer=True),
        "limit:home": cause("limit:home", limit=LimitKind.DOCUMENTS_PER_DAY),
        "limit:attic": cause("limit:attic", limit=LimitKind.COST_PER_MONTH),
        "pause:home": cause("pause:home"),
    }


@pytest.mark.parametrize(("document", "is_reused"), [(8, True), (9, False)])
async def test_the_answer_about_a_document_that_was_gone_is_used_again(
    upgraded: Store, clock: FakeClock, document: int, *, is_reused: bool
) -> None:
    job = await upgraded.jobs.enqueue(NewJob(DocumentRef("home", document)), now=clock())
    assert job is not None

    found = await upgraded.results.find_reusable(
        job, content_hash="hash", prompt_version="prompt", model="gemma"
    )

    assert isinstance(found, Analysis) is is_reused
