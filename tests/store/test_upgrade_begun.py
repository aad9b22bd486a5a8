"""A database of before writes were marked as begun: what was on its way is not lost."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, Table, column, insert, table

from core.changes import Change, ChangeState
from core.fields import value_to_json
from core.jobs import ANALYZE, APPLY
from store import open_store
from store.engine import engines_for
from store.migrate import SCRIPTS, prepare_database
from store.tables import changes, jobs
from tests.store.builders import HOME_7, NOON, FakeClock
from tests.store.conftest import Place

MORNING = NOON - timedelta(hours=3)


def old_scripts(folder: Path, newest: str = "0017") -> Path:
    """Return the migrations of an older Paperclerk; by default of one that marked no write."""
    scripts = folder / "old"
    shutil.copytree(SCRIPTS, scripts)
    for script in (scripts / "versions").glob("0*.py"):
        if script.name[:4] > newest:
            script.unlink()
    return scripts


def add_job(connection: Connection, id_: int, kind: str, status: str, claim: int = 1) -> None:
    is_over = status in {"completed", "failed", "cancelled"}
    row = {
        **{"id": id_, "instance": HOME_7.instance, "document_id": HOME_7.id, "kind": kind},
        **{"status": status, "priority": 10, "claim": claim, "attempts": claim},
        **{"max_attempts": 3, "give_backs": 0, "recovered": False, "payload": {}, "progress": 0},
        **{"scheduled_for": MORNING, "created_at": MORNING, "asked_by": "timer"},
        "stage": "apply" if claim else None,
        "heartbeat_at": MORNING if status == "processing" else None,
        "finished_at": MORNING if is_over else None,
    }
    add_row(connection, jobs, row)


def add_change(connection: Connection, job_id: int, decided_by: str) -> None:
    row = {
        **{"id": 1, "instance": HOME_7.instance, "document_id": HOME_7.id, "job_id": job_id},
        **{"field": "title", "after": value_to_json("Strom"), "state": "intended"},
        **{"evidence": "", "confidence": 1.0, "reasons": [], "similar": []},
        **{"decided_by": decided_by, "created_at": MORNING},
    }
    add_row(connection, changes, row)


def add_row(connection: Connection, present: Table, row: dict[str, object]) -> None:
    """Add a row to a table that lacks the columns of today."""
    then = table(present.name, *(column(name, present.c[name].type) for name in row))
    connection.execute(insert(then).values(**row))


async def upgraded(
    place: Place, folder: Path, jobs_of: list[tuple[str, str, int]], decided_by: str
) -> tuple[Change, bool]:
    """Return the change of the first job after the upgrade, and whether it has begun."""
    engines = engines_for(place.url, place.data)
    prepare_database(engines, place.data, now=NOON, scripts=old_scripts(folder))
    with engines.migrator.begin() as connection:
        for number, (kind, status, claim) in enumerate(jobs_of, start=1):
            add_job(connection, number, kind, status, claim)
        add_change(connection, 1, decided_by)
    engines.dispose()
    async with open_store(place.url, place.data, clock=FakeClock()) as store:
        change = await store.changes.get(1)
        return change, change in await store.changes.list_begun(HOME_7)


@pytest.mark.parametrize("status", ["pending", "processing"])
async def test_what_a_live_analysis_may_have_written_has_begun(
    empty_place: Place, tmp_path: Path, status: str
) -> None:
    change, has_begun = await upgraded(empty_place, tmp_path, [(ANALYZE, status, 1)], "rule")

    assert (change.state, has_begun) == (ChangeState.INTENDED, True)


@pytest.mark.parametrize("status", ["failed", "cancelled"])
async def test_what_an_ended_analysis_may_have_written_is_unconfirmed(
    empty_place: Place, tmp_path: Path, status: str
) -> None:
    change, has_begun = await upgraded(empty_place, tmp_path, [(ANALYZE, status, 1)], "rule")

    assert (change.state, has_begun) == (ChangeState.UNCONFIRMED, True)


@pytest.mark.parametrize(
    ("status", "claim", "expected"),
    [
        ("pending", 0, (ChangeState.INTENDED, False)),
        ("pending", 1, (ChangeState.INTENDED, True)),
        ("processing", 1, (ChangeState.INTENDED, True)),
        ("failed", 1, (ChangeState.UNCONFIRMED, True)),
        ("cancelled", 1, (ChangeState.UNCONFIRMED, True)),
        ("cancelled", 0, (ChangeState.PROPOSED, False)),
        ("completed", 1, (ChangeState.PROPOSED, False)),
    ],
)
async def test_an_acceptance_is_written_by_its_job_or_returns_to_review(
    empty_place: Place,
    tmp_path: Path,
    status: str,
    claim: int,
    expected: tuple[ChangeState, bool],
) -> None:
    both = [(ANALYZE, "completed", 1), (APPLY, status, claim)]

    change, has_begun = await upgraded(empty_place, tmp_path, both, "anna")

    assert (change.state, has_begun) == expected
    assert change.apply_job_id == 2
    assert bool(change.decided_by) is (change.state is not ChangeState.PROPOSED)


async def test_a_mark_that_an_apply_job_was_writing_has_begun(
    empty_place: Place, tmp_path: Path
) -> None:
    both = [(ANALYZE, "completed", 1), (APPLY, "processing", 1)]

    change, has_begun = await upgraded(empty_place, tmp_path, both, "rule")

    assert (change.state, has_begun, change.apply_job_id) == (ChangeState.INTENDED, True, 2)
