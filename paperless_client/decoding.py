"""Decode responses: read the body up to a limit, find errors, parse objects and headers."""

import re
import zlib
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from json import JSONDecodeError, dumps
from typing import Final, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from core.messages import Message, message
from paperless_client.errors import (
    AnswerTooLarge,
    DocumentGone,
    NotPaperless,
    OutageSuspected,
    OutcomeUnknown,
    PaperlessError,
    PaperlessRefused,
    PaperlessUnavailable,
    PermissionMissing,
    TokenRefused,
)
from paperless_client.requests import MAX_ANSWER_BYTES, Request

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


Shape = TypeVar("Shape", bound=BaseModel)

_NOT_NOW = frozenset({408, 425, 429})
"""Statuses of requests that were rejected before anything was done, also for writes."""
_MAX_QUOTE_LENGTH = 300
_MAX_RETRY_AFTER = timedelta(days=1)
"""Maximum delay, whatever a server asks for; larger numbers would overflow a date."""
_SECONDS = re.compile(r"\s*-?\d+(?:\.\d+)?\s*", re.ASCII)


def find_error(
    request: Request, response: httpx.Response, *, now: datetime
) -> PaperlessError | None:
    """Return the error of a response; None if it is successful."""
    status = response.status_code
    if response.is_success:
        return None
    if status in _NOT_NOW or status >= 500:
        return _build_outage(request, response, now)
    if status == 401 and is_json(response):
        return TokenRefused(request.action, describe_response(response), status=status)
    if status == 400 and request.is_write and _is_bare_text(response):
        # A bulk edit reports server errors in this way; part of it may have been done.
        return _build_error(OutcomeUnknown, request, response, describe_response(response))
    if response.is_redirect or not is_from_paperless(response):
        return _build_error(NotPaperless, request, response, describe_response(response))
    return _build_refusal(request, response)


def build_too_large_error(request: Request, response: httpx.Response) -> PaperlessError:
    """Build the error for a successful response that exceeds the size limit."""
    answer = message(
        "{said} with a body larger than {n} MB",
        said=describe_response(response),
        n=request.max_bytes // 1024**2,
    )
    if request.is_write or not is_from_paperless(response):
        return _build_unexpected_error(request, response, answer)
    return AnswerTooLarge(
        request.action,
        answer,
        document=request.document,
        status=response.status_code,
    )


def is_version_refused(response: httpx.Response) -> bool:
    """Return whether the server does not support the requested API version."""
    return response.status_code == 406 and is_json(response)


def is_json(response: httpx.Response) -> bool:
    return _content_type(response) == "application/json"


def is_from_paperless(response: httpx.Response) -> bool:
    """Return whether Paperless itself sent this response, to a valid token.

    It then adds its version, with any status. Login pages, proxies whose Paperless is restarting
    (a 404 from Traefik, say) and other servers do not: if their 404 counted as a deleted document,
    the whole archive would be forgotten.
    """
    return "x-version" in response.headers


def decode(request: Request, response: httpx.Response, shape: type[Shape]) -> Shape:
    """Parse the object in a successful response; raise if any part of it is invalid.

    A response about a different object than the requested one, as from a broken cache, is also an
    error.
    """
    if not is_json(response):
        raise _build_unexpected_error(request, response, describe_response(response))
    try:
        found = shape.model_validate_json(response.content)
    except ValidationError as error:
        if _is_broken(error) and not request.is_write:
            broken = message("{said} with broken JSON", said=describe_response(response))
            raise _build_error(PaperlessUnavailable, request, response, broken) from error
        raise _build_unexpected_error(
            request, response, _describe_faults(response, error)
        ) from error
    wanted = request.wanted_id
    if wanted is not None and (other := getattr(found, "id", wanted)) != wanted:
        answer = message(
            "{said} about {other} instead of {wanted}",
            said=describe_response(response),
            other=str(other),
            wanted=str(wanted),
        )
        raise _build_unexpected_error(request, response, answer)
    return found


def decode_headers(request: Request, response: httpx.Response, shape: type[Shape]) -> Shape:
    """Parse the object in the headers; raise NotPaperless."""
    try:
        return shape.model_validate(dict(response.headers))
    except ValidationError as error:
        raise _build_unexpected_error(
            request, response, _describe_faults(response, error)
        ) from error


