"""Who shares a queue goes by one time, however wrong the clock of his machine is."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine
from structlog.testing import capture_logs

from core.calendar import utc_now
from core.workers import WORKER_TIMEOUT
from store import open_store
from store.workers import IGNORED_OFFSET, SharedClock
from tests.store.builders import NOON, FakeClock, a_new_job
from tests.store.conftest import Place

AN_HOUR = timedelta(hours=1)


@pytest.fixture
def connection(postgres_url: str) -> Iterator[Connection]:
    engine = create_engine(postgres_url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connected:
        yield connected
    engine.dispose()


class Late:
    """A clock that is wrong, and takes its time from one question to the next."""

    def __init__(self, by: timedelta, *, pace: timedelta = timedelta()) -> None:
        self.by = by
        self._pace = pace

    def __call__(self) -> datetime:
        self.by -= self._pace
        return utc_now() - self.by


@pytest.mark.parametrize("by", [AN_HOUR, -AN_HOUR, IGNORED_OFFSET * 2])
def test_a_wrong_clock_is_set_by_the_database_and_that_is_reported_once(
    connection: Connection, by: timedelta
) -> None:
    late = Late(by)
    clock = SharedClock(late)

    with capture_logs() as logs:
        clock.synchronize(connection)
        clock.synchronize(connection)
        right = abs(clock() - utc_now())
        late.by = timedelta()
        clock.synchronize(connection)

    assert right < IGNORED_OFFSET / 2
    assert [entry["event"] for entry in logs] == [
        "clock set by the database",
        "clock agrees with the database",
    ]
    assert logs[0]["seconds"] == pytest.approx(by.total_seconds(), abs=0.5)


def test_a_clock_that_is_right_is_left_as_it_is(connection: Connection) -> None:
    now = utc_now()
    clock = SharedClock(lambda: now)

    with capture_logs() as logs:
        clock.synchronize(connection)

    assert (clock(), logs) == (now, [])


def test_an_answer_that_took_long_sets_no_clock(connection: Connection) -> None:
    late = Late(AN_HOUR, pace=IGNORED_OFFSET * 2)
    clock = SharedClock(late)

    clock.synchronize(connection)

    assert utc_now() - clock() > AN_HOUR / 2


async def test_a_living_worker_is_not_taken_for_dead_by_one_whose_clock_is_ahead(
    fresh_postgres: str, tmp_path: Path
) -> None:
    async with (
        open_store(fresh_postgres, tmp_path) as ours,
        open_store(fresh_postgres, tmp_path, clock=Late(-AN_HOUR)) as theirs,
    ):
        for store in (ours, theirs):
            await store.synchronize_clock()
        await ours.jobs.enqueue(a_new_job(), now=ours.clock())
        job = await ours.jobs.claim(worker="ours", now=ours.clock())

        since, now = theirs.clock() - WORKER_TIMEOUT, theirs.clock()
        recovered = await theirs.jobs.recover(silent_since=since, now=now)

        assert job is not None
        assert recovered == ()


async def test_a_file_goes_by_the_clock_of_its_one_machine(sqlite_place: Place) -> None:
    clock = FakeClock()
    async with open_store(None, sqlite_place.data, clock=clock) as store:
        await store.synchronize_clock()

        assert store.clock() == NOON
