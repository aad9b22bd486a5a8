"""Middleware: the base path, the size limit of requests, request ids, and security headers."""

import re
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bound_contextvars

from core.jobs import request_id
from dashboard.auth.origin import SAFE_METHODS

MAX_BODY = 1024 * 1024
MAX_BODY_BEFORE_LOGIN = 32 * 1024
"""Enough for the longest password, twice, with twelve bytes per character."""
_BEFORE_LOGIN = frozenset({"/login", "/logout", "/welcome"})
_HOOKS = "/hooks/"

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "frame-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_REQUEST_ID = "x-request-id"
_VALID_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class BasePath:
    """Serves the app below a base path, whether the proxy in front strips it or not.

    Some proxies forward `/clerk/review` unchanged, others as `/review`: both are the same page. So
    is `/clerk/review/`. The framework would redirect that to an absolute address with the host and
    scheme of the request, which are others behind a proxy.
    """

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self.app = app
        self._base_path = base_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self.app(scope, receive, send)
        elif self._base_path and scope["path"] == self._base_path:
            await RedirectResponse(self._first_page(scope))(scope, receive, send)
        else:
            path = self._external_path(scope["path"])
            changed = {"root_path": self._base_path, "path": path, "raw_path": path.encode()}
            await self.app({**scope, **changed}, receive, send)

    def _external_path(self, path: str) -> str:
        """Return a path as the browser requests it, without trailing slashes."""
        has_base = path.startswith(f"{self._base_path}/")
        within = path.removeprefix(self._base_path) if has_base else path
        return f"{self._base_path}{within.rstrip('/') or '/'}"

    def _first_page(self, scope: Scope) -> str:
        query: str = scope["query_string"].decode("latin-1")
        return f"{self._base_path}/?{query}" if query else f"{self._base_path}/"


class BodySizeLimit:
    """Forwards complete requests up to a size limit; larger ones get 413.

    Until a request is complete, only its bytes are kept, and no route handles it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in SAFE_METHODS:
            # No route reads the body of these requests.
            await self._app(scope, receive, send)
            return
        waiting: list[Message | HTTPException] = []
        try:
            waiting.append(await _receive_body(scope, receive))
        except ClientDisconnect:
            return
        except HTTPException as error:
            waiting.append(error)

        async def receive_complete() -> Message:
            received = waiting.pop() if waiting else await receive()
            if isinstance(received, HTTPException):
                # Raised here, since FastAPI reports any other error as an unreadable form.
                raise received
            return received

        await self._app(scope, receive_complete, send)


async def _receive_body(scope: Scope, receive: Receive) -> Message:
    """Return the complete body as one message; raise HTTPException if it is too long."""
    limit, body, more = _size_limit(scope), bytearray(), True
    while more and len(body) <= limit >= _content_length(scope):
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        more = message.get("more_body", False)
    if max(len(body), _content_length(scope)) > limit:
        raise HTTPException(413, f"a request may have at most {limit} bytes")
    return {"type": "http.request", "body": bytes(body), "more_body": False}


def _size_limit(scope: Scope) -> int:
    within: str = scope["path"].removeprefix(scope.get("root_path", ""))
    is_open = within in _BEFORE_LOGIN or within.startswith(_HOOKS)
    return MAX_BODY_BEFORE_LOGIN if is_open else MAX_BODY


def _content_length(scope: Scope) -> int:
    """Return the declared content length; 0 if there is none."""
    header = Headers(scope=scope).get("content-length", "")
    return int(header) if header.isdecimal() else 0


class RequestId:
    """Gives each request an id: that of its `X-Request-ID` header, or a random one.

    It is in the response, in log lines, and in the jobs and events that the request causes.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get(_REQUEST_ID, "")
        id_ = given if _VALID_REQUEST_ID.fullmatch(given) else uuid4().hex

        async def with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[_REQUEST_ID] = id_
            await send(message)

        token = request_id.set(id_)
        try:
            with bound_contextvars(request_id=id_):
                await self.app(scope, receive, with_id)
        finally:
            request_id.reset(token)


class SecurityHeaders:
    """Adds security headers to responses; headers that a route has set are kept."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                # Pages are for authenticated persons: no proxy may cache them.
                headers.setdefault("cache-control", "no-store")
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)
