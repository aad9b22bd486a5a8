"""Send HTTP requests to Paperless: address, token, API version, timeouts, typed errors, timings."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Final, TypeVar
from urllib.parse import quote, urlencode

import httpx
from pydantic import BaseModel

from core.calendar import Clock
from core.messages import message
from paperless_client.decoding import (
    ENCODING,
    BodyTooLarge,
    build_too_large_error,
    decode,
    find_error,
    is_version_refused,
    read_body,
    with_body,
)
from paperless_client.errors import (
    CertificateUntrusted,
    ListChanged,
    OutcomeUnknown,
    PaperlessError,
    PaperlessRefused,
    PaperlessUnavailable,
    TokenRefused,
    VersionUnsupported,
)
from paperless_client.models import Page
from paperless_client.requests import Params, Request

API_VERSIONS: Final = (10, 9)
"""Supported versions, best first: 10 omits the list of all ids, 9 is the newest of 2.20."""
_CONNECT: Final = timedelta(seconds=10)
_OUR_HEADERS: Final = frozenset({"authorization", "accept"})
_NEVER_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_OK = "ok"
_CANCELLED = "cancelled"
Entry = TypeVar("Entry", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class RequestStats:
    """Number and total duration of requests with one outcome."""

    requests: int = 0
    seconds: float = 0.0


class Transport:
    """Sends requests to one Paperless and raises typed errors.

    Redirects are not followed: Paperless sends unknown addresses to its login page, and a redirect
    to another host would carry the token there.
    """

    def __init__(
        self,
        url: str,
        token: str,
        http: httpx.AsyncClient,
        *,
        clock: Clock,
        deadline: timedelta = timedelta(minutes=5),
    ) -> None:
        self._root = api_root(url)
        self._authorization = f"Token {_clean_token(token)}"
        self._http = http
        self._clock = clock
        self._deadline = deadline
        self._version = API_VERSIONS[0]
        self.spoken_version: int | None = None
        """API version of the last response; None before the first."""
        self.timing = RequestTimer()

    async def send(self, request: Request) -> httpx.Response:
        """Send `request` and return the successful response; raise PaperlessError otherwise."""
        with self.timing.measure():
            for version in self._versions():
                response = await self._exchange(request, version)
                # Paperless checks the version first, so writes may be sent again.
                if not is_version_refused(response):
                    self._version = self.spoken_version = version
                    break
            else:
                raise self._build_version_error(request, response)
            error = find_error(request, response, now=self._clock())
            if error is not None:
                raise error
            return response

    async def fetch(self, request: Request, shape: type[Entry]) -> Entry:
        """Send a request and decode its response."""
        return decode(request, await self.send(request), shape)

    async def fetch_page(
        self, request: Request, number: int, shape: type[Page[Entry]]
    ) -> Page[Entry]:
        """Fetch one page of a list; raise ListChanged if it no longer exists."""
        try:
            return await self.fetch(request, shape)
        except PaperlessRefused as error:
            if error.status == 404 and number > 1:
                missing = message("page {number} no longer exists", number=number)
                raise ListChanged(request.action, missing) from error
            raise

    @asynccontextmanager
    async def stream(
        self, request: Request, headers: Mapping[str, str]
    ) -> AsyncIterator[httpx.Response]:
        """Yield the successful response to `request` before its body is read, of any size.

        The body is not compressed. Raise PaperlessError if the request fails, but httpx.HTTPError
        if the connection breaks while the body is read.
        """
        response = await self._open(request, headers)
        try:
            if not response.is_success:
                await self._raise_error(request, response)
            yield response
        finally:
            await response.aclose()

    async def _open(self, request: Request, headers: Mapping[str, str]) -> httpx.Response:
        """Return the response to `request` before its body is read."""
        address = f"{self._root}{request.path}{_query(request.params)}"
        for version in self._versions():
            ours = self._headers(version) | {"Accept-Encoding": "identity", **headers}
            opening = self._http.build_request(request.method, address, headers=ours)
            try:
                async with asyncio.timeout(self._deadline.total_seconds()):
                    response = await self._http.send(opening, stream=True, follow_redirects=False)
            except (httpx.HTTPError, TimeoutError) as error:
                raise self._build_connection_error(request, error) from error
            if not is_version_refused(response):
                self._version = self.spoken_version = version
                return response
            await response.aclose()
        raise self._build_version_error(request, response)

    async def _raise_error(self, request: Request, response: httpx.Response) -> None:
        """Raise the error of a response whose body is not read yet."""
        try:
            answer = await read_body(response)
        except BodyTooLarge:
            answer = with_body(response, b"")
        error = find_error(request, answer, now=self._clock())
        if error is not None:
            raise error

    def _headers(self, version: int) -> dict[str, str]:
        return {
            "Authorization": self._authorization,
            "Accept": f"application/json; version={version}",
            "Accept-Encoding": ENCODING,
        }

    def _versions(self) -> tuple[int, ...]:
        """Return the version that worked last, then the others: servers are up- and downgraded.

        Complete before the first request: another request may change the version meanwhile.
        """
        return (self._version, *(version for version in API_VERSIONS if version != self._version))

    async def _exchange(self, request: Request, version: int) -> httpx.Response:
        try:
            # The timeouts of httpx restart with every byte; a slow trickle must end as well.
            async with asyncio.timeout(self._deadline.total_seconds()):
                return await self._read(request, version)
        except (httpx.HTTPError, TimeoutError) as error:
            raise self._build_connection_error(request, error) from error

    async def _read(self, request: Request, version: int) -> httpx.Response:
        """Return the complete response; raise if a successful one exceeds the size limit."""
        async with self._http.stream(
            request.method,
            f"{self._root}{request.path}{_query(request.params)}",
            json=request.body,
            headers=self._headers(version),
            follow_redirects=False,
        ) as response:
            try:
                return await read_body(response, limit=request.max_bytes)
            except BodyTooLarge as error:
                bare = with_body(response, b"")
                if response.is_success:
                    raise build_too_large_error(request, bare) from error
                # The status alone is enough to identify the error.
                return bare

    def _build_version_error(
        self, request: Request, response: httpx.Response
    ) -> VersionUnsupported:
        answer = message(
            "{address} supports none of the API versions {version}",
            address=self._root,
            version=", ".join(str(version) for version in API_VERSIONS),
        )
        return VersionUnsupported(request.action, answer, status=response.status_code)

    def _build_connection_error(self, request: Request, error: Exception) -> PaperlessUnavailable:
        why = f"{type(error).__name__}: {error}".rstrip(": ")
        kind: type[PaperlessUnavailable]
        if is_certificate_error(error):
            kind = CertificateUntrusted
        elif request.is_write and not isinstance(error, _NEVER_SENT):
            kind = OutcomeUnknown
        else:
            kind = PaperlessUnavailable
        answer = message("no answer from {address} ({why})", address=self._root, why=why)
        return kind(request.action, answer, document=request.document)


class RequestTimer:
    """Counts the requests to one Paperless."""

    def __init__(self) -> None:
        self._took: dict[str, RequestStats] = {}

    @contextmanager
    def measure(self) -> Iterator[None]:
        """Count the block as one request, with the code of its error as the outcome."""
        begun, outcome = monotonic(), _CANCELLED
        try:
            yield
            outcome = _OK
        except PaperlessError as error:
            outcome = error.code
            raise
        finally:
            before = self._took.get(outcome, RequestStats())
            seconds = before.seconds + monotonic() - begun
            self._took[outcome] = RequestStats(before.requests + 1, seconds)

    def by_outcome(self) -> Mapping[str, RequestStats]:
        return dict(self._took)


def build_http(
    *, timeout: timedelta, ca_file: Path | None, headers: Mapping[str, str]
) -> httpx.AsyncClient:
    """Build the HTTP client for one Paperless; the caller closes it.

    `headers` are for a proxy in front of Paperless. The environment is ignored: an HTTP_PROXY meant
    for something else would otherwise get every document and the token.
    """
    for name in headers:
        if name.lower() in _OUR_HEADERS:
            raise ValueError(f"the header {name} is set by the client itself")
    seconds = timeout.total_seconds()
    return httpx.AsyncClient(
        timeout=httpx.Timeout(
            connect=min(seconds, _CONNECT.total_seconds()),
            read=seconds,
            write=seconds,
            pool=seconds,
        ),
        verify=_system_trust() if ca_file is None else _trust(ca_file),
        headers=dict(headers),
        trust_env=False,
    )


def api_root(url: str) -> str:
    try:
        parsed = httpx.URL(url.strip())
    except httpx.InvalidURL as error:
        raise ValueError(f"not an address of a Paperless: {error}") from error
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise ValueError(f"an address of a Paperless starts with http:// or https://, got {url!r}")
    if parsed.userinfo:
        # It would be sent in place of the token, and would be written to the log.
        raise ValueError("the address of a Paperless must not have a user name or password in it")
    return f"{str(parsed.copy_with(query=None, fragment=None)).rstrip('/')}/api/"


def is_certificate_error(error: BaseException) -> bool:
    link: BaseException | None = error
    while link is not None:
        if isinstance(link, ssl.SSLCertVerificationError):
            return True
        link = link.__cause__ or link.__context__
    return False


def _query(params: Params) -> str:
    # Commas are not encoded: a list of ids would be a third longer.
    return f"?{urlencode(params, safe=',', quote_via=quote)}" if params else ""


@cache
def _system_trust() -> ssl.SSLContext:
    """Build the context that trusts the system's CAs, once: reading them takes 24 ms."""
    return ssl.create_default_context()


def _trust(ca_file: Path) -> ssl.SSLContext:
    """Build a context that trusts the system's CAs and those of `ca_file`."""
    context = ssl.create_default_context()
    try:
        context.load_verify_locations(cafile=ca_file)
    except OSError as error:  # also ssl.SSLError; neither names the file
        raise ValueError(f"cannot use {ca_file} as a CA file: {error}") from error
    return context


def _clean_token(token: str) -> str:
    """Return the token without spaces around it; raise TokenRefused if no header can hold it."""
    bare = token.strip()
    if not bare:
        raise TokenRefused(message("log in to Paperless"), message("the token is empty"))
    if not bare.isascii() or not bare.isprintable() or " " in bare:
        odd = message("the token contains spaces or invalid characters")
        raise TokenRefused(message("log in to Paperless"), odd)
    return bare
