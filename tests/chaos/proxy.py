"""A proxy that misbehaves: it stands between the daemon and a server, and spoils what it passes on.

It speaks just enough HTTP to know where a request ends, and gives each one a connection of its own.
"""

import asyncio
import random
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType

_LONGEST_WAIT = 10.0


class Mischief(StrEnum):
    """What may happen to a request."""

    NONE = "none"
    DELAY = "delay"
    CUT_REQUEST = "cut_request"
    """Half of it reaches the server."""
    CUT_ANSWER = "cut_answer"
    """It is carried out, and half of the answer comes back."""
    NO_ANSWER = "no_answer"
    """It is carried out, and the connection ends without a word."""
    BLACKHOLE = "blackhole"
    """It goes nowhere, and nothing comes back."""
    ERROR_AFTER = "error_after"
    """It is carried out, and yet answered with 502."""
    ERROR_INSTEAD = "error_instead"
    TOO_MANY = "too_many"
    HTML = "html"
    REDIRECT = "redirect"


ALL = tuple(one for one in Mischief if one is not Mischief.NONE)
_PAGE = b"<!doctype html><html><body>Sign in</body></html>"
_INSTEAD = {
    Mischief.ERROR_INSTEAD: (b"503 Service Unavailable", b"", b""),
    Mischief.ERROR_AFTER: (b"502 Bad Gateway", b"", b""),
    Mischief.TOO_MANY: (b"429 Too Many Requests", b"Retry-After: 1\r\n", b""),
    Mischief.HTML: (b"200 OK", b"Content-Type: text/html\r\n", _PAGE),
    Mischief.REDIRECT: (b"302 Found", b"Location: /accounts/login/\r\n", b""),
}


@dataclass(frozen=True, slots=True)
class Mood:
    """How bad the proxy is."""

    seed: int
    share: float
    """So many of all requests are spoilt."""
    mischiefs: Sequence[Mischief] = ALL


class ChaosProxy:
    """A proxy on 127.0.0.1 before one server, in a thread of its own."""

    def __init__(self, target: int, mood: Mood) -> None:
        self._target = target
        self._mood = mood
        self._dice = random.Random(mood.seed)  # noqa: S311 - chance that can be repeated
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="chaos", daemon=True)
        self.port = 0
        self.is_calm = False
        """Passes everything on as it is."""
        self.done: list[Mischief] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> "ChaosProxy":
        self._thread.start()
        assert self._ready.wait(_LONGEST_WAIT)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(_LONGEST_WAIT)

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
        try:
            await self._handle(await _read_request(reader), writer)
        except (OSError, asyncio.IncompleteReadError):
            pass  # Whoever was cut off has noticed.
        finally:
            writer.transport.abort() if writer.is_closing() else writer.close()

    async def _handle(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        mischief = self._choose()
        match mischief:
            case Mischief.BLACKHOLE:
                await self._stop.wait()
            case Mischief.CUT_REQUEST:
                await self._forward(request[: len(request) // 2], is_cut=True)
                writer.transport.abort()
            case Mischief.NO_ANSWER:
                await self._forward(request)
                writer.transport.abort()
            case Mischief.CUT_ANSWER:
                answer = await self._forward(request)
                writer.write(answer[: len(answer) // 2])
                await writer.drain()
            case Mischief.NONE | Mischief.DELAY:
                await asyncio.sleep(0.3 if mischief is Mischief.DELAY else 0)
                writer.write(await self._forward(request))
                await writer.drain()
            case _:
                if mischief is Mischief.ERROR_AFTER:
                    await self._forward(request)
                writer.write(_answer(*_INSTEAD[mischief]))
                await writer.drain()

    def _choose(self) -> Mischief:
        if self.is_calm or self._dice.random() >= self._mood.share:
            return Mischief.NONE
        chosen = self._dice.choice(list(self._mood.mischiefs))
        self.done.append(chosen)
        return chosen

    async def _forward(self, request: bytes, *, is_cut: bool = False) -> bytes:
        """Send a request to the server; return the whole answer, or nothing of half a request."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._target)
        try:
            writer.write(request)
            await writer.drain()
            return b"" if is_cut else await reader.read()
        finally:
            writer.transport.abort()


async def _read_request(reader: asyncio.StreamReader) -> bytes:
    """Read one request; ask for the connection to be closed after it, so that its end is seen."""
    head = await reader.readuntil(b"\r\n\r\n")
    lines = [
        line for line in head[:-4].split(b"\r\n") if not line.lower().startswith(b"connection")
    ]
    length = next((line for line in lines if line.lower().startswith(b"content-length")), b":0")
    body = await reader.readexactly(int(length.partition(b":")[2]))
    return b"\r\n".join([*lines, b"Connection: close", b"", b""]) + body


def _answer(status: bytes, headers: bytes, body: bytes) -> bytes:
    length = f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
    return b"HTTP/1.1 " + status + b"\r\n" + headers + length + body
