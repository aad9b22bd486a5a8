"""Refuse what is too long to be a form or a request of ours, before it fills the memory."""

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.auth.csrf import SAFE_METHODS

LONGEST = 1024 * 1024
LONGEST_BEFORE_LOGIN = 32 * 1024
"""Enough for the longest password, twice, with twelve bytes per character."""
_BEFORE_LOGIN = frozenset({"/login", "/logout", "/welcome"})


class ShortBodies:
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
