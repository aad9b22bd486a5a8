"""A fake Paperless as an ASGI app, with its world, its faults and its log."""

import asyncio

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount
from starlette.types import Receive, Scope, Send

from sandbox.control import control_routes
from sandbox.faults import CONTROL, Faults
from sandbox.layers import FaultLayer, LogLayer, RequestLog
from sandbox.paperless.answering import answer
from sandbox.paperless.control import world_routes
from sandbox.paperless.web_pages import PREFIX, page_routes
from sandbox.paperless.world import World


class Paperless:
    """A fake Paperless. Run it in a `Server`; control it here, or under `/sandbox/`."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.faults = Faults()
        self.requests = RequestLog()
        routes = [*control_routes(self.faults, self.requests), *world_routes(world)]
        self._control = Starlette(routes=[Mount(CONTROL, routes=routes)])
        self._pages = Starlette(routes=page_routes(world))
        self._app = LogLayer(FaultLayer(self._either, self.faults), self.requests)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    async def _either(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if path.startswith(CONTROL):
            await self._control(scope, receive, send)
        elif path == PREFIX or path.startswith(f"{PREFIX}/"):
            await self._pages(scope, receive, send)
        else:
            await self._api(scope, receive, send)

    async def _api(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()
        with self.world.lock:
            reply = answer(self.world, scope, body)
        headers = {"content-type": reply.content_type, **reply.headers}
        await Response(reply.content, reply.status, headers)(scope, receive, send)
        self._let_the_worker_run()

    def _let_the_worker_run(self) -> None:
        worker = self.world.worker
        if not worker.has_work:
            return
        if worker.delay:
            asyncio.get_running_loop().call_later(worker.delay, worker.run)
        else:
            worker.run()
