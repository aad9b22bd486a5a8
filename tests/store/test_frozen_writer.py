"""A process that freezes inside a writing transaction does not stop the others for long."""

import asyncio
import signal
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from store import Store
from store.engine import engines_for
from tests.store.builders import FakeClock, enqueue_job
from tests.store.conftest import Place

TIMEOUT = timedelta(seconds=5)
HOLDER = """
import sys
from pathlib import Path
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from store.engine import engines_for

writer = engines_for(sys.argv[1], Path(".")).writer
try:
    with writer.begin() as connection:
        connection.execute(text("DELETE FROM jobs"))
        print("inside", flush=True)
        sys.stdin.readline()
        connection.execute(text("SELECT 1"))
except DBAPIError:
    writer.dispose()
    with writer.begin() as connection:
        print("refused", connection.execute(text("SELECT count(*) FROM jobs")).scalar(), flush=True)
"""


@pytest.fixture(params=["postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return Place(request.getfixturevalue("fresh_postgres"), tmp_path)


async def start_holder(place: Place) -> asyncio.subprocess.Process:
    holder = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-c", HOLDER, str(place.url)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"inside\n"
    return holder


async def test_a_frozen_holder_of_the_writer_lock_loses_its_transaction(
    place: Place, store: Store, clock: FakeClock
) -> None:
    holder = await start_holder(place)
    holder.send_signal(signal.SIGSTOP)
    try:
        job = await enqueue_job(store, clock)
    finally:
        holder.send_signal(signal.SIGCONT)
    said, _ = await holder.communicate(b"go on\n")

    assert said == b"refused 1\n"
    assert await store.jobs.get(job.id) == job


def test_the_server_waits_at_most_five_seconds_for_a_writer(place: Place) -> None:
    engines = engines_for(place.url, place.data)
    with engines.writer.begin() as connection:
        setting = "SELECT setting::int FROM pg_settings WHERE name = :name"
        name = {"name": "idle_in_transaction_session_timeout"}
        waits = connection.execute(text(setting), name).scalar_one()
    engines.dispose()

    assert timedelta() < timedelta(milliseconds=waits) <= TIMEOUT
