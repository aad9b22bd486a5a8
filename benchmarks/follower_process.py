"""Followers of the dashboard in a process of their own: each with a stream and a page.

Each does as the page's script does: after an event it loads the live part again, at most as often
as the stream allows. The address is an argument. They report when all listen, and print their
counts at the end of their input.
"""

import argparse
import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from time import monotonic
from urllib.parse import urlsplit

_STREAM = "/events?topics=jobs,progress,results,changes,scans,holds,beat"
_PAGE = "/"
_APART = 1.0
"""Seconds between two looks at a page, if the stream says nothing else."""
_LOOK = 0.2


@dataclass(slots=True)
class FollowerCounts:
    """What one of them heard and asked for."""

    first: int = 0
    last: int = 0
    events: int = 0
    gaps: int = 0
    """Events that did not follow the one before."""
    pages: int = 0
    ended: bool = False
    """Whether the stream came to an end by itself."""

    def hear(self, number: int) -> None:
        self.gaps += self.last not in {0, number - 1}
        self.first, self.last = self.first or number, number
        self.events += 1


@dataclass(slots=True)
class Follower:
    """One of them."""

    host: str
    port: int
    token: str
    with_page: bool
    heard: FollowerCounts = field(default_factory=FollowerCounts)
    apart: float = _APART
    news: bool = False
    pace: float = 1.0
    """Not all of many look at the same moment."""

    async def follow(self, listening: asyncio.Semaphore) -> None:
        """Listen to the end of the stream, and look at the page meanwhile."""
        reader, writer = await self._ask(_STREAM)
        looking = asyncio.create_task(self._look()) if self.with_page else None
        try:
            while line := await reader.readline():
                if line.startswith(b": listening"):
                    listening.release()
                self._take(line)
            self.heard.ended = True
        finally:
            if looking:
                looking.cancel()
            writer.close()

    def _take(self, line: bytes) -> None:
        name, _, said = line.partition(b": ")
        if name == b"id":
            self.heard.hear(int(said))
            self.news = True
        elif name == b"data" and b'"apart_ms"' in said:
            apart = json.loads(said)["apart_ms"] / 1000
            self.apart = apart * self.pace if apart > _APART else _APART

    async def _look(self) -> None:
        asked = 0.0
        while True:
            await asyncio.sleep(_LOOK)
            if self.news and monotonic() - asked >= self.apart:
                self.news, asked = False, monotonic()
                with suppress(OSError):
                    await self._load()

    async def _load(self) -> None:
        reader, writer = await self._ask(_PAGE, "accept: text/html", "hx-request: true")
        status = await reader.readline()
        while chunk := await reader.read(1 << 16):
            del chunk
        writer.close()
        self.heard.pages += status.startswith(b"HTTP/1.1 200")

    async def _ask(
        self, path: str, *headers: str
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection(self.host, self.port, limit=1 << 20)
        end = () if path == _STREAM else ("connection: close",)
        lines = (f"GET {path} HTTP/1.1", f"host: {self.host}:{self.port}", *headers, *end)
        said = "\r\n".join((*lines, f"authorization: Bearer {self.token}", "", ""))
        writer.write(said.encode())
        return reader, writer


class FollowerProcess:
    """The people, seen from the benchmark."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def leave(self) -> list[FollowerCounts]:
        """End all followers; return what each of them counted."""
        counts, _ = self._process.communicate("", timeout=60)
        return [FollowerCounts(**values) for values in json.loads(counts)]


@contextmanager
def running_followers(
    address: str, token: str, *, count: int, with_pages: bool
) -> Iterator[FollowerProcess]:
    """Gather so many people; begin when all of them listen."""
    command = (sys.executable, "-m", "benchmarks.follower_process", address, str(count))
    with subprocess.Popen(
        (*command, *(("--pages",) if with_pages else ())),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        # Not on the command line, where everybody could see it.
        process.stdin.write(f"{token}\n")
        process.stdin.flush()
        try:
            assert process.stdout.readline() == "listening\n"
            yield FollowerProcess(process)
        finally:
            if not process.stdin.closed:
                process.stdin.close()


async def _gather(followers: list[Follower]) -> list[Mapping[str, object]]:
    listening, leave = asyncio.Semaphore(0), asyncio.Event()
    tasks = [asyncio.create_task(follower.follow(listening)) for follower in followers]
    for _ in followers:
        await listening.acquire()
    sys.stdout.write("listening\n")
    sys.stdout.flush()
    asyncio.get_running_loop().add_reader(sys.stdin, leave.set)
    await leave.wait()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return [asdict(follower.heard) for follower in followers]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("count", type=int)
    parser.add_argument("--pages", action="store_true")
    given = parser.parse_args()
    where, token = urlsplit(given.address), sys.stdin.readline().strip()
    people = [
        Follower(where.hostname or "", where.port or 80, token, given.pages)
        for _ in range(given.count)
    ]
    for number, follower in enumerate(people):
        follower.pace = 0.8 + 0.4 * number / given.count
    counts = json.dumps(asyncio.run(_gather(people)))
    with suppress(BrokenPipeError):
        # Nobody may want to know: the daemon was only to be stopped.
        sys.stdout.write(counts)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
