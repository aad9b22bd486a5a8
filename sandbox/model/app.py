"""The fake model as an ASGI app: the OpenAI protocol, and routes to control it in tests."""

import asyncio
from collections.abc import Mapping
from typing import Any

from pydantic import PositiveInt, TypeAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from sandbox.control import control_routes
from sandbox.faults import CONTROL
from sandbox.layers import FaultLayer, LogLayer
from sandbox.model.behaviour import Behaviour, Failure, FailureScope, Streaming
from sandbox.model.chat import Chat, read_chat
from sandbox.model.quirks import get_quirk
from sandbox.model.refusals import Refusal, openai_error, refuse_by_failure
from sandbox.model.replies import Reply, reply_to
from sandbox.model.state import COMPLETIONS, ModelState
from sandbox.model.streaming import is_completion, send_chunks, split_into_chunks
from sandbox.server import CUT

_CLIENT_GONE = 499
_TIMES: TypeAdapter[int | None] = TypeAdapter(PositiveInt | None)


def build_model_app(state: ModelState) -> ASGIApp:
    """Build the server with its faults and its log around it."""
    doors = _Endpoints(state)
    app = Starlette(
        routes=[
            Route("/v1/models", doors.models),
            Route(COMPLETIONS, doors.completions, methods=["POST"]),
            Mount(
                CONTROL,
                routes=[
                    Route("/behaviour", doors.show_behaviour, methods=["GET"]),
                    Route("/behaviour", doors.set_behaviour, methods=["POST"]),
                    *control_routes(state.faults, state.log),
                ],
            ),
        ]
    )
    return LogLayer(FaultLayer(app, state.faults), state.log)


class _Endpoints:
    """The endpoints over one state."""

    def __init__(self, state: ModelState) -> None:
        self._state = state

    async def models(self, request: Request) -> Response:
        behaviour = self._state.behaviour
        if refusal := self._key_refused(request) or _everything_fails(behaviour):
            return _refused(refusal)
        models = [_model(name) for name in behaviour.models]
        return JSONResponse({"object": "list", "data": models})

    async def completions(self, request: Request) -> Response:
        if refusal := self._key_refused(request):
            return _refused(refusal)
        try:
            chat = read_chat(await request.json())
        except ValueError as error:
            return _refused(openai_error(400, str(error)))
        behaviour = self._state.next_behaviour(chat.prompt)
        if behaviour.delay and await _gone_within(request, behaviour.delay):
            return Response(status_code=_CLIENT_GONE)
        reply = reply_to(chat, behaviour, self._state.next_number())
        is_ignored = behaviour.streaming is Streaming.IGNORED
        if chat.streams and not is_ignored and is_completion(reply.body):
            return _stream(request, chat, behaviour, reply.body)
        return _response(reply)

    async def show_behaviour(self, _request: Request) -> Response:
        return JSONResponse(self._state.behaviour.model_dump(mode="json"))

    async def set_behaviour(self, request: Request) -> Response:
        """Set the behaviour, by its settings or by the name of a `quirk`.

        `times` is the number of chats it applies to.
        """
        try:
            settings = dict(await request.json())
            times = _TIMES.validate_python(settings.pop("times", None))
            behaviour = _behaviour(settings)
        except (TypeError, ValueError) as error:
            return JSONResponse({"error": str(error)}, status_code=422)
        self._state.behave(behaviour, times)
        return await self.show_behaviour(request)

    def _key_refused(self, request: Request) -> Refusal | None:
        key = self._state.api_key
        if key is None or request.headers.get("authorization") == f"Bearer {key}":
            return None
        return refuse_by_failure(Failure.WRONG_KEY, None)


def _behaviour(settings: dict[str, object]) -> Behaviour:
    match settings:
        case {"quirk": str(quirk), **others} if not others:
            return get_quirk(quirk)
    return Behaviour.model_validate(settings)


def _everything_fails(behaviour: Behaviour) -> Refusal | None:
    if behaviour.failure is None or behaviour.reach is not FailureScope.EVERYTHING:
        return None
    return refuse_by_failure(behaviour.failure, behaviour.retry_after)


async def _gone_within(request: Request, seconds: float) -> bool:
    """Wait for a time; return True early if the client disconnects."""
    try:
        async with asyncio.timeout(seconds):
            # The body was read, so the next message can only be the disconnect of the client.
            await request.receive()
    except TimeoutError:
        return False
    return True


def _stream(
    request: Request, chat: Chat, behaviour: Behaviour, body: Mapping[str, Any]
) -> Response:
    with_usage = chat.wants_usage and behaviour.streaming is not Streaming.WITHOUT_USAGE
    chunks = split_into_chunks(body, with_usage=with_usage)
    events = send_chunks(chunks, behaviour, cut=request.scope[CUT])
    return StreamingResponse(events, media_type="text/event-stream")


def _model(name: str) -> dict[str, object]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "sandbox"}


def _refused(refusal: Refusal) -> Response:
    return _response(Reply(refusal.status, refusal.body, refusal.headers))


def _response(reply: Reply) -> Response:
    if isinstance(reply.body, str):
        return HTMLResponse(reply.body, reply.status, reply.headers)
    return JSONResponse(reply.body, reply.status, reply.headers)
