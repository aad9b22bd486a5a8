"""`/documents/home/34/file`: a document's file or byte range, streamed from Paperless.

A PDF is shown by the browser's own viewer, pictures as they are. Everything else could run scripts
or load parts of other sites, so it can only be downloaded.
"""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated
from urllib.parse import quote

import httpx
import structlog
from fastapi import APIRouter, Query
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from actions.documents import DocumentExcluded, open_file, require_not_excluded
from core.documents import DocumentRef, KnownDocument
from core.errors import PaperclerkError
from core.text import clean_line
from dashboard.context import PathId
from dashboard.errors import PageNotFound, WebError
from dashboard.pages.documents import PICTURES
from dashboard.pages.view import ActView, View
from paperless_client import FileStream, PaperlessError

log = structlog.stdlib.get_logger()
router = APIRouter(include_in_schema=False)

FILE_POLICY = "sandbox; frame-ancestors 'self'"
"""Content security policy of a file: no scripts, and only our pages may embed it."""
_PDF = b"%PDF-"
_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")
_NEAR = 256 * 1024
"""Up to this position a file is read from its beginning, instead of opening it a second time."""


class RangeNotSatisfiable(WebError):
    """The requested part lies behind the end of the file."""

    status = 416
    code = "range_not_satisfiable"
    user_message = "The file has no such part."

    def __init__(self, size: int) -> None:
        super().__init__(f"the file has {size} bytes")


@dataclass(frozen=True, slots=True)
class ByteRange:
    """A part of a file."""

    start: int
    stop: int
    """The position after its last byte."""

    @property
    def length(self) -> int:
        return self.stop - self.start


class FileKind(StrEnum):
    """What a browser may do with a file."""

    PDF = "pdf"
    PICTURE = "picture"
    OTHER = "other"


@dataclass(slots=True)
class OpenedFile:
    """A file in Paperless of which the first bytes were read."""

    stream: FileStream
    head: bytes

    @property
    def kind(self) -> FileKind:
        """Return the kind by the file's own first bytes, and of pictures by their type."""
        if self.head.startswith(_PDF):
            return FileKind.PDF
        return FileKind.PICTURE if self.picture_type in PICTURES else FileKind.OTHER

    @property
    def picture_type(self) -> str:
        return self.stream.content_type.partition(";")[0].strip().lower()

    @property
    def content_type(self) -> str:
        match self.kind:
            case FileKind.PDF:
                return "application/pdf"
            case FileKind.PICTURE:
                return self.picture_type
        return "application/octet-stream"

    async def pieces(self) -> AsyncIterator[bytes]:
        yield self.head
        async for piece in self.stream.pieces:
            yield piece


class FileResponse(StreamingResponse):
    """Streams a file, and closes its connection to Paperless whatever happens."""

    def __init__(
        self,
        opened: AsyncExitStack,
        pieces: AsyncIterator[bytes],
        *,
        status: int,
        headers: Mapping[str, str],
    ) -> None:
        super().__init__(pieces, status_code=status, headers=headers)
        self._opened = opened

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._opened:
            await super().__call__(scope, receive, send)


@router.get("/documents/{instance}/{number}/file")
async def file(
    view: ActView, instance: str, number: PathId, frame: Annotated[str, Query()] = ""
) -> Response:
    """Return the file of a known document.

    It is the whole document, so it needs the permission to act. In a frame, a file that could only
    be downloaded is replaced by a notice.
    """
    ref = view.require_visible(DocumentRef(instance, number))
    known = await view.context.store.documents.get(ref)
    if known is None:
        raise PageNotFound(f"nothing is known of {ref}")
    view.require_connected(instance)
    try:
        await require_not_excluded(view.caller, ref)
        async with AsyncExitStack() as opened:
            file = await _open(view, ref, opened)
            if frame and file.kind is FileKind.OTHER:
                return await _notice(view)
            return await _respond(view, known, file, opened)
    except DocumentExcluded as error:
        if frame:
            return await _notice(view, error.user_message)
        raise PageNotFound(f"there is no file of {ref}: {error}") from error
    except (PaperlessError, PaperclerkError) as error:
        if frame and not isinstance(error, PageNotFound):
            return await _notice(view, error.user_message)
        raise


def parse_range(header: str, size: int) -> ByteRange | None:
    """Return the requested part; None for the whole file, also if the header is not understood.

    Raise RangeNotSatisfiable. Several parts at once are not supported: the whole file is sent.
    """
    asked = _RANGE.fullmatch(header.replace(" ", ""))
    if asked is None or asked.groups() == ("", ""):
        return None
    first, last = asked.groups()
    if not first:
        start, stop = max(0, size - int(last)), size
    else:
        start, stop = int(first), min(size, int(last) + 1) if last else size
        if last and int(last) < start:
            return None
    if start >= stop:
        raise RangeNotSatisfiable(size)
    return ByteRange(start, stop)


async def _open(view: View, ref: DocumentRef, opened: AsyncExitStack, start: int = 0) -> OpenedFile:
    stream = await opened.enter_async_context(open_file(view.caller, ref, start))
    head = b""
    async for piece in stream.pieces:
        head += piece
        if len(head) >= len(_PDF):
            break
    return OpenedFile(stream, head)


async def _respond(
    view: View, known: KnownDocument, file: OpenedFile, opened: AsyncExitStack
) -> Response:
    size = file.stream.size
    part = None if size is None else parse_range(view.request.headers.get("range", ""), size)
    headers = _headers(known, file)
    if size is not None:
        headers |= {"accept-ranges": "bytes", "content-length": str(size)}
    if part is not None:
        headers["content-range"] = f"bytes {part.start}-{part.stop - 1}/{size}"
        headers["content-length"] = str(part.length)
        if part.start > _NEAR and file.stream.has_ranges:
            await opened.aclose()
            file = await _open(view, known.ref, opened, part.start)
    return FileResponse(
        opened.pop_all(),
        _cut(file, part, known.ref),
        status=200 if part is None else 206,
        headers=headers,
    )


def _headers(known: KnownDocument, file: OpenedFile) -> dict[str, str]:
    shown = "inline" if file.kind is not FileKind.OTHER else "attachment"
    ref, title = known.ref, clean_line(known.title)
    ending = ".pdf" if file.kind is FileKind.PDF else ""
    plain = f"{ref.instance}-{ref.id}{ending}"
    name = quote(f"{title or plain}{ending if title else ''}", safe="")
    return {
        "content-type": file.content_type,
        "content-disposition": f"{shown}; filename=\"{plain}\"; filename*=utf-8''{name}",
        "content-security-policy": FILE_POLICY,
    }


async def _cut(file: OpenedFile, part: ByteRange | None, ref: DocumentRef) -> AsyncIterator[bytes]:
    """Yield a part of a file; end early if the connection to Paperless breaks."""
    position = file.stream.start
    try:
        async for piece in file.pieces():
            begin, position = position, position + len(piece)
            if part is None:
                yield piece
            elif position > part.start:
                yield piece[max(0, part.start - begin) : part.stop - begin]
            if part is not None and position >= part.stop:
                return
    except httpx.HTTPError as error:
        # The response has begun: all that can be done is not to complete it.
        log.warning("file broken off", document=str(ref), error=type(error).__name__)


async def _notice(view: View, words: str = "") -> Response:
    """Return a page for the frame that says why it shows no file."""
    response = await view.page("file_notice.html", words=words)
    response.headers["content-security-policy"] = (
        "default-src 'none'; style-src 'self'; frame-ancestors 'self'; sandbox"
    )
    return response
