"""Our queue, used as in the processor: a job is settled in the transaction that claims the next."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter

from benchmarks.fill import INSTANCE, create_queue
from benchmarks.measure import memory_mb
from core.calendar import utc_now
from core.jobs import Scope
from store import Store, open_store

_SCOPE = Scope(instances=(INSTANCE,))
_ENOUGH = 50
"""Jobs after which the memory of a process no longer grows."""


class OurQueue:
    """Processes jobs through the public interface of the store."""

    def __init__(self, name: str, store: Store) -> None:
        self.name = name
        self._store = store

    async def prepare(self, count: int) -> None:
        """Do nothing: the queue was filled when it was created."""

    async def process(self, count: int) -> float:
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
    """Open a queue with the given numbers of finished and pending jobs."""
    folder.mkdir(exist_ok=True)
    create_queue(url, folder, finished=finished, pending=pending)
    async with open_store(url, folder) as store:
        yield OurQueue(name, store)


def measure_worker_memory(folder: Path, url: str | None) -> float:
    """Return the memory in MiB of a new process that has processed some jobs of the queue."""
    command = [sys.executable, "-m", "benchmarks.our_queue", str(folder), *([url] if url else [])]
    completed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return float(completed.stdout)


async def _print_worker_memory(folder: Path, url: str | None) -> None:
    async with open_store(url, folder) as store:
        await OurQueue("", store).process(_ENOUGH)
        sys.stdout.write(f"{memory_mb():.1f}")


if __name__ == "__main__":
    asyncio.run(_print_worker_memory(Path(sys.argv[1]), sys.argv[2] if sys.argv[2:] else None))
