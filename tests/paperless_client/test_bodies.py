"""Reading a too large response stops at the limit, on a real port."""

import gzip
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from core.messages import plain
from paperless_client import (
    AnswerTooLarge,
    NotPaperless,
    OutcomeUnknown,
    PaperlessClient,
    PaperlessUnavailable,
    Transport,
    build_http,
)
from paperless_client.requests import MAX_ANSWER_BYTES, Request
from tests.large_answers import MEGABYTE, LargeAnswer, compressed, endless, zeros
from tests.paperless_client.conftest import NOW, TOKEN

SIGNED = "X-Version: 3.0.5\r\nX-Api-Version: 10\r\n"
READ = Request("GET", "documents/7/", plain("read document 7"), "view_document", document=7)
WRITE = Request(
    "PATCH", "documents/7/", plain("change document 7"), "change_document", body={}, document=7
)


@asynccontextmanager
async def asking(
    pieces: Iterator[bytes], *, status: int = 200, headers: str = SIGNED
) -> AsyncIterator[tuple[Transport, LargeAnswer]]:
    server = LargeAnswer(pieces, status=status, headers=headers)
    async with (
        server.listening() as url,
        build_http(timeout=timedelta(minutes=1), ca_file=None, headers={}) as http,
    ):
        yield Transport(url, TOKEN, http, clock=lambda: NOW), server


async def test_an_endless_answer_is_given_up_at_the_limit() -> None:
    async with asking(endless()) as (transport, server):
        with pytest.raises(AnswerTooLarge, match="larger than 32 MB") as caught:
            await transport.send(READ)

    assert caught.value.document == 7
    # The socket buffers of both sides come on top.
    assert server.sent < MAX_ANSWER_BYTES + 16 * MEGABYTE


async def test_an_answer_is_measured_as_it_is_after_decompression() -> None:
    bomb = compressed(zeros(MAX_ANSWER_BYTES + MEGABYTE))

    async with asking(bomb, headers=f"{SIGNED}Content-Encoding: gzip\r\n") as (transport, server):
        with pytest.raises(AnswerTooLarge):
            await transport.send(READ)

    assert server.sent < MEGABYTE


async def test_a_compression_within_a_compression_is_not_even_begun() -> None:
    bomb = compressed(zeros(MAX_ANSWER_BYTES), times=2)
    headers = f"{SIGNED}Content-Encoding: gzip, gzip\r\n"

    async with asking(bomb, headers=headers) as (transport, _):
        with pytest.raises(PaperlessUnavailable, match="compressed as 'gzip, gzip'"):
            await transport.send(READ)


@pytest.mark.parametrize("size", [1, 64 * 1024, 64 * 1024 + 1, 3 * MEGABYTE + 7])
async def test_a_compressed_answer_is_read_to_its_end(size: int) -> None:
    text = ("abcdefg" * (size // 7 + 1))[:size]
    body = gzip.compress(f'{{"content": "{text}"}}'.encode())
    pieces = (body[start : start + 1000] for start in range(0, len(body), 1000))
    headers = f"{SIGNED}Content-Encoding: gzip\r\n"

    async with asking(pieces, headers=headers) as (transport, server):
        answer = await transport.send(READ)

    assert b"Accept-Encoding: gzip\r\n" in server.heard
    assert answer.json() == {"content": text}


async def test_an_answer_that_is_compressed_wrongly_is_an_outage() -> None:
    headers = f"{SIGNED}Content-Encoding: gzip\r\n"

    async with asking(iter([b'{"id": 7}']), headers=headers) as (transport, _):
        with pytest.raises(PaperlessUnavailable, match="DecodingError"):
            await transport.send(READ)


async def test_too_large_an_answer_to_a_write_leaves_its_outcome_open() -> None:
    async with asking(endless()) as (transport, _):
        with pytest.raises(OutcomeUnknown, match="larger than 32 MB"):
            await transport.send(WRITE)


async def test_too_large_an_answer_that_paperless_did_not_sign_is_none_of_a_document() -> None:
    async with asking(endless(), headers="") as (transport, _):
        with pytest.raises(NotPaperless, match="larger than 32 MB"):
            await transport.send(READ)


async def test_too_large_an_error_is_known_by_its_status() -> None:
    async with asking(endless(), status=503) as (transport, _):
        with pytest.raises(PaperlessUnavailable) as caught:
            await transport.send(READ)

    assert caught.value.status == 503


async def test_the_limit_holds_for_a_picture() -> None:
    async with asking(endless()) as (transport, _):
        with pytest.raises(AnswerTooLarge):
            await PaperlessClient(transport).files.fetch_thumbnail(7)
