"""Serve below a path, whether the proxy in front passes it on or strips it."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.auth.csrf import SAFE_METHODS


class BasePath:
    """Tells the app below which path it is seen, so that its links and files are found there.

    Some proxies pass `/clerk/review` on as it is, others as `/review`: both are the same page. So
    is `/clerk/review/`. The framework would send the browser on from there to an address that
    begins with what it takes for our own host and scheme, and behind a proxy they are others.
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
            seen = self._seen(scope["path"])
            changed = {"root_path": self._base_path, "path": seen, "raw_path": seen.encode()}
            await self.app({**scope, **changed}, receive, send)

    def _seen(self, path: str) -> str:
        """Return a path as the browser has it, without slashes at its end."""
        within = path.removeprefix(self._base_path) if self._is_passed_on(path) else path
        return f"{self._base_path}{within.rstrip('/') or '/'}"

    def _is_passed_on(self, path: str) -> bool:
        return path.startswith(f"{self._base_path}/")

    def _first_page(self, scope: Scope) -> str:
        query: str = scope["query_string"].decode("latin-1")
        return f"{self._base_path}/?{query}" if query else f"{self._base_path}/"


LONGEST = 1024 * 1024
LONGEST_BEFORE_LOGIN = 32 * 1024
"""Enough for the longest password, twice, with twelve bytes per character."""
_BEFORE_LOGIN = frozenset({"/login", "/logout", "/welcome"})


class BodySizeLimit:
    """Passes on complete requests up to a size limit; larger ones get 413.

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
            waiting.append(await _whole(scope, receive))
        except ClientDisconnect:
            return
        except HTTPException as error:
            waiting.append(error)

        async def handed_on() -> Message:
            first = waiting.pop() if waiting else await receive()
            if isinstance(first, HTTPException):
                # Any other error FastAPI would take for a form that cannot be read.
                raise first
            return first

        await self._app(scope, handed_on, send)


async def _whole(scope: Scope, receive: Receive) -> Message:
    """Return the complete body as one message; raise HTTPException if it is too long."""
    longest, body, more = _longest(scope), bytearray(), True
    while more and len(body) <= longest >= _announced(scope):
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        more = message.get("more_body", False)
    if max(len(body), _announced(scope)) > longest:
        raise HTTPException(413, f"a request may have at most {longest} bytes")
    return {"type": "http.request", "body": bytes(body), "more_body": False}


def _longest(scope: Scope) -> int:
    within: str = scope["path"].removeprefix(scope.get("root_path", ""))
    return LONGEST_BEFORE_LOGIN if within in _BEFORE_LOGIN else LONGEST


def _announced(scope: Scope) -> int:
    """Return the declared content length; 0 if there is none."""
    announced = Headers(scope=scope).get("content-length", "")
    return int(announced) if announced.isdecimal() else 0


POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class SecurityHeaders:
    """Puts them on; what a route has set itself stays."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                # What a page shows is for those who were let in; a proxy must not keep it.
                headers.setdefault("cache-control", "no-store")
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)
