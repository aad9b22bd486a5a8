"""Layers around a fake server: one applies faults, one logs the requests."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Iterator, MutableMapping
from dataclasses import asdict, dataclass
from urllib.parse import parse_qsl

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sandbox.faults import CONTROL, Answer, Cut, Faults, Hang, RequestHold, Strike
from sandbox.server import CUT

NOTES = "sandbox.notes"
"""Key of the ASGI scope with notes of inner layers for the log: `user`, `fault`."""


def note(scope: Scope, key: str, value: str) -> None:
    """Add a note to the log entry of this request; without a log, do nothing."""
    notes: MutableMapping[str, str] = scope.setdefault(NOTES, {})
    notes[key] = value


@dataclass(slots=True)
class Request:
    """A request and its response."""

    number: int
    """Counted from 1 in the order of arrival."""
    method: str
    path: str
    query: list[tuple[str, str]]
    body: object
    """The JSON that was sent, else the text, else None."""
    user: str | None = None
    received: int = 0
    """Size of the request body in bytes."""
    sent: int = 0
    """Size of the response body in bytes."""
    status: int | None = None
    """None until there is a response, and if the connection was closed before."""
    fault: str | None = None


class RequestLog:
    """All requests except those that control the sandbox. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: list[Request] = []
        self._count = 0

    def __iter__(self) -> Iterator[Request]:
        with self._lock:
            return iter(list(self._requests))

    def __len__(self) -> int:
        return len(self._requests)

    def clear(self) -> None:
        """Delete the logged requests; numbering continues."""
        with self._lock:
            self._requests.clear()

    def open(self, scope: Scope, body: bytes) -> Request:
        query = parse_qsl(scope["query_string"].decode(), keep_blank_values=True)
        with self._lock:
            self._count += 1
            request = Request(
                self._count,
                scope["method"],
                scope["path"],
                query,
                _read(body),
                received=len(body),
            )
            self._requests.append(request)
        return request

    def as_json(self) -> list[dict[str, object]]:
        return [asdict(request) for request in self]


class LogLayer:
    """Logs every request; the outermost layer, so that faults are logged, too."""

    def __init__(self, app: ASGIApp, log: RequestLog) -> None:
        self._app = app
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(CONTROL):
            await self._app(scope, receive, send)
            return
        body = await _whole_body(receive)
        if body is None:
            return
        request = self._log.open(scope, body)
        notes: dict[str, str] = {}
        scope[NOTES] = notes

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                request.status = message["status"]
                _take(notes, request)
            request.sent += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, _replay(body, receive), noting)
        finally:
            _take(notes, request)


class FaultLayer:
    """Applies the faults of a queue to the requests that they match."""

    def __init__(self, app: ASGIApp, faults: Faults) -> None:
        self._app = app
        self._faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        strike = self._faults.strike(scope) if scope["type"] == "http" else None
        if strike is None:
            await self._app(scope, receive, send)
            return
        note(scope, "fault", str(strike.fault))
        try:
            await self._carry_out(strike, scope, receive, send)
        finally:
            self._faults.end(strike)

    async def _carry_out(self, strike: Strike, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond differently, after the request was carried out or instead of it."""
        effect = strike.fault.effect
        is_after = strike.fault.moment == "after" or isinstance(effect, Cut)
        messages = await self._answer(scope, receive) if is_after else []
        if isinstance(effect, Answer):
            await _send_answer(effect, send)
        elif isinstance(effect, Cut):
            await _send_half(messages, scope, receive, send)
        elif isinstance(effect, Hang):
            await _hold_up(strike.hold, effect.seconds, _gone(receive))
            await _drop(scope, receive)
        else:
            # Read before the wait: a server continues even if the client gives up.
            replay = receive if messages else await _read_request(receive)
            await _hold_up(strike.hold, effect.seconds)
            for message in messages or await self._answer(scope, replay):
                await send(message)

    async def _answer(self, scope: Scope, receive: Receive) -> list[Message]:
        messages: list[Message] = []

        async def keep(message: Message) -> None:
            messages.append(message)

        await self._app(scope, receive, keep)
        return messages


async def _read_request(receive: Receive) -> Receive:
    """Read the whole request; return a function that yields it again, then what follows."""
    messages = [await receive()]
    while messages[-1].get("more_body", False):
        messages.append(await receive())
    unread = iter(messages)

    async def replay() -> Message:
        message = next(unread, None)
        return message if message is not None else await receive()

    return replay


async def _hold_up(hold: RequestHold, seconds: float, *others: Awaitable[None]) -> None:
    """Wait until the timeout, a release of the request, or another reason to continue."""
    tasks = {asyncio.ensure_future(reason) for reason in (hold.wait(), *others)}
    await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _send_answer(answer: Answer, send: Send) -> None:
    body = answer.body.encode()
    headers = {"content-length": str(len(body)), **answer.headers}
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


async def _send_half(messages: list[Message], scope: Scope, receive: Receive, send: Send) -> None:
    body = b"".join(message.get("body", b"") for message in messages)
    if not body:
        await _drop(scope, receive)
        return
    await send(messages[0])
    await send({"type": "http.response.body", "body": body[: len(body) // 2], "more_body": True})
    # Ending here without the rest makes uvicorn close the connection.


async def _drop(scope: Scope, receive: Receive) -> None:
    """Close the connection without a response, as a crashed server does."""
    scope[CUT]()
    await _gone(receive)


async def _gone(receive: Receive) -> None:
    """Return when the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _whole_body(receive: Receive) -> bytes | None:
    """Read the body; return None if the client disconnected before the end."""
    parts: list[bytes] = []
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that yields the body again, then continues with the real one."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def _read(body: bytes) -> object:
    try:
        return json.loads(body) if body else None
    except ValueError:
        return body.decode(errors="replace")


def _take(notes: dict[str, str], request: Request) -> None:
    request.user = notes.get("user")
    request.fault = notes.get("fault")
