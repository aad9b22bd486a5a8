"""Both engines: what a connection promises, and what is not an address."""

import sqlite3
import sys
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import Connection, text

from core.documents import DocumentRef
from core.messages import plain
from store import CannotOpen, Store, StoreUnavailable, open_store
from store.database import Database
from store.engine import engines_for
from tests.store.builders import HOME_7, HOME_8, FakeClock, claim, enqueue_job
from tests.store.conftest import Place


@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("journal_mode", "wal"),
        ("synchronous", 2),
        ("foreign_keys", 1),
        ("busy_timeout", 10_000),
        ("query_only", 0),
    ],
)
def test_the_writer_is_set_up_to_lose_nothing(
    sqlite_template: Path, pragma: str, value: object
) -> None:
    engines = engines_for(None, sqlite_template.parent)

    with engines.writer.connect() as connection:
        found = connection.exec_driver_sql(f"PRAGMA {pragma}").scalar()
    engines.dispose()

    assert found == value


def test_the_driver_begins_no_transactions_of_its_own(sqlite_template: Path) -> None:
    engines = engines_for(None, sqlite_template.parent)

    modes: set[str | None] = set()
    for engine in (engines.migrator, engines.writer, engines.reader):
        with engine.connect() as connection:
            raw = connection.connection.dbapi_connection
            assert isinstance(raw, sqlite3.Connection)
            modes.add(raw.isolation_level)
    engines.dispose()

    assert modes == {None}


async def test_a_reader_cannot_write(place: Place, clock: FakeClock) -> None:
    database = Database(engines_for(place.url, place.data))

    def write(connection: Connection) -> None:
        connection.execute(text("DELETE FROM jobs"))

    with pytest.raises(StoreUnavailable, match=r"read-?only"):
        await database.read(write)
    await database.close()


async def test_readers_are_not_kept_waiting_by_a_writer(
    place: Place, store: Store, clock: FakeClock
) -> None:
    job = await enqueue_job(store, clock)
    engines = engines_for(place.url, place.data)

    with engines.writer.begin() as other:
        other.execute(text("UPDATE jobs SET attempts = 7"))
        seen = await store.jobs.get(job.id)
    engines.dispose()

    assert seen.attempts == 0


async def test_two_stores_share_one_queue(place: Place, store: Store, clock: FakeClock) -> None:
    await enqueue_job(store, clock, HOME_7)
    await enqueue_job(store, clock, HOME_8)

    async with open_store(place.url, place.data) as other:
        first = await claim(store, clock, worker="one")
        second = await claim(other, clock, worker="two")
        await other.jobs.succeed(second, now=clock())

    assert {first.document, second.document} == {HOME_7, HOME_8}
    assert (await store.jobs.get(second.id)).finished_at == clock()


async def test_a_claim_passes_over_a_job_that_someone_has_locked(
    fresh_postgres: str, tmp_path: Path, clock: FakeClock
) -> None:
    async with open_store(fresh_postgres, tmp_path) as store:
        first = await enqueue_job(store, clock, HOME_7)
        second = await enqueue_job(store, clock, HOME_8)

        with psycopg.connect(fresh_postgres) as other:
            other.execute("SELECT id FROM jobs WHERE id = %s FOR UPDATE", (first.id,))
            taken = await claim(store, clock)

    assert taken.id == second.id


@pytest.mark.parametrize("url", ["mysql://host/db", "sqlite:///x.db", "no address", ""])
def test_only_postgresql_has_an_address(url: str, tmp_path: Path) -> None:
    with pytest.raises(CannotOpen, match=r"database\.url"):
        engines_for(url, tmp_path)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_spelling_of_postgresql_uses_psycopg(scheme: str, tmp_path: Path) -> None:
    engines = engines_for(f"{scheme}://clerk:secret@db/clerk", tmp_path)

    assert engines.writer.url.drivername == "postgresql+psycopg"
    assert engines.shared


def test_a_missing_driver_is_reported_with_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(CannotOpen, match=r"paperclerk\[postgres\]"):
        engines_for("postgresql://db/clerk", tmp_path)


async def test_a_server_that_is_away_is_reported_without_the_password(tmp_path: Path) -> None:
    url = f"postgresql://clerk:topsecret@/clerk?host={tmp_path}"

    with pytest.raises(CannotOpen, match="cannot be opened") as caught:
        async with open_store(url, tmp_path):
            pass

    assert "topsecret" not in str(caught.value)


async def test_text_that_a_database_cannot_hold_is_cleaned(store: Store, clock: FakeClock) -> None:
    job = await enqueue_job(store, clock, DocumentRef("home", 7))
    taken = await claim(store, clock)

    await store.documents.record_fetched(
        taken, title="a\x00b\ud800c", content_hash="h", now=clock()
    )
    await store.jobs.release(taken, plain("a\x00b\ud800c"), now=clock())

    known = await store.documents.get(job.document)
    assert known is not None
    assert known.title == "ab?c"
    *_, event = await store.jobs.list_events(job.id)
    assert event.data["why"] == "ab?c"


async def test_a_naive_time_is_refused(store: Store, clock: FakeClock) -> None:
    with pytest.raises(Exception, match="must be aware"):
        await store.jobs.claim(worker="worker", now=clock().replace(tzinfo=None))


async def test_the_database_is_named_with_its_version(store: Store) -> None:
    name, version = (await store.version()).split()

    assert name == ("PostgreSQL" if store.shared else "SQLite")
    assert int(version.split(".")[0]) >= 3
