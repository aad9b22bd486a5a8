"""Connections on a real port: incomplete requests cannot keep others out."""

import asyncio
import resource
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from dashboard import WebServer
from dashboard.server import MAX_CONNECTIONS, Limits, connections_allowed

TIMEOUT = 30.0
HALF_HEADERS = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Never: "
WHOLE = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
WAITING = b"GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n"
LARGE = b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
REFUSED = b"PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
HALF_BODY = POST + b"x" * 10
SOON = timedelta(milliseconds=50)
NEVER = timedelta(minutes=10)
PATIENT = Limits(3, headers_within=NEVER, body_within=NEVER)


@dataclass
class Client:
    """One connection, controlled by the test."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> "Client":
        self.writer.write(data)
        await self.writer.drain()
        return self

    async def status(self) -> str:
        async with asyncio.timeout(TIMEOUT):
            head = await self.reader.readuntil(b"\r\n\r\n")
        return head.decode().split()[1]

    async def is_closed(self) -> bool:
        """Wait until the other end closes; return whether it sent nothing before."""
        async with asyncio.timeout(TIMEOUT):
            try:
                return await self.reader.read() == b""
            except ConnectionError:
                return True


@dataclass
class App:
    """Answers at once, when it is allowed to, or with more than a socket holds."""

    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    under_way: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    """Released by each request whose body is awaited or whose response is delayed."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = b""
        match scope["method"], scope["path"]:
            case "POST", _:
                self.under_way.release()
                try:
                    await Request(scope, receive).body()
                except ClientDisconnect:
                    return
            case _, "/wait":
                self.under_way.release()
                await self.go_on.wait()
            case _, "/large":
                self.under_way.release()
                body = b"x" * 50_000_000
        headers = [(b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


@dataclass
class Served:
    """A server and a way to connect to it."""

    app: App
    port: int
    stop: asyncio.Event
    clients: list[Client] = field(default_factory=list)

    async def client(self, sent: bytes = b"") -> Client:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        client = Client(reader, writer)
        self.clients.append(client)
        return await client.send(sent)

    async def answers(self) -> bool:
        return await (await self.client(WHOLE)).status() == "200"


@asynccontextmanager
async def served(limits: Limits) -> AsyncIterator[Served]:
    app, stop = App(), asyncio.Event()
    server = WebServer(app, host="127.0.0.1", port=0, limits=limits)
    serving = asyncio.create_task(server.serve(stop))
    running = Served(app, server.port, stop)
    try:
        yield running
    finally:
        app.go_on.set()
        for client in running.clients:
            client.writer.transport.abort()
        stop.set()
        await serving


async def test_at_the_limit_the_oldest_without_a_whole_request_is_closed_for_the_newcomer() -> None:
    async with served(PATIENT) as server:
        oldest = await server.client(HALF_HEADERS)
        await server.client(HALF_HEADERS)
        await server.client(HALF_HEADERS)

        assert await server.answers()
        assert await oldest.is_closed()


async def test_hundreds_of_half_sent_requests_keep_nobody_out() -> None:
    async with served(PATIENT) as server:
        for _ in range(50):
            await server.client(HALF_HEADERS)
            await server.client(HALF_BODY)

        assert await server.answers()


async def test_what_is_being_answered_is_not_closed_for_a_newcomer() -> None:
    async with served(PATIENT) as server:
        answered = [await server.client(WAITING) for _ in range(3)]
        for _ in answered:
            await server.app.under_way.acquire()

        newcomer = await server.client(WHOLE)
        assert await newcomer.is_closed()
        server.app.go_on.set()

        assert [await client.status() for client in answered] == ["200"] * 3


async def test_an_idle_connection_makes_room_before_a_request_that_is_answered() -> None:
    async with served(PATIENT) as server:
        answered = await server.client(WAITING)
        await server.app.under_way.acquire()
        idle = await server.client(WHOLE)
        assert await idle.status() == "200"
        await server.client(HALF_HEADERS)

        assert await server.answers()
        assert await idle.is_closed()
        server.app.go_on.set()
        assert await answered.status() == "200"


async def test_who_does_not_take_the_answer_makes_room_as_well() -> None:
    async with served(replace(PATIENT, most=1)) as server:
        stuck = await server.client(LARGE)
        await server.app.under_way.acquire()
        assert await stuck.status() == "200"

        assert await server.answers()


@pytest.mark.parametrize(
    ("sent", "limits"),
    [
        (b"", replace(PATIENT, headers_within=SOON)),
        (HALF_HEADERS, replace(PATIENT, headers_within=SOON)),
        (HALF_BODY, replace(PATIENT, body_within=SOON)),
    ],
)
async def test_what_is_not_sent_in_time_is_closed(sent: bytes, limits: Limits) -> None:
    async with served(limits) as server:
        client = await server.client(sent)

        assert await client.is_closed()


async def test_who_is_answered_before_the_end_of_the_body_gets_the_answer_and_is_closed() -> None:
    async with served(replace(PATIENT, answer_taken_within=SOON)) as server:
        client = await server.client(REFUSED + b"x" * 10)

        assert await client.status() == "200"
        assert await client.is_closed()


async def test_a_slow_answer_has_no_deadline() -> None:
    async with served(replace(PATIENT, headers_within=SOON, body_within=SOON)) as server:
        slow = await server.client(WAITING)
        await server.app.under_way.acquire()
        # Its deadline would have passed before that of a later connection.
        assert await (await server.client()).is_closed()
        server.app.go_on.set()

        assert await slow.status() == "200"


async def test_of_unfinished_requests_that_are_too_much_together_the_largest_is_closed() -> None:
    async with served(replace(PATIENT, most_bytes=1300)) as server:
        small = await server.client(POST + b"x" * 100)
        large = await server.client(POST + b"x" * 990)
        await server.app.under_way.acquire()
        await server.app.under_way.acquire()
        await small.send(b"x" * 200)

        assert await large.is_closed()
        await small.send(b"x" * 700)
        assert await small.status() == "200"


async def test_a_stop_waits_for_no_half_sent_request(caplog: pytest.LogCaptureFixture) -> None:
    async with served(PATIENT) as server:
        half = await server.client(HALF_BODY)
        await server.app.under_way.acquire()
        server.stop.set()

        assert await half.is_closed()

    assert caplog.records == []


@pytest.mark.parametrize(("descriptors", "most"), [(256, 128), (100_000, MAX_CONNECTIONS)])
def test_connections_take_at_most_half_of_the_descriptors(descriptors: int, most: int) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(descriptors, before[1]), before[1]))

        assert connections_allowed() == most
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
