"""Serve the dashboard on a port, in the event loop of the daemon."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import uvicorn
from starlette.types import ASGIApp

from core.errors import PaperclerkError
from dashboard.connections import Connection, Connections, Limits

_GRACE_SECONDS = 2
_QUEUED = 1024
"""Connections that the kernel queues until we accept them."""
_RECEIVE_BUFFER = 32 * 1024
_PAUSE_AFTER_ERROR = timedelta(seconds=0.5)


class CannotListen(PaperclerkError):
    """The port is in use, or the address is not one of this machine."""

    code = "cannot_listen"
    user_message = "The dashboard is unreachable."
    hint = "Set another web.port in daemon.toml, or stop the program that uses it."


class WebServer:
    """One app on one address. The port is bound when the object is made; 0 means any free one."""

    def __init__(self, app: ASGIApp, *, host: str, port: int, limits: Limits | None = None) -> None:
        self._app = app
        self._socket = listen(host, port)
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        self._connections = Connections(limits)

    async def serve(self, stop: asyncio.Event) -> None:
        """Answer requests until `stop`, then give running ones a short time to finish.

        It can be called again after an error: the port stays bound until `stop`.
        """
        server = _Server(_config(self._app))
        serving = asyncio.create_task(server.serve(sockets=[]))
        accepting = asyncio.create_task(self._accept(server))
        stopped = asyncio.create_task(stop.wait())
        is_over = True
        try:
            await asyncio.wait({serving, accepting, stopped}, return_when=asyncio.FIRST_COMPLETED)
            is_over = stop.is_set()
        finally:
            accepting.cancel()
            stopped.cancel()
            await asyncio.wait({accepting, stopped})
            if is_over:
                self._socket.close()
            self._connections.close_unfinished()
            server.should_exit = True
            await asyncio.wait({serving})
        serving.result()
        if not accepting.cancelled():
            accepting.result()

    async def _accept(self, server: uvicorn.Server) -> None:
        """Accept connections one at a time.

        asyncio's own server accepts all queued connections at once, before any can be closed to
        make room. Without a free file descriptor, it logs an error for each of them.
        """
        loop = asyncio.get_running_loop()

        def connection() -> Connection:
            return Connection(server.config, server.server_state, among=self._connections)

        while True:
            try:
                accepted, _ = await loop.sock_accept(self._socket)
                await loop.connect_accepted_socket(connection, accepted)
            except OSError as error:
                self._connections.log.warning("connection not accepted", error=error.strerror)
                self._connections.close_one()
                await asyncio.sleep(_PAUSE_AFTER_ERROR.total_seconds())


class _Server(uvicorn.Server):
    """A uvicorn server that leaves the signals to the daemon."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def listen(host: str, port: int) -> socket.socket:
    """Bind a port; raise CannotListen."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=_QUEUED)
    except OSError as error:
        raise CannotListen(f"cannot listen on {host}, port {port}: {error.strerror}") from error
    listening.settimeout(0)
    # Requests are small; data from unknown clients is read in pieces of at most this size.
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
    return listening


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        lifespan="off",
        http="h11",
        ws="none",
        loop="none",
        access_log=False,
        log_config=None,
        # Any client can trigger its warnings, such as "Invalid HTTP request received."
        log_level="error",
        # Forwarded headers are read by TrustedProxies alone.
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
