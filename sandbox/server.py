"""Run an ASGI app on a real port of this machine, in a separate thread."""

import asyncio
import socket
import threading
from types import TracebackType

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

CUT = "sandbox.cut"
"""Key of the ASGI scope with a function that closes the connection."""

_MAX_WAIT = 60.0


class Server:
    """An app on 127.0.0.1; `port=0` selects a free port.

    The port is bound when the object is created, so `url` is valid before the server runs.
    A stop is abrupt, as if the machine went down: connections are closed, hung requests end.
    """

    def __init__(self, app: ASGIApp, port: int = 0) -> None:
        self._socket = socket.create_server(("127.0.0.1", port))
        # Head and body of an answer are two packets: with Nagle's algorithm the second one waits
        # 40 ms for the first to be acknowledged. Connections inherit this from the socket.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port: int = self._socket.getsockname()[1]
        self._server = _QuickServer(_config(self._cuttable(app)))
        self._thread = threading.Thread(target=self._run, name=f"sandbox:{self.port}", daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._thread.start()
        if not self._server.ready.wait(_MAX_WAIT):
            raise RuntimeError(f"the sandbox did not start on port {self.port}")

    def stop(self) -> None:
        """Stop at once; do nothing if the server is not running."""
        if self._thread.is_alive():
            self._server.ask_to_stop()
            self._thread.join(_MAX_WAIT)
        self._socket.close()

    def __enter__(self) -> "Server":
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _run(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))

    def _cuttable(self, app: ASGIApp) -> ASGIApp:
        async def with_cut(scope: Scope, receive: Receive, send: Send) -> None:
            scope[CUT] = lambda: self._server.cut(scope["client"])
            await app(scope, receive, send)

        return with_cut


class _QuickServer(uvicorn.Server):
    """uvicorn without polling every tenth of a second: it starts and stops by events."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()
        self._stopping: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def ask_to_stop(self) -> None:
        assert self._loop is not None
        assert self._stopping is not None
        self._loop.call_soon_threadsafe(self._stopping.set)

    def cut(self, client: tuple[str, int]) -> None:
        """Close the connection from an address without a response."""
        for connection in list(self.server_state.connections):
            if isinstance(connection, H11Protocol) and connection.client == client:
                connection.transport.abort()

    async def main_loop(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        self.ready.set()
        await self._stopping.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        # A connection that was just accepted gets its transport in the next two rounds of the loop.
        # Before that it cannot be closed.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        # Close before cancelling: otherwise uvicorn would still send a status 500.
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        tasks = list(self.server_state.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        lifespan="off",
        http="h11",
        ws="none",
        loop="asyncio",
        access_log=False,
        # uvicorn would log a deliberately closed connection as an error.
        log_config=None,
        log_level=60,
        proxy_headers=False,
        server_header=False,
        date_header=False,
    )
