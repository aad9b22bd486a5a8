"""Refuse what is too long to be a form or a request of ours, before it fills the memory."""

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST = 1024 * 1024
LONGEST_BEFORE_LOGIN = 32 * 1024
"""Enough for the longest password, typed twice, if each of its characters takes twelve bytes."""
_BEFORE_LOGIN = frozenset({"/login", "/logout", "/welcome"})


class ShortBodies:
    """Reads no more than so many bytes of a request; whoever sends or announces more gets 413."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        longest, read = _longest(scope), 0

        async def counted() -> Message:
            nonlocal read
            if _announced(scope) <= longest:
                message = await receive()
                read += len(message.get("body", b""))
                if read <= longest:
                    return message
            # Any other error FastAPI would take for a form that cannot be read.
            raise HTTPException(413, f"a request has at most {longest} bytes")

        await self._app(scope, counted, send)


def _longest(scope: Scope) -> int:
    within: str = scope["path"].removeprefix(scope.get("root_path", ""))
    return LONGEST_BEFORE_LOGIN if within in _BEFORE_LOGIN else LONGEST


def _announced(scope: Scope) -> int:
    """Return the length that the request announces; 0 if it announces none."""
    announced = Headers(scope=scope).get("content-length", "")
    return int(announced) if announced.isdecimal() else 0
