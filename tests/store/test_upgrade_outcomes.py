"""A database of before outcomes were stored: they are derived from the changes."""

from pathlib import Path

from sqlalchemy import Connection, select

from core.fields import value_to_json
from store.engine import engines_for
from store.migrate import prepare_database
from store.tables import changes, jobs
from tests.store.builders import HOME_7, NOON
from tests.store.conftest import Place
from tests.store.test_upgrade_begun import MORNING, add_job, add_row, old_scripts

ANALYSES = {1: "automatic", 2: None, 3: None}
"""Written by rule alone; still for review; decided by a person."""
DECISIONS = {4: "accepted", 5: "edited", 6: "rejected"}


def add_change(connection: Connection, id_: int, **values: object) -> None:
    row = {
        **{"id": id_, "instance": HOME_7.instance, "document_id": HOME_7.id, "field": "title"},
        **{"after": value_to_json("Strom"), "reasons": [], "similar": [], "state": "applied"},
        **{"evidence": "Strom", "confidence": 1.0, "created_at": MORNING, "settled_at": MORNING},
    }
    add_row(connection, changes, row | values)


def fill(connection: Connection) -> None:
    for number in ANALYSES:
        add_job(connection, number, "analyze", "completed")
    for number in DECISIONS:
        add_job(connection, number, "apply", "completed")
    add_change(connection, 1, job_id=1, decided_by="rule")
    add_change(connection, 2, job_id=2, decided_by="rule")
    add_change(connection, 3, job_id=2, decided_by="", state="proposed", settled_at=None)
    add_change(connection, 4, job_id=3, decided_by="anna", apply_job_id=4)
    add_change(connection, 5, job_id=3, decided_by="anna", apply_job_id=5, evidence="")
    add_change(connection, 6, job_id=3, decided_by="anna", state="rejected")


def test_outcomes_of_the_past_are_derived_from_the_changes(
    empty_place: Place, tmp_path: Path
) -> None:
    engines = engines_for(empty_place.url, empty_place.data)
    scripts = old_scripts(tmp_path, newest="0031")
    prepare_database(engines, empty_place.data, now=NOON, scripts=scripts)
    with engines.migrator.begin() as connection:
        fill(connection)

    prepare_database(engines, empty_place.data, now=NOON)

    with engines.reader.begin() as connection:
        outcomes = dict(connection.execute(select(jobs.c.id, jobs.c.outcome)).all())
        edited = dict(connection.execute(select(changes.c.id, changes.c.is_edited)).all())
    engines.dispose()
    assert outcomes == ANALYSES | DECISIONS
    assert edited == {1: None, 2: None, 3: None, 4: False, 5: True, 6: None}
