"""The stream of events: what happens, as it happens."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.sse import format_sse_event
from starlette.responses import StreamingResponse
from starlette.types import Send

from dashboard.api.errors import error_responses
from dashboard.api.paging import visible_instances
from dashboard.auth import AuthenticationBackend, identify_person
from dashboard.auth.dependencies import ReadCaller
from dashboard.context import all_targets
from dashboard.live import EventStream, LiveEvent, LiveFeed, Topic
from dashboard.live.events import Subscription, build_beat
from store import StoreUnavailable

router = APIRouter(tags=["events"])
pages = APIRouter()
"""The same stream, where pages ask for it."""

_COME_BACK_MS = 2_000
_AT_ONCE = {"x-accel-buffering": "no"}
"""A proxy such as nginx would keep back what is sent."""

Topics = Annotated[
    str,
    Query(
        pattern=f"^$|^({'|'.join(Topic)})(,({'|'.join(Topic)}))*$",
        description="What to be told about, separated by commas; all, if left out.",
    ),
]
LastEventId = Annotated[
    str | None,
    Header(
        pattern="^[0-9]{1,15}$",
        description="Go on after this event. Browsers send it by themselves.",
    ),
]
Looking = Annotated[int, Query(alias="pages", ge=1, le=1_000, include_in_schema=False)]
"""How many pages look because of what is told: those of a browser share one stream."""


class _Stream(StreamingResponse):
    """Sends what is told, and lets the listener go when the other end does."""

    media_type = "text/event-stream"
    body_iterator: AsyncGenerator[bytes]

    async def stream_response(self, send: Send) -> None:
        async with aclosing(self.body_iterator):
            await super().stream_response(send)


@pages.get("/events", response_class=_Stream, include_in_schema=False)
@router.get("/events/stream", response_class=_Stream, responses=error_responses(404))
async def stream(
    request: Request,
    caller: ReadCaller,
    topics: Topics = "",
    instance: str | None = None,
    last_event_id: LastEventId = None,
    looking: Looking = 1,
) -> _Stream:
    """Tell what happens, in the order in which it happened, from now on or after an event."""
    wanted = frozenset(Topic(one) for one in topics.split(",")) if topics else None
    after = None if last_event_id is None else int(last_event_id)
    seen = visible_instances(caller, instance)
    targets = None if seen is None else all_targets(caller.instances, seen)
    ears = Subscription(wanted, seen, targets)
    feed: LiveFeed = request.app.state.feed
    person = await identify_person(request)
    owner = person.key if person else ""
    told = _generate(request, feed.subscribe(after, pages=looking, owner=owner), ears)
    return _Stream(told, headers=_AT_ONCE)


async def _generate(
    request: Request, listening: EventStream, ears: Subscription
) -> AsyncGenerator[bytes]:
    feed: LiveFeed = request.app.state.feed
    async with listening as told:
        yield format_sse_event(comment="listening", retry=_COME_BACK_MS)
        yield ears.encode([build_beat(feed.page_interval)])
        async for news in told:
            if _has_beat(news) and not await _is_still_authorized(request):
                return
            if heard := ears.encode(news):
                yield heard


def _has_beat(news: Sequence[LiveEvent]) -> bool:
    return any(one.topic is Topic.BEAT for one in news)


async def _is_still_authorized(request: Request) -> bool:
    """Ask the guard again: who listens may have logged out, or the token may be revoked."""
    backend: AuthenticationBackend = request.app.state.authentication
    try:
        return await backend.is_still_valid(request)
    except StoreUnavailable:
        # While the store is away, nobody can have been shown out.
        return True
