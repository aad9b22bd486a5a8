"""Our queue, as the processor uses it: each job is settled as the next is claimed."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter

from benchmarks.fill import INSTANCE, make_queue
from benchmarks.measure import memory_mb
from core.calendar import utc_now
from core.jobs import Scope
from store import Store, open_store

_SCOPE = Scope(instances=(INSTANCE,))
_ENOUGH = 50
"""Jobs after which the memory of a process does not grow any more."""


class OurQueue:
    """Works jobs off through the store's own face."""

    def __init__(self, name: str, store: Store) -> None:
        self.name = name
        self._store = store

    async def prepare(self, count: int) -> None:
        """Do nothing: enough jobs wait from the beginning."""

    async def work_off(self, count: int) -> float:
        jobs, began = self._store.jobs, perf_counter()
        job = await jobs.claim(worker="bench", now=utc_now(), scope=_SCOPE)
        for _ in range(count - 1):
            assert job is not None
            _, job = await jobs.succeed_and_claim(job, now=utc_now(), scope=_SCOPE)
        assert job is not None
        await jobs.succeed(job, now=utc_now())
        return perf_counter() - began


@asynccontextmanager
async def our_queue(
    name: str, folder: Path, *, url: str | None = None, finished: int, pending: int
) -> AsyncIterator[OurQueue]:
    """Open a queue with so many finished jobs in it, and so many that wait."""
    folder.mkdir(exist_ok=True)
    make_queue(url, folder, finished=finished, pending=pending)
    async with open_store(url, folder) as store:
        yield OurQueue(name, store)


def memory_of_worker(folder: Path, url: str | None) -> float:
    """Return the memory in MiB of a new process that works some jobs of that queue off."""
    command = [sys.executable, "-m", "benchmarks.our_queue", str(folder), *([url] if url else [])]
    completed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return float(completed.stdout)


async def _work_some_off(folder: Path, url: str | None) -> None:
    async with open_store(url, folder) as store:
        await OurQueue("", store).work_off(_ENOUGH)
        sys.stdout.write(f"{memory_mb():.1f}")


if __name__ == "__main__":
    asyncio.run(_work_some_off(Path(sys.argv[1]), sys.argv[2] if sys.argv[2:] else None))
