"""Files of documents: thumbnails, originals, and previews."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx

from core.messages import message
from paperless_client.decoding import is_from_paperless
from paperless_client.errors import NotPaperless
from paperless_client.requests import Request
from paperless_client.transport import Transport

_CONTENT_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+)")


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """The thumbnail of a document."""

    content: bytes = field(repr=False)
    content_type: str


@dataclass(frozen=True, slots=True)
class FileStream:
    """The file of a document, which is read piece by piece."""

    content_type: str
    size: int | None
    """Bytes of the whole file; None if Paperless does not say."""
    start: int
    """The position of the first byte that is read."""
    has_ranges: bool
    """Whether Paperless can start at another position."""
    pieces: AsyncIterator[bytes] = field(repr=False)


class Files:
    """Calls the API for files. Every method raises PaperlessError on failure."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def fetch_thumbnail(self, id_: int) -> Thumbnail:
        """Fetch the thumbnail of a document's first page."""
        # Without `document`: a 404 here can also mean that only the file is missing.
        action = message("fetch the thumbnail of document {id}", id=str(id_))
        request = Request("GET", f"documents/{id_}/thumb/", action, "view_document")
        response = await self._send_for_file(request)
        return Thumbnail(response.content, response.headers.get("content-type", ""))

    async def fetch_original(self, id_: int, *, limit: int) -> bytes:
        """Fetch the file of a document as it was added; raise AnswerTooLarge above the limit."""
        # Without `document`: a 404 here can also mean that only the file is missing.
        action = message("fetch the original of document {id}", id=str(id_))
        request = Request(
            "GET",
            f"documents/{id_}/download/",
            action,
            "view_document",
            params={"original": "true"},
            max_bytes=limit,
        )
        return (await self._send_for_file(request)).content

    async def _send_for_file(self, request: Request) -> httpx.Response:
        response = await self._transport.send(request)
        if not is_from_paperless(response):
            answer = message("the answer does not come from Paperless")
            raise NotPaperless(request.action, answer, status=response.status_code)
        return response

    @asynccontextmanager
    async def open(self, id_: int, *, start: int = 0) -> AsyncIterator[FileStream]:
        """Open the file of a document: its archived version, or the original if there is none.

        It may be of any size. Paperless starts at the beginning if it cannot start at `start`.
        """
        # Without `document`: a 404 here can also mean that only the file is missing.
        action = message("fetch the file of document {id}", id=str(id_))
        request = Request("GET", f"documents/{id_}/preview/", action, "view_document")
        headers = {"Range": f"bytes={start}-"} if start else {}
        async with self._transport.stream(request, headers) as response:
            if not is_from_paperless(response):
                answer = message("the answer does not come from Paperless")
                raise NotPaperless(action, answer, status=response.status_code)
            yield _describe_file(response)


def _describe_file(response: httpx.Response) -> FileStream:
    part = _CONTENT_RANGE.fullmatch(response.headers.get("content-range", ""))
    length: str = response.headers.get("content-length", "")
    size = int(length) if length.isdecimal() and not _is_compressed(response) else None
    return FileStream(
        response.headers.get("content-type", ""),
        size=int(part[2]) if part else size,
        start=int(part[1]) if part else 0,
        has_ranges=response.headers.get("accept-ranges", "") == "bytes",
        pieces=response.aiter_bytes(),
    )


def _is_compressed(response: httpx.Response) -> bool:
    encoding: str = response.headers.get("content-encoding", "identity")
    return encoding.strip().lower() != "identity"
