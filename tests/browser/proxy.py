"""Proxies in front of the dashboard that do not let a stream through."""

import asyncio
from collections.abc import AsyncIterator
from enum import StrEnum

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from sandbox.server import Server

_KEPT = {"content-length", "transfer-encoding", "connection", "date"}
"""What a proxy says itself."""


class Trouble(StrEnum):
    """What a proxy does with a stream."""

    REFUSES = "refuses"
    """502."""
    KEEPS_BACK = "keeps back"
    """The head comes at once and the rest never, as with a buffer that does not fill."""


def bad_proxy(target: str, trouble: Trouble) -> Server:
    """Return a proxy for a dashboard, to be run."""

    async def pass_on(request: Request) -> Response:
        if request.url.path == "/events":
            return _stream(trouble)
        async with httpx.AsyncClient(base_url=target) as http:
            query = f"?{request.url.query}" if request.url.query else ""
            answer = await http.request(
                request.method,
                request.url.path + query,
                headers={name: value for name, value in request.headers.items() if name != "host"},
                content=await request.body(),
            )
        headers = {name: one for name, one in answer.headers.items() if name not in _KEPT}
        return Response(answer.content, answer.status_code, headers)

    everything = Route("/{path:path}", pass_on, methods=["GET", "POST"])
    return Server(Starlette(routes=[everything]))


def _stream(trouble: Trouble) -> Response:
    if trouble is Trouble.REFUSES:
        return Response("Bad Gateway", 502)
    return StreamingResponse(_nothing(), media_type="text/event-stream")


async def _nothing() -> AsyncIterator[bytes]:
    await asyncio.Event().wait()
    yield b""
