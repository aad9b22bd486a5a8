"""Two other job queues, used as in their documentation, with a job that does nothing.

huey deletes a job when it is dequeued (at most once) and keeps no history: one transaction per job.
procrastinate keeps finished jobs and writes an event for each transition, as we do.
"""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter

import procrastinate
from huey import SqliteHuey


class HueyQueue:
    """huey on SQLite, WAL with fsync at each commit."""

    name = "huey, SQLite"

    def __init__(self, file: Path) -> None:
        self._huey = SqliteHuey("bench", filename=str(file), fsync=True)
        self._task = self._huey.task(name="nothing")(_nothing)

    async def prepare(self, count: int) -> None:
        for _ in range(count):
            self._task()

    async def process(self, count: int) -> float:
        began = perf_counter()
        for _ in range(count):
            self._huey.execute(self._huey.dequeue())
        return perf_counter() - began


class ProcrastinateQueue:
    """procrastinate with one worker that runs until its queue is empty."""

    name = "procrastinate, PostgreSQL"

    def __init__(self, app: procrastinate.App) -> None:
        self._app = app
        self._ended: list[float] = []
        self._task = app.task(name="nothing")(self._nothing)

    async def prepare(self, count: int) -> None:
        await self._task.batch_defer_async(*({} for _ in range(count)))

    async def process(self, count: int) -> float:
        """Return the time from the first job to the last: the worker's start-up is not counted."""
        drained = await self.drain()
        assert drained is not None
        assert len(self._ended) == count
        began, ended = drained
        return (ended - began) * count / (count - 1)

    async def drain(self) -> tuple[float, float] | None:
        """Process all queued jobs; return when the first and the last ended; None if none did."""
        self._ended.clear()
        await self._app.run_worker_async(
            wait=False, concurrency=1, listen_notify=False, install_signal_handlers=False
        )
        return (self._ended[0], self._ended[-1]) if self._ended else None

    async def _nothing(self) -> None:
        self._ended.append(perf_counter())


@asynccontextmanager
async def procrastinate_queue(
    url: str, *, create: bool = True
) -> AsyncIterator[ProcrastinateQueue]:
    """Open a procrastinate queue in the database at `url`; `create` applies its schema."""
    logging.getLogger("procrastinate").setLevel(logging.ERROR)
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url))
    async with app.open_async():
        if create:
            await app.schema_manager.apply_schema_async()
        yield ProcrastinateQueue(app)


def _nothing() -> None:
    """Do nothing, as every job of the benchmark does."""
