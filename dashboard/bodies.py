"""Refuse what is too long to be a form or a request of ours, before it fills the memory."""

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST = 1024 * 1024


class ShortBodies:
    """Reads no more than so many bytes of a request; whoever waits for more gets 413."""

    def __init__(self, app: ASGIApp, longest: int = LONGEST) -> None:
        self._app = app
        self._longest = longest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._longest:
                # Any other error FastAPI would take for a form that cannot be read.
                raise HTTPException(413, f"a request has at most {self._longest} bytes")
            return message

        await self._app(scope, counted if scope["type"] == "http" else receive, send)
