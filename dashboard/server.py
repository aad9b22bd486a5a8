"""Serve the dashboard on a port, in the event loop of the daemon, with limits on connections."""

import asyncio
import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from time import monotonic
from typing import Any

import structlog
import uvicorn
from starlette.types import ASGIApp
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from core.errors import PaperclerkError

log = structlog.get_logger()

MAX_CONNECTIONS = 200
_LOGGED_EVERY = timedelta(hours=1)
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


class Phase(StrEnum):
    """The part of a request that a connection is sending."""

    HEADERS = "headers"
    """Headers are incomplete, or the connection is idle between two requests."""
    BODY = "body"
    REST = "rest"
    """Rest of a body whose request is already answered, such as a too long one; not read."""
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for incomplete requests."""

    most: int = MAX_CONNECTIONS
    """Maximum number of open connections."""
    most_bytes: int = 32 * 1024 * 1024
    """Maximum size of all incomplete requests in total."""
    headers_within: timedelta = timedelta(seconds=10)
    body_within: timedelta = timedelta(seconds=30)
    answer_taken_within: timedelta = timedelta(seconds=2)
    """Time to receive a response sent before the body was complete; then the connection closes."""


class RareLog:
    """Logs each event at most once an hour: any client can trigger them at will."""

    def __init__(self) -> None:
        self._logged_at: dict[str, float] = {}

    def warning(self, event: str, **fields: object) -> None:
        now = monotonic()
        logged_at = self._logged_at.get(event)
        if logged_at is None or now - logged_at > _LOGGED_EVERY.total_seconds():
            self._logged_at[event] = now
            log.warning(event, **fields)


class Connections:
    """The open connections. Those with incomplete requests are closed to make room for others."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits(connections_allowed())
        self.log = RareLog()
        self._open: dict[Connection, None] = {}
        self._unfinished: dict[Connection, int] = {}
        """Bytes received of each incomplete request, longest waiting first."""
        self._bytes = 0

    def add(self, connection: "Connection") -> None:
        """Add a connection; above the limit, close another one, or this one if that fails."""
        self._open[connection] = None
        if len(self._open) > self.limits.most:
            self.log.warning("too many connections", most=self.limits.most)
            self._close(next(self._closable(), connection))

    def remove(self, connection: "Connection") -> None:
        self._open.pop(connection, None)
        self._bytes -= self._unfinished.pop(connection, 0)

    def waits(self, connection: "Connection") -> None:
        """Record that the connection's next request, or the rest of it, is awaited."""
        if connection in self._open:
            self._unfinished.setdefault(connection, 0)

    def received(self, connection: "Connection", size: int) -> None:
        """Count the bytes of an incomplete request; above the limit, close the largest one."""
        if connection not in self._unfinished:
            return
        self._unfinished[connection] += size
        self._bytes += size
        if self._bytes > self.limits.most_bytes:
            self.log.warning("too many unfinished requests", most_bytes=self.limits.most_bytes)
            self._close(max(self._unfinished, key=lambda unfinished: self._unfinished[unfinished]))

    def finished(self, connection: "Connection") -> None:
        """Record that a request is complete: it is answered and not closed to make room."""
        self._bytes -= self._unfinished.pop(connection, 0)

    def close_one(self) -> None:
        """Close the least needed connection; none if all are being answered."""
        for connection in self._closable():
            self._close(connection)
            return

    def close_unfinished(self) -> None:
        """Close connections with incomplete requests, which are not awaited at a stop."""
        for connection, size in tuple(self._unfinished.items()):
            if size and not connection.transport.get_write_buffer_size():
                self._close(connection)

    def _closable(self) -> Iterator["Connection"]:
        """Yield connections without a complete request, then those that do not read a response."""
        yield from self._unfinished
        yield from (
            connection for connection in self._open if connection.transport.get_write_buffer_size()
        )

    def _close(self, connection: "Connection") -> None:
        self.remove(connection)
        connection.transport.abort()


class Connection(H11Protocol):
    """One connection, closed if its request does not arrive in time."""

    def __init__(self, config: Config, state: ServerState, *, among: Connections) -> None:
        lifespan: dict[str, Any] = {}
        super().__init__(config, state, lifespan)
        self._among = among
        self._deadline: asyncio.TimerHandle | None = None
        self._phase = Phase.WHOLE

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._among.add(self)
        self._update_phase()

    def connection_lost(self, exc: Exception | None) -> None:
        self._among.remove(self)
        self._set_deadline(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._among.received(self, len(data))
        if not self.transport.is_closing():
            super().data_received(data)
            self._update_phase()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._update_phase()

    def _update_phase(self) -> None:
        phase = self._phase_now()
        if phase is self._phase or self.transport.is_closing():
            return
        self._phase = phase
        match phase:
            case Phase.WHOLE:
                self._among.finished(self)
                self._set_deadline(None)
            case Phase.HEADERS:
                self._among.waits(self)
                self._set_deadline(self._among.limits.headers_within)
            case Phase.BODY:
                self._among.waits(self)
                self._set_deadline(self._among.limits.body_within)
            case Phase.REST:
                self._among.waits(self)
                self._set_deadline(self._among.limits.answer_taken_within)
                # Reading on would cost time; if we closed now, the client might miss the response.
                self.flow.pause_reading()

    def _phase_now(self) -> Phase:
        if self.cycle is None:
            return Phase.HEADERS
        match self.cycle.more_body, self.cycle.response_complete:
            case True, True:
                return Phase.REST
            case True, False:
                return Phase.BODY
            case False, True:
                return Phase.HEADERS
        return Phase.WHOLE

    def _set_deadline(self, within: timedelta | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None
        if within is not None:
            self._deadline = self.loop.call_later(within.total_seconds(), self.transport.abort)


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


def connections_allowed() -> int:
    """Return the maximum number of connections; half of the file descriptors stay reserved."""
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return (
        MAX_CONNECTIONS
        if descriptors == resource.RLIM_INFINITY
        else max(1, min(MAX_CONNECTIONS, descriptors // 2))
    )


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
