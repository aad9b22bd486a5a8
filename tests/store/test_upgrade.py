"""From the first schema to the last: a database in use keeps its rows."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import text

from core.changes import ChangeState, RevisedChange
from core.errors import Problem
from core.jobs import ANALYZE, DRY_RUN, JobStatus
from core.messages import plain
from core.scans import INTERRUPTED
from store import open_store
from store.engine import engines_for
from store.migrate import SCRIPTS, prepare_database
from tests.store.builders import HOME_7, NOON, FakeClock, claim
from tests.store.conftest import Place

MIDNIGHT = "2026-03-01 00:00:00.000000"
ROWS = f"""
INSERT INTO instances VALUES ('home', 'http://ai/v1', '{MIDNIGHT}', NULL);
INSERT INTO instances VALUES ('office', 'http://ai/v1', '{MIDNIGHT}', '{MIDNIGHT}');
INSERT INTO documents VALUES (1, 'home', 7, 'queued', NULL, 'Brief', 'hash', false, '{MIDNIGHT}', '{MIDNIGHT}');
INSERT INTO scans VALUES (1, 'home', 'hand', '{MIDNIGHT}', '{MIDNIGHT}', 9, 1, '{{"done": 8}}', NULL);
INSERT INTO scans VALUES (2, 'home', 'hand', '{MIDNIGHT}', NULL, 0, 0, '{{}}', NULL);
INSERT INTO scans VALUES (3, 'home', 'hand', '{MIDNIGHT}', NULL, 1, 1, '{{}}', NULL);
INSERT INTO scans VALUES (4, 'office', 'hand', '{MIDNIGHT}', '{MIDNIGHT}', 0, 0, '{{}}', 'no such tag');
INSERT INTO jobs VALUES (1, 'home', 7, 'analyze', 'pending', 10, 1, 1, 3, 0, false, '{MIDNIGHT}', '{MIDNIGHT}',
    'scan', 1, '{{}}', NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO jobs VALUES (2, 'home', 8, 'rehearse', 'completed', 10, 1, 1, 3, 0, false, '{MIDNIGHT}', '{MIDNIGHT}',
    'scan', 3, '{{}}', NULL, 100, NULL, NULL, NULL, '{MIDNIGHT}', NULL, NULL);
INSERT INTO events VALUES (1, 1, 'enqueued', '{MIDNIGHT}', NULL, '{{}}');
INSERT INTO model_calls VALUES (1, 'home', 1, 'http://ai/v1', 'gemma', 'text', 'ok', 900, 80, 1200, '{MIDNIGHT}');
INSERT INTO results VALUES (1, 1, 1, 'final', 'home', 7, 'hash', 'prompt', 'gemma', 900, 80, 1, '[]', NULL, '{MIDNIGHT}');
INSERT INTO changes VALUES (1, 'home', 7, 1, 'title', NULL, '{{"text": "Strom"}}', 'applied', 'Strom', 0.9, '[]', NULL,
    'rule', '{MIDNIGHT}', '{MIDNIGHT}');
INSERT INTO changes VALUES (2, 'home', 9, 99, 'title', NULL, '{{"text": "Gas"}}', 'proposed', 'Gas', 0.9, '[]', NULL,
    '', '{MIDNIGHT}', NULL);
INSERT INTO holds VALUES ('paperless:home', 'no connection', '{MIDNIGHT}', '{MIDNIGHT}', 2);
"""  # noqa: E501, S608 - a table of rows, and none of it comes from outside


def first_scripts(folder: Path) -> Path:
    """Give the migrations of a Paperclerk that knew the first schema only."""
    scripts = folder / "first"
    shutil.copytree(SCRIPTS, scripts)
    for script in (scripts / "versions").glob("0*.py"):
        if not script.name.startswith("0001"):
            script.unlink()
    return scripts


@pytest.fixture
def first_schema(empty_place: Place, tmp_path: Path) -> Place:
    """A database of the first schema that has been in use."""
    scripts = first_scripts(tmp_path)
    engines = engines_for(empty_place.url, empty_place.data)
    prepare_database(engines, empty_place.data, now=NOON, scripts=scripts)
    with engines.migrator.begin() as connection:
        for statement in filter(str.strip, ROWS.split(";\n")):
            # PostgreSQL has to be told that these are times of UTC; SQLite knows no other.
            zoned = statement if empty_place.url is None else statement.replace(".000000'", "Z'")
            connection.exec_driver_sql(zoned)
        if engines.shared:
            for table in ("scans", "jobs", "events", "model_calls", "results", "changes"):
                count_on = f"SELECT setval('{table}_id_seq', 50)"
                connection.execute(text(count_on))
    engines.dispose()
    return empty_place


async def test_rows_are_kept_and_completed(first_schema: Place, clock: FakeClock) -> None:
    midnight = NOON - timedelta(hours=12)

    async with open_store(first_schema.url, first_schema.data, clock=clock) as store:
        instance = await store.instances.get("home")
        assert instance is not None
        assert (instance.endpoint, instance.cron, instance.next_scan_at) == (
            "http://ai/v1",
            None,
            None,
        )
        (hold,) = await store.holds.list_active()
        assert (hold.target, hold.probes, hold.next_probe_at) == ("paperless:home", 2, midnight)
        (call,) = await store.calls.list_for_job(1)
        assert (call.tokens_in, call.cost) == (900, Decimal(0))
        result = await store.results.get_final(1)
        assert result is not None
        assert (result.analysis.model, result.analysis.examples) == ("gemma", ())
        assert len(await store.jobs.list_events(1)) == 1
        known = await store.documents.get(HOME_7)
        assert known is not None
        assert known.title == "Brief"
        assert (await store.documents.find(("home",), "BRIEF", limit=5)).documents == (known,)


async def test_unfinished_scans_end_as_interrupted(first_schema: Place, clock: FakeClock) -> None:
    midnight = NOON - timedelta(hours=12)
    interrupted = replace(INTERRUPTED, message=plain(str(INTERRUPTED.message)))

    async with open_store(first_schema.url, first_schema.data, clock=clock) as store:
        third, second, first = await store.scans.list("home")
        again = await store.scans.start("home", asked_by="hand", now=clock())

    assert (first.problem, first.seen, first.kind) == (None, 9, ANALYZE)
    assert (second.problem, second.finished_at) == (interrupted, midnight)
    assert (third.problem, third.kind, third.limit) == (interrupted, DRY_RUN, None)
    assert {scan.requested_at for scan in (first, second, third)} == {midnight}
    assert again.id > third.id


async def test_a_scan_that_failed_keeps_its_words_and_counts_no_more_as_the_last(
    first_schema: Place, clock: FakeClock
) -> None:
    async with open_store(first_schema.url, first_schema.data, clock=clock) as store:
        (failed,) = await store.scans.list("office")
        home, office = [await store.instances.get(name) for name in ("home", "office")]

    assert failed.problem == Problem("unexpected", plain("no such tag"))
    assert home is not None
    assert office is not None
    assert (home.last_scan_at, office.last_scan_at) == (NOON - timedelta(hours=12), None)


async def test_changes_learn_which_scan_they_are_of(first_schema: Place, clock: FakeClock) -> None:
    async with open_store(first_schema.url, first_schema.data, clock=clock) as store:
        (change,) = await store.changes.list_for_scan(1)
        (orphan,) = await store.changes.list_for_review()

    assert (change.id, change.state, change.after) == (1, ChangeState.APPLIED, "Strom")
    assert orphan.id == 2


async def test_a_change_that_has_outlived_its_job_can_be_revised(
    first_schema: Place, clock: FakeClock
) -> None:
    async with open_store(first_schema.url, first_schema.data, clock=clock) as store:
        (orphan,) = await store.changes.list_for_review()
        revised = RevisedChange(orphan.id, "Gas 2026", ())
        await store.changes.revise(orphan.document, revised, by="anna", now=clock())
        (changed,) = await store.changes.list_for_review()

    assert (changed.after, changed.state) == ("Gas 2026", ChangeState.PROPOSED)


async def test_the_queue_goes_on_where_it_was(first_schema: Place, clock: FakeClock) -> None:
    async with open_store(first_schema.url, first_schema.data, clock=clock) as store:
        await store.holds.lift("paperless:home", now=clock())
        job = await claim(store, clock)
        done = await store.jobs.succeed(job, now=clock())

    assert (job.id, job.attempts, job.claim) == (1, 2, 2)
    assert done.status is JobStatus.COMPLETED


async def test_the_first_schema_is_copied_before(first_schema: Place, clock: FakeClock) -> None:
    async with open_store(first_schema.url, first_schema.data, clock=clock):
        pass

    backups = first_schema.data / "backups"
    if first_schema.url is not None:
        assert not backups.exists()
        return
    (copy,) = backups.iterdir()
    assert copy.name == "paperclerk-20260301T120000000000Z-schema-0001.db"
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM scans").fetchone() == (4,)
        with pytest.raises(sqlite3.OperationalError, match="no such column"):
            connection.execute("SELECT requested_at FROM scans")
