"""The stream of events: what happens, as it happens."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent

from dashboard.api.errors import may_answer
from dashboard.api.visible import seen_by
from dashboard.asking import Reading
from dashboard.live import Feed, Topic
from dashboard.live.news import beat

router = APIRouter(tags=["events"])
pages = APIRouter()
"""The same stream, where pages ask for it."""

_COME_BACK_MS = 2_000

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


@pages.get("/events", response_class=EventSourceResponse, include_in_schema=False)
@router.get("/events/stream", response_class=EventSourceResponse, responses=may_answer(404))
async def stream(
    request: Request,
    caller: Reading,
    topics: Topics = "",
    instance: str | None = None,
    last_event_id: LastEventId = None,
) -> AsyncIterator[ServerSentEvent]:
    """Tell what happens, in the order in which it happened, from now on or after an event."""
    feed: Feed = request.app.state.feed
    wanted = frozenset(Topic(one) for one in topics.split(",")) if topics else None
    seen = seen_by(caller, instance)
    after = None if last_event_id is None else int(last_event_id)
    async with feed.listening(after) as told:
        yield ServerSentEvent(comment="listening", retry=_COME_BACK_MS)
        if wanted is not None and Topic.BEAT in wanted:
            yield beat().sent
        async for news in told:
            if news.is_for(wanted, seen):
                yield news.sent
