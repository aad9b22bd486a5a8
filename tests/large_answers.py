"""Responses that exceed the size limit, from a real port."""

import asyncio
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

MEGABYTE = 1024 * 1024


class LargeAnswer:
    """A server that sends one response in pieces and counts the bytes sent."""

    def __init__(
        self,
        pieces: Iterator[bytes],
        *,
        status: int = 200,
        headers: str = "",
        content_type: str = "application/json",
    ) -> None:
        self._pieces = pieces
        self._head = f"HTTP/1.1 {status} So\r\nContent-Type: {content_type}\r\n{headers}\r\n"
        self.sent = 0
        self.heard = b""

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        """Listen on a free port of this machine; yield the address."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        async with server:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heard = await reader.readuntil(b"\r\n\r\n")
        writer.write(self._head.encode())
        try:
            for piece in self._pieces:
                writer.write(piece)
                await writer.drain()
                self.sent += len(piece)
        except ConnectionError:
            pass
        finally:
            writer.close()


def endless() -> Iterator[bytes]:
    yield b'{"id": 7, "content": "'
    while True:
        yield b"x" * MEGABYTE


def compressed(body: Iterator[bytes], *, times: int = 1) -> Iterator[bytes]:
    """Yield a body compressed with gzip, the given number of times."""
    if times > 1:
        body = compressed(body, times=times - 1)
    compressor = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    for piece in body:
        yield compressor.compress(piece)
    yield compressor.flush()


def zeros(size: int) -> Iterator[bytes]:
    for _ in range(size // MEGABYTE):
        yield bytes(MEGABYTE)
