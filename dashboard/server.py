"""Serve the dashboard on a real port, in the loop of the daemon."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import structlog
import uvicorn
from starlette.types import ASGIApp

from core.errors import PaperclerkError

log = structlog.get_logger()

_GRACE_SECONDS = 2


class CannotListen(PaperclerkError):
    """The port is taken, or the address is not one of this machine."""

    code = "cannot_listen"
    user_message = "The dashboard cannot be reached."
    hint = "Set another web.port in daemon.toml, or end what has it."


class WebServer:
    """One app on one address. The port is taken when the object is made; 0 means any free one."""

    def __init__(self, app: ASGIApp, *, host: str, port: int) -> None:
        self._socket = listen(host, port)
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        self._server = _Server(_config(app))

    async def serve(self, stop: asyncio.Event) -> None:
        """Answer requests until `stop`; then let those under way end, but not for long."""
        serving = asyncio.create_task(self._server.serve(sockets=[self._socket]))
        stopped = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait({serving, stopped}, return_when=asyncio.FIRST_COMPLETED)
            self._server.should_exit = True
            await serving
        finally:
            stopped.cancel()
            with suppress(asyncio.CancelledError):
                await stopped
            self._socket.close()


class _Server(uvicorn.Server):
    """uvicorn that leaves the signals to the daemon."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def listen(host: str, port: int) -> socket.socket:
    """Take a port; raise CannotListen."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise CannotListen(f"cannot listen on {host}, port {port}: {error.strerror}") from error


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        lifespan="off",
        http="h11",
        ws="none",
        loop="none",
        access_log=False,
        log_config=None,
        # Who is behind a proxy is the guard's to say, who knows which proxies are trusted.
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
