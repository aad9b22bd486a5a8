"""Transactions: carried out wholly or not at all, and never left behind."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError

from store import StoreUnavailable
from store.database import Database
from store.engine import engines_for
from tests.store.builders import FakeClock
from tests.store.conftest import Place
from tests.waiting import LONG

INSERT = "INSERT INTO holds (target, cause, since, probes) VALUES (:target, 'why', '2026-03-01', 0)"


@pytest.fixture
async def database(place: Place, clock: FakeClock) -> AsyncIterator[Database]:
    opened = Database(engines_for(place.url, place.data))
    yield opened
    await opened.close()


def insert(connection: Connection, target: str) -> str:
    connection.execute(text(INSERT), {"target": target})
    return target


def targets(connection: Connection) -> list[str]:
    return list(connection.scalars(text("SELECT target FROM holds ORDER BY target")))


class SlowWrite:
    """A transaction that stops in the middle until it is let go."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.let_go = threading.Event()

    def __call__(self, connection: Connection, target: str) -> None:
        insert(connection, target)
        self.started.set()
        assert self.let_go.wait(LONG)

    async def wait_for_start(self) -> None:
        assert await asyncio.to_thread(self.started.wait, 30)


async def test_what_a_transaction_returns_comes_back(database: Database) -> None:
    assert await database.write(insert, "a") == "a"
    assert await database.read(targets) == ["a"]


async def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    def fails(connection: Connection) -> None:
        insert(connection, "a")
        raise LookupError("half-way")

    with pytest.raises(LookupError):
        await database.write(fails)

    assert await database.read(targets) == []
    assert await database.write(insert, "b") == "b"


async def test_a_cancelled_caller_waits_until_its_write_is_done(database: Database) -> None:
    slow = SlowWrite()
    task = asyncio.create_task(database.write(slow, "a"))
    await slow.wait_for_start()

    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    slow.let_go.set()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert await database.read(targets) == ["a"]


async def test_a_write_that_waits_its_turn_is_carried_out_for_a_cancelled_caller_too(
    database: Database,
) -> None:
    slow = SlowWrite()
    first = asyncio.create_task(database.write(slow, "a"))
    second = asyncio.create_task(database.write(insert, "b"))
    await slow.wait_for_start()

    second.cancel()
    slow.let_go.set()
    await first

    with pytest.raises(asyncio.CancelledError):
        await second
    assert await database.read(targets) == ["a", "b"]


async def test_a_write_that_fails_for_a_cancelled_caller_is_no_second_error(
    database: Database,
) -> None:
    await database.write(insert, "a")
    slow = SlowWrite()
    first = asyncio.create_task(database.write(slow, "b"))
    second = asyncio.create_task(database.write(insert, "a"))
    await slow.wait_for_start()

    second.cancel()
    slow.let_go.set()
    await first

    with pytest.raises(asyncio.CancelledError):
        await second


async def test_a_mistake_of_ours_is_not_taken_for_an_outage(database: Database) -> None:
    await database.write(insert, "a")

    with pytest.raises(IntegrityError):
        await database.write(insert, "a")


async def test_a_full_disk_is_an_outage_that_passes(sqlite_place: Place) -> None:
    database = Database(engines_for(None, sqlite_place.data))

    def fill(connection: Connection) -> None:
        connection.execute(text("PRAGMA max_page_count = 1"))
        for number in range(2_000):
            insert(connection, f"{number:0100}")

    with pytest.raises(StoreUnavailable, match="full"):
        await database.write(fill)

    assert await database.read(targets) == []
    await database.write(
        lambda connection: connection.execute(text("PRAGMA max_page_count = 99999"))
    )
    await database.write(insert, "a")
    assert await database.read(targets) == ["a"]
    await database.close()


async def test_a_connection_that_was_cut_is_replaced(fresh_postgres: str, tmp_path: Path) -> None:
    database = Database(engines_for(fresh_postgres, tmp_path))
    cut = "SELECT pg_terminate_backend(pg_backend_pid())"

    with pytest.raises(StoreUnavailable):
        await database.write(lambda connection: connection.execute(text(cut)))

    answer = await database.write(lambda connection: connection.scalar(text("SELECT 1")))
    assert answer == 1
    await database.close()


async def test_a_writer_waits_for_the_others_writer(place: Place, database: Database) -> None:
    other = Database(engines_for(place.url, place.data))
    slow = SlowWrite()
    first = asyncio.create_task(database.write(slow, "a"))
    await slow.wait_for_start()

    second = asyncio.create_task(other.write(targets))
    done, _ = await asyncio.wait([second], timeout=0.2)
    assert not done
    slow.let_go.set()

    await first
    # It began after the first had committed, so it sees what that wrote.
    assert await second == ["a"]
    await other.close()


async def test_closing_twice_is_harmless(database: Database) -> None:
    await database.close()
    await database.close()
