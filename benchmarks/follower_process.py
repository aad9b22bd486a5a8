"""Run followers of the dashboard in a separate process, each with an event stream and a page.

Each follower behaves as the page's script does: after an event it reloads the live part, at most as
often as the stream allows. The process prints a line when all followers are connected, and their
counts at the end of its input.
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
_INTERVAL = 1.0
"""Minimum seconds between two loads of a page, unless the stream sets another interval."""
_POLL = 0.2


@dataclass(slots=True)
class FollowerCounts:
    """What one follower received."""

    first: int = 0
    last: int = 0
    events: int = 0
    gaps: int = 0
    """Number of events whose number does not follow the previous one."""
    pages: int = 0
    """Number of pages loaded."""
    ended: bool = False
    """Whether the server ended the stream."""

    def add_event(self, number: int) -> None:
        self.gaps += self.last not in {0, number - 1}
        self.first, self.last = self.first or number, number
        self.events += 1


@dataclass(slots=True)
class Follower:
    """One client of the dashboard."""

    host: str
    port: int
    token: str
    with_page: bool
    counts: FollowerCounts = field(default_factory=FollowerCounts)
    interval: float = _INTERVAL
    has_news: bool = False
    pace: float = 1.0
    """Factor for the interval, so that not all followers load the page at the same moment."""

    async def follow(self, listening: asyncio.Semaphore) -> None:
        """Read the stream to its end, and reload the page meanwhile."""
        reader, writer = await self._request(_STREAM)
        reloading = asyncio.create_task(self._reload()) if self.with_page else None
        try:
            while line := await reader.readline():
                if line.startswith(b": listening"):
                    listening.release()
                self._handle(line)
            self.counts.ended = True
        finally:
            if reloading:
                reloading.cancel()
            writer.close()

    def _handle(self, line: bytes) -> None:
        name, _, value = line.partition(b": ")
        if name == b"id":
            self.counts.add_event(int(value))
            self.has_news = True
        elif name == b"data" and b'"apart_ms"' in value:
            interval = json.loads(value)["apart_ms"] / 1000
            self.interval = interval * self.pace if interval > _INTERVAL else _INTERVAL

    async def _reload(self) -> None:
        loaded_at = 0.0
        while True:
            await asyncio.sleep(_POLL)
            if self.has_news and monotonic() - loaded_at >= self.interval:
                self.has_news, loaded_at = False, monotonic()
                with suppress(OSError):
                    await self._load()

    async def _load(self) -> None:
        reader, writer = await self._request(_PAGE, "accept: text/html", "hx-request: true")
        status = await reader.readline()
        while chunk := await reader.read(1 << 16):
            del chunk
        writer.close()
        self.counts.pages += status.startswith(b"HTTP/1.1 200")

    async def _request(
        self, path: str, *headers: str
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection(self.host, self.port, limit=1 << 20)
        end = () if path == _STREAM else ("connection: close",)
        lines = (f"GET {path} HTTP/1.1", f"host: {self.host}:{self.port}", *headers, *end)
        request = "\r\n".join((*lines, f"authorization: Bearer {self.token}", "", ""))
        writer.write(request.encode())
        return reader, writer


class FollowerProcess:
    """The handle of a process with followers."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def stop(self) -> list[FollowerCounts]:
        """Stop all followers and return their counts."""
        counts, _ = self._process.communicate("", timeout=60)
        return [FollowerCounts(**values) for values in json.loads(counts)]


@contextmanager
def running_followers(
    address: str, token: str, *, count: int, with_pages: bool
) -> Iterator[FollowerProcess]:
    """Start `count` followers; yield when all are connected."""
    command = (sys.executable, "-m", "benchmarks.follower_process", address, str(count))
    with subprocess.Popen(
        (*command, *(("--pages",) if with_pages else ())),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        # Not on the command line, where every user of the machine could read it.
        process.stdin.write(f"{token}\n")
        process.stdin.flush()
        try:
            assert process.stdout.readline() == "listening\n"
            yield FollowerProcess(process)
        finally:
            if not process.stdin.closed:
                process.stdin.close()


async def _follow_until_end_of_input(followers: list[Follower]) -> list[Mapping[str, object]]:
    listening, stop = asyncio.Semaphore(0), asyncio.Event()
    tasks = [asyncio.create_task(follower.follow(listening)) for follower in followers]
    for _ in followers:
        await listening.acquire()
    sys.stdout.write("listening\n")
    sys.stdout.flush()
    asyncio.get_running_loop().add_reader(sys.stdin, stop.set)
    await stop.wait()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return [asdict(follower.counts) for follower in followers]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("count", type=int)
    parser.add_argument("--pages", action="store_true")
    given = parser.parse_args()
    where, token = urlsplit(given.address), sys.stdin.readline().strip()
    followers = [
        Follower(where.hostname or "", where.port or 80, token, given.pages)
        for _ in range(given.count)
    ]
    for number, follower in enumerate(followers):
        follower.pace = 0.8 + 0.4 * number / given.count
    counts = json.dumps(asyncio.run(_follow_until_end_of_input(followers)))
    with suppress(BrokenPipeError):
        # The benchmark does not read the counts if it only stops the daemon.
        sys.stdout.write(counts)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
