"""Read the body of an answer, decompressed, up to a limit."""

import zlib
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Final

import httpx

MAX_ANSWER_BYTES: Final = 32 * 1024 * 1024
"""Largest answer that is read, after decompression; no document of a person has so much text."""
ENCODING: Final = "gzip"
"""The one compression that we ask for: its decompressor can be stopped at any byte."""
_PIECE: Final = 64 * 1024
_GZIP_OR_ZLIB: Final = zlib.MAX_WBITS | 32
_DECOMPRESSED: Final = frozenset({"gzip", "x-gzip", "deflate"})


class BodyTooLarge(Exception):
    """The body of an answer exceeds the limit; the rest of it was not read."""


async def read_body(response: httpx.Response, *, limit: int = MAX_ANSWER_BYTES) -> httpx.Response:
    """Return the answer with its whole body, decompressed. Raise BodyTooLarge at the limit.

    A small compressed answer may hold gigabytes, and httpx decompresses each piece that arrives in
    one go; so this is done here, in pieces that are counted.
    """
    body = bytearray()
    async with aclosing(_pieces(response)) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) > limit:
                raise BodyTooLarge
    return with_body(response, bytes(body))


def with_body(response: httpx.Response, body: bytes) -> httpx.Response:
    """Build the same answer with another, uncompressed body."""
    described = {"content-encoding", "content-length", "transfer-encoding"}
    headers = [pair for pair in response.headers.multi_items() if pair[0] not in described]
    return httpx.Response(
        response.status_code, headers=headers, content=body, request=response.request
    )


async def _pieces(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if response.is_stream_consumed or encoding in {"", "identity"}:
        async for piece in response.aiter_bytes(_PIECE):
            yield piece
        return
    if encoding not in _DECOMPRESSED:
        raise httpx.DecodingError(f"compressed as {encoding!r}, which was not asked for")
    decompressor = zlib.decompressobj(_GZIP_OR_ZLIB)
    async for compressed in response.aiter_raw():
        for piece in _decompress(decompressor, compressed):
            yield piece
    yield decompressor.flush()


def _decompress(decompressor: "zlib._Decompress", compressed: bytes) -> Iterator[bytes]:
    """Yield what a piece of a compressed body holds, never much of it at a time."""
    while compressed and not decompressor.eof:
        try:
            yield decompressor.decompress(compressed, _PIECE)
        except zlib.error as error:
            raise httpx.DecodingError(str(error)) from error
        compressed = decompressor.unconsumed_tail
