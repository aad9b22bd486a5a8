"""Commands make no database beside a daemon, and none at all if they only look."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.jobs import JobStatus
from daemon.cli.exits import Exit
from store import DatabaseMissing
from store.engine import FILE_NAME
from store.migrate import latest_revision
from tests.daemon.conftest import Paperclerk
from tests.daemon.processes import a_daemon
from tests.daemon.test_run import enqueue, jobs_in
from tests.installation import ONLY_BY_HAND, Installation

LOOKS = [
    ("status",),
    ("healthcheck",),
    ("jobs",),
    ("job", "1"),
    ("history",),
    ("history", "--csv"),
    ("undo", "--scan", "1", "--preview"),
    ("costs",),
    ("review", "list"),
    ("review", "show", "home/1"),
    ("names",),
    ("names", "list"),
    ("names", "aliases"),
    ("token", "list"),
]
ASKS = [("check",), ("scan-now",), ("pause",)]


@pytest.fixture
def untouched(installation: Installation) -> Path:
    """A data folder in which nothing has run yet."""
    (installation.data / FILE_NAME).unlink()
    installation.data.rmdir()
    return installation.data


@pytest.mark.parametrize("words", LOOKS, ids=" ".join)
def test_who_only_looks_says_that_nothing_has_run_yet_and_makes_nothing(
    paperclerk: Paperclerk, untouched: Path, words: tuple[str, ...]
) -> None:
    said = paperclerk(*words)

    assert (said.code, said.out) == (Exit.LOOK, "")
    expected = f"there is no database in {untouched}: Paperclerk has not been started yet"
    assert said.err == f"{expected}\n  -> {DatabaseMissing.hint}\n"
    assert not untouched.exists()


def test_the_first_check_of_all_goes_through(paperclerk: Paperclerk, untouched: Path) -> None:
    said = paperclerk("check")

    assert said.code == 0, said.out
    assert f"{untouched} is writable" in said.out


def test_a_daemon_whose_database_vanished_gets_it_back_whatever_is_typed_meanwhile(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.configure(ONLY_BY_HAND)
    enqueue(installation, 1)
    with a_daemon(installation) as daemon:
        daemon.wait_for("job completed")
        installation.remove_database()
        daemon.wait_for("database unavailable")
        said = [paperclerk(*words) for words in (*LOOKS, *ASKS)]
        made = (installation.data / FILE_NAME).exists()
        installation.restore_database()
        daemon.wait_for("database available again")

    message = f"{FILE_NAME} is missing, and process {daemon.pid} is using this data folder"
    assert [output.code for output in said] == [Exit.LOOK] * len(said)
    assert all(message in output.err + output.out for output in said), said
    assert not made
    assert daemon.log.count("database unavailable") == 1
    assert "database file replaced" not in daemon.log
    assert [job.status for job in jobs_in(installation)] == [JobStatus.COMPLETED]


def set_schema(installation: Installation, schema: str) -> None:
    with closing(sqlite3.connect(installation.data / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (schema,))


def test_an_older_schema_beside_a_daemon_is_for_the_daemon_to_migrate(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    with a_daemon(installation) as daemon:
        daemon.wait_for("event=started")
        set_schema(installation, "0002")
        said = [paperclerk(*words) for words in (LOOKS[0], *ASKS)]

    assert [output.code for output in said] == [Exit.CONFIG] * len(said)
    assert all("Restart the daemon with this version" in output.err + output.out for output in said)
    with closing(sqlite3.connect(installation.data / FILE_NAME)) as connection:
        [found] = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    assert found == "0002"


def test_a_daemon_whose_schema_is_moved_says_once_what_to_do_and_goes_on_if_it_is_back(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    with a_daemon(installation) as daemon:
        daemon.wait_for("event=started")
        set_schema(installation, "9999")
        daemon.wait_for("database unavailable")
        said = paperclerk("healthcheck")
        set_schema(installation, latest_revision())
        daemon.wait_for("database available again")
        enqueue(installation, 1)
        daemon.wait_for("job completed")

    assert (said.code, "schema 9999" in said.err) == (Exit.LOOK, True)
    assert daemon.log.count("database unavailable") == 1
    assert (
        f"the database now has schema 9999, this Paperclerk needs {latest_revision()}" in daemon.log
    )
    assert "Restart the daemon with that version" in daemon.log
    assert "Traceback" not in daemon.log
