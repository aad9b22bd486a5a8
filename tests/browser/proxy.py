"""Proxies in front of the dashboard: some block streams, others serve it below a path."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from sandbox.server import Server
from tests.waiting import LONG

_KEPT = {"content-length", "transfer-encoding", "connection", "date"}
"""Headers that a proxy sets itself."""


class Trouble(StrEnum):
    """What a proxy does with a stream."""

    REFUSES = "refuses"
    """502."""
    KEEPS_BACK = "keeps back"
    """The headers are sent at once and the body never, as with a buffer that does not fill."""


def bad_proxy(target: str, trouble: Trouble) -> Server:
    """Return a server that proxies a dashboard."""

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
        headers = {name: value for name, value in answer.headers.items() if name not in _KEPT}
        return Response(answer.content, answer.status_code, headers)

    return Server(Starlette(routes=[_everything(pass_on)]))


class Style(StrEnum):
    """What a proxy does with the path below which it serves the dashboard."""

    STRIPS = "strips the path"
    PASSES_ON = "passes the path on"


@dataclass
class PathProxy:
    """A proxy that serves a dashboard below a path, and nothing outside it."""

    target: str
    path: str
    style: Style
    strays: list[str] = field(default_factory=list)
    """Requests outside the path, caused by a wrong link of ours."""
    streamed: bytes = b""
    """Bytes of the stream so far."""

    def server(self) -> Server:
        """Return the server to run."""
        return Server(Starlette(routes=[_everything(self._pass_on)]))

    async def _pass_on(self, request: Request) -> Response:
        asked = request.url.path
        if asked != self.path and not asked.startswith(f"{self.path}/"):
            self.strays.append(asked)
            return Response("Not Found", 404)
        strips = self.style is Style.STRIPS
        return await self._answered(
            request, (asked.removeprefix(self.path) or "/") if strips else asked
        )

    async def _answered(self, request: Request, path: str) -> Response:
        http = httpx.AsyncClient(base_url=self.target, timeout=LONG)
        url = httpx.URL(path, query=request.url.query.encode())
        body = await request.body()
        sent = http.build_request(request.method, url, headers=request.headers.raw, content=body)
        answer = await http.send(sent, stream=True)
        response = StreamingResponse(self._parts(http, answer), answer.status_code)
        heads = ((name.lower(), value) for name, value in answer.headers.raw)
        response.raw_headers = [
            (name, value) for name, value in heads if name.decode() not in _KEPT
        ]
        return response

    async def _parts(self, http: httpx.AsyncClient, answer: httpx.Response) -> AsyncIterator[bytes]:
        is_stream = answer.headers.get("content-type", "").startswith("text/event-stream")
        try:
            async for part in answer.aiter_raw():
                self.streamed += part if is_stream else b""
                yield part
        finally:
            await answer.aclose()
            await http.aclose()


def _everything(answer: Callable[[Request], Awaitable[Response]]) -> Route:
    return Route("/{path:path}", answer, methods=["GET", "POST"])


def _stream(trouble: Trouble) -> Response:
    if trouble is Trouble.REFUSES:
        return Response("Bad Gateway", 502)
    return StreamingResponse(_nothing(), media_type="text/event-stream")


async def _nothing() -> AsyncIterator[bytes]:
    await asyncio.Event().wait()
    yield b""
