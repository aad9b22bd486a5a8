"""A faulty proxy between the daemon and a server.

It parses just enough HTTP to know where a request ends, and opens a connection for each one. The
faults follow a script; only which request is affected is left to chance.
"""

import asyncio
import random
import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType

from tests.waiting import LONG


class Fault(StrEnum):
    """A fault of a request."""

    NONE = "none"
    DELAY = "delay"
    CUT_REQUEST = "cut_request"
    """Half of the request reaches the server."""
    CUT_ANSWER = "cut_answer"
    """The request is carried out, and half of the response is returned."""
    NO_ANSWER = "no_answer"
    """The request is carried out, and the connection is closed without a response."""
    BLACKHOLE = "blackhole"
    """The request is not forwarded, and there is no response."""
    ERROR_AFTER = "error_after"
    """The request is carried out, and the response is 502."""
    ERROR_INSTEAD = "error_instead"
    TOO_MANY = "too_many"
    HTML = "html"
    REDIRECT = "redirect"


ALL = tuple(fault for fault in Fault if fault is not Fault.NONE)
_CARRIED_OUT = {
    Fault.NONE,
    Fault.DELAY,
    Fault.CUT_ANSWER,
    Fault.NO_ANSWER,
    Fault.ERROR_AFTER,
}
_PAGE = b"<!doctype html><html><body>Sign in</body></html>"
_INSTEAD = {
    Fault.ERROR_INSTEAD: (b"503 Service Unavailable", b"", b""),
    Fault.ERROR_AFTER: (b"502 Bad Gateway", b"", b""),
    Fault.TOO_MANY: (b"429 Too Many Requests", b"Retry-After: 1\r\n", b""),
    Fault.HTML: (b"200 OK", b"Content-Type: text/html\r\n", _PAGE),
    Fault.REDIRECT: (b"302 Found", b"Location: /accounts/login/\r\n", b""),
}


@dataclass(frozen=True, slots=True)
class FaultedRequest:
    """A request that had a fault."""

    fault: Fault
    line: str
    """Method and path."""
    took_effect: bool
    """The server carried it out and responded; the client may not know."""


class Script:
    """The faults of one kind of request: every nth request gets the next one."""

    def __init__(self, faults: Iterable[Fault] = (), *, every: int = 1) -> None:
        self._left = deque(faults)
        self._every = every
        self._seen = 0

    @classmethod
    def shuffled(cls, seed: int, *, every: int) -> "Script":
        """Return a script with every fault once, in random order."""
        rng = random.Random(seed)  # noqa: S311 - chance that can be repeated
        return cls(rng.sample(ALL, len(ALL)), every=every)

    @property
    def is_finished(self) -> bool:
        return not self._left

    def next(self) -> Fault:
        """Return the fault of the next request."""
        self._seen += 1
        if self.is_finished or self._seen % self._every:
            return Fault.NONE
        return self._left.popleft()


class ChaosProxy:
    """A proxy on 127.0.0.1 in front of one server, in a separate thread."""

    def __init__(self, target: int, *, reads: Script, writes: Script) -> None:
        self._target = target
        self._reads = reads
        self._writes = writes
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="chaos", daemon=True)
        self._tasks: set[asyncio.Task[None] | None] = set()
        """Connections being served; the event loop alone would let a waiting one be collected."""
        self.port = 0
        self.faulted: list[FaultedRequest] = []

    @property
    def is_finished(self) -> bool:
        """Whether both scripts are finished."""
        return self._reads.is_finished and self._writes.is_finished

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> "ChaosProxy":
        self._thread.start()
        assert self._ready.wait(LONG)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(LONG)

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self._tasks.add(task)
        try:
            await self._handle(await _read_request(reader), writer)
        except (OSError, asyncio.IncompleteReadError):
            pass  # The client was cut off on purpose.
        finally:
            writer.transport.abort() if writer.is_closing() else writer.close()
            self._tasks.discard(task)

    async def _handle(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        script = self._reads if request.startswith(b"GET ") else self._writes
        fault = script.next()
        answer = await self._pass_on(request, fault)
        if fault is not Fault.NONE:
            named = b" ".join(request.split(b" ", 2)[:2]).decode()
            effect = answer.startswith(b"HTTP/1.1 2")
            self.faulted.append(FaultedRequest(fault, named, took_effect=effect))
        await self._answer(fault, answer, writer)

    async def _pass_on(self, request: bytes, fault: Fault) -> bytes:
        """Forward as much of a request as the fault allows; return the response of the server."""
        if fault is Fault.DELAY:
            await asyncio.sleep(0.3)
        if fault is Fault.CUT_REQUEST:
            return await self._forward(request[: len(request) // 2], is_cut=True)
        return await self._forward(request) if fault in _CARRIED_OUT else b""

    async def _answer(self, fault: Fault, answer: bytes, writer: asyncio.StreamWriter) -> None:
        match fault:
            case Fault.BLACKHOLE:
                await self._stop.wait()
            case Fault.CUT_REQUEST | Fault.NO_ANSWER:
                writer.transport.abort()
                return
            case Fault.CUT_ANSWER:
                writer.write(answer[: len(answer) // 2])
            case Fault.NONE | Fault.DELAY:
                writer.write(answer)
            case _:
                writer.write(_build_response(*_INSTEAD[fault]))
        await writer.drain()

    async def _forward(self, request: bytes, *, is_cut: bool = False) -> bytes:
        """Send a request to the server; return the response, or nothing if the request is cut."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._target)
        try:
            writer.write(request)
            await writer.drain()
            return b"" if is_cut else await reader.read()
        finally:
            writer.transport.abort()


async def _read_request(reader: asyncio.StreamReader) -> bytes:
    """Read one request, and add `Connection: close`, so that the end of its response is known."""
    head = await reader.readuntil(b"\r\n\r\n")
    lines = [
        line for line in head[:-4].split(b"\r\n") if not line.lower().startswith(b"connection")
    ]
    length = next((line for line in lines if line.lower().startswith(b"content-length")), b":0")
    body = await reader.readexactly(int(length.partition(b":")[2]))
    return b"\r\n".join([*lines, b"Connection: close", b"", b""]) + body


def _build_response(status: bytes, headers: bytes, body: bytes) -> bytes:
    length = f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
    return b"HTTP/1.1 " + status + b"\r\n" + headers + length + body