def parse_retry_after(value: str, *, now: datetime | None) -> timedelta | None:
    """Parse a Retry-After header, seconds or an HTTP date; return None if it is neither.

    The result is between zero and one day. Without `now`, a date is ignored.
    """
    longest = _MAX_RETRY_AFTER.total_seconds()
    if _SECONDS.fullmatch(value):
        return timedelta(seconds=max(0.0, min(float(value), longest)))
    moment = parse_http_date(value)
    if moment is None or now is None:
        return None
    return max(timedelta(0), min(moment - now, _MAX_RETRY_AFTER))


def parse_http_date(value: str) -> datetime | None:
    """Parse an HTTP date; return None if it is invalid."""
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    # RFC 5322 allows a date with an unknown time zone; HTTP dates are always GMT.
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _build_refusal(request: Request, response: httpx.Response) -> PaperlessError:
    status, answer = response.status_code, describe_response(response)
    if status == 403:
        return PermissionMissing(
            request.action,
            answer,
            permission=request.permission,
            document=request.document,
            changes_documents=request.is_write and request.permission == "change_document",
        )
    if status == 404 and request.document is not None:
        return DocumentGone(request.action, answer, document=request.document, status=status)
    return PaperlessRefused(
        request.action,
        answer,
        status=status,
        details=_details(response),
        document=request.document,
    )


def _build_outage(
    request: Request, response: httpx.Response, now: datetime
) -> PaperlessUnavailable:
    header = response.headers.get("retry-after")
    unclear = request.is_write and response.status_code not in _NOT_NOW
    kind = OutcomeUnknown if unclear else PaperlessUnavailable
    return kind(
        request.action,
        describe_response(response),
        document=request.document,
        status=response.status_code,
        retry_after=None if header is None else parse_retry_after(header, now=now),
    )


def _build_error(
    kind: type[OutageSuspected], request: Request, response: httpx.Response, answer: Message
) -> OutageSuspected:
    status = response.status_code
    return kind(request.action, answer, document=request.document, status=status)


def _build_unexpected_error(
    request: Request, response: httpx.Response, answer: Message
) -> OutageSuspected:
    kind = OutcomeUnknown if request.is_write else NotPaperless
    return _build_error(kind, request, response, answer)


def describe_response(response: httpx.Response) -> Message:
    """Return a description for the operator, without HTML, query or text of a document."""
    answer = message(
        "{address} answered {status} ({kind})",
        address=_bare(response.url),
        status=str(response.status_code),
        kind=_content_type(response) or message("no type"),
    )
    if response.has_redirect_location:
        return message(
            "{said}, a redirect to {address}", said=answer, address=_redirect_target(response)
        )
    quoted = "" if response.is_success or _is_page(response) else _quote(response)
    return message("{said}: {answer}", said=answer, answer=quoted) if quoted else answer


def _quote(response: httpx.Response) -> str:
    text = _format_details(_details(response)) if is_json(response) else response.text
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split())[:_MAX_QUOTE_LENGTH]


def _format_details(details: dict[str, object]) -> str:
    """Return a single sentence as it is, and errors of fields as JSON."""
    match details:
        case {"detail": str(alone)} if len(details) == 1:
            return alone
    return dumps(details, ensure_ascii=False)


def _details(response: httpx.Response) -> dict[str, object]:
    """Return the errors by field, and under `detail` those without a field."""
    try:
        body = response.json()
    except (JSONDecodeError, UnicodeDecodeError):
        return {"detail": response.text[:_MAX_QUOTE_LENGTH]}
    return body if isinstance(body, dict) else {"detail": body}


def _describe_faults(response: httpx.Response, error: ValidationError) -> Message:
    """Return a description of the invalid fields, without their private values."""
    places = [
        f"{'.'.join(str(step) for step in fault['loc'])} ({fault['type']})"
        for fault in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    listed = ", ".join(places[:5])
    return message(
        "{said} with unexpected data at {places}", said=describe_response(response), places=listed
    )


def _is_broken(error: ValidationError) -> bool:
    return error.errors()[0]["type"] == "json_invalid"


def _content_type(response: httpx.Response) -> str:
    header: str = response.headers.get("content-type", "")
    return header.partition(";")[0].strip().lower()


def _is_page(response: httpx.Response) -> bool:
    return response.text.lstrip().startswith("<")


def _is_bare_text(response: httpx.Response) -> bool:
    return not is_json(response) and not _is_page(response)


def _bare(url: httpx.URL) -> str:
    return str(url.copy_with(query=None, fragment=None, username=None, password=None))


def _redirect_target(response: httpx.Response) -> Message | str:
    try:
        return _bare(response.url.join(response.headers["location"]))
    except httpx.InvalidURL:
        return message("an unreadable address")
