"""The stream of events: what happens, as it happens."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.sse import format_sse_event
from starlette.responses import StreamingResponse
from starlette.types import Send

from dashboard.api.errors import may_answer
from dashboard.api.paging import seen_by
from dashboard.auth import Guard, person_known
from dashboard.auth.dependencies import Reading
from dashboard.context import all_targets
from dashboard.live import Feed, Listening, News, Topic
from dashboard.live.events import Ears, beat
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
@router.get("/events/stream", response_class=_Stream, responses=may_answer(404))
async def stream(
    request: Request,
    caller: Reading,
    topics: Topics = "",
    instance: str | None = None,
    last_event_id: LastEventId = None,
    looking: Looking = 1,
) -> _Stream:
    """Tell what happens, in the order in which it happened, from now on or after an event."""
    wanted = frozenset(Topic(one) for one in topics.split(",")) if topics else None
    after = None if last_event_id is None else int(last_event_id)
    seen = seen_by(caller, instance)
    targets = None if seen is None else all_targets(caller.instances, seen)
    ears = Ears(wanted, seen, targets)
    feed: Feed = request.app.state.feed
    person = await person_known(request)
    owner = person.key if person else ""
    told = _told(request, feed.listening(after, pages=looking, owner=owner), ears)
    return _Stream(told, headers=_AT_ONCE)


async def _told(request: Request, listening: Listening, ears: Ears) -> AsyncGenerator[bytes]:
    feed: Feed = request.app.state.feed
    async with listening as told:
        yield format_sse_event(comment="listening", retry=_COME_BACK_MS)
        yield ears.heard([beat(feed.apart)])
        async for news in told:
            if _has_beat(news) and not await _may_stay(request):
                return
            if heard := ears.heard(news):
                yield heard


def _has_beat(news: Sequence[News]) -> bool:
    return any(one.topic is Topic.BEAT for one in news)


async def _may_stay(request: Request) -> bool:
    """Ask the guard again: who listens may have logged out, or the token may be revoked."""
    guard: Guard = request.app.state.guard
    try:
        return await guard.knows(request)
    except StoreUnavailable:
        # While the store is away, nobody can have been shown out.
        return True
