"""Read and decompress the body of a response, up to a size limit."""

import zlib
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Final

import httpx

MAX_ANSWER_BYTES: Final = 32 * 1024 * 1024
"""Maximum size of a response after decompression; far above the text of any usual document."""
ENCODING: Final = "gzip"
"""The only compression we accept: its decompressor can be stopped at any byte."""
_PIECE: Final = 64 * 1024
_GZIP_OR_ZLIB: Final = zlib.MAX_WBITS | 32
_DECOMPRESSED: Final = frozenset({"gzip", "x-gzip", "deflate"})


class BodyTooLarge(Exception):
    """The body of a response exceeds the limit; the rest of it was not read."""


async def read_body(response: httpx.Response, *, limit: int = MAX_ANSWER_BYTES) -> httpx.Response:
    """Return the response with its complete, decompressed body. Raise BodyTooLarge at the limit.

    A small compressed response may expand to gigabytes, and httpx decompresses each received chunk
    at once. It is therefore decompressed here, in counted pieces.
    """
    body = bytearray()
    async with aclosing(_pieces(response)) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) > limit:
                raise BodyTooLarge
    return with_body(response, bytes(body))


def with_body(response: httpx.Response, body: bytes) -> httpx.Response:
    """Build a copy of the response with an uncompressed body."""
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
        raise httpx.DecodingError(f"compressed as {encoding!r}, which was not requested")
    decompressor = zlib.decompressobj(_GZIP_OR_ZLIB)
    async for compressed in response.aiter_raw():
        for piece in _decompress(decompressor, compressed):
            yield piece
    yield decompressor.flush()


def _decompress(decompressor: "zlib._Decompress", compressed: bytes) -> Iterator[bytes]:
    """Yield the decompressed content of a chunk in small pieces."""
    while compressed and not decompressor.eof:
        try:
            yield decompressor.decompress(compressed, _PIECE)
        except zlib.error as error:
            raise httpx.DecodingError(str(error)) from error
        compressed = decompressor.unconsumed_tail
