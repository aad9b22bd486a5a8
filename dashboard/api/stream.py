"""The stream of live events, for the API and for pages."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.sse import format_sse_event
from starlette.responses import StreamingResponse
from starlette.types import Send

from dashboard.api.router import api_router, error_responses, visible_instances
from dashboard.auth import AuthenticationBackend, identify_person
from dashboard.auth.dependencies import ReadCaller
from dashboard.context import all_targets
from dashboard.live import EventStream, LiveFeed, Subscription, Topic, build_beat
from store import StoreUnavailable

router = api_router(tag="events")
pages = APIRouter()
"""The same stream, at the address that pages use."""

_RECONNECT_MS = 2_000
_NO_BUFFERING = {"x-accel-buffering": "no"}
"""A proxy such as nginx would buffer the stream."""

Topics = Annotated[
    str,
    Query(
        pattern=f"^$|^({'|'.join(Topic)})(,({'|'.join(Topic)}))*$",
        description="Topics, separated by commas; all by default.",
    ),
]
LastEventId = Annotated[
    str | None,
    Header(
        pattern="^[0-9]{1,15}$",
        description="Continue after this event; browsers send it automatically.",
    ),
]
Pages = Annotated[int, Query(alias="pages", ge=1, le=1_000, include_in_schema=False)]
"""How many pages of the browser share the stream."""


class _Stream(StreamingResponse):
    """Sends the events, and ends the subscription when the client disconnects."""

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
    page_count: Pages = 1,
) -> _Stream:
    """Stream events in order, from now on or after a given event."""
    wanted = frozenset(Topic(topic) for topic in topics.split(",")) if topics else None
    after = None if last_event_id is None else int(last_event_id)
    instances = visible_instances(caller, instance)
    targets = None if instances is None else all_targets(caller.instances, instances)
    subscription = Subscription(wanted, instances, targets)
    feed: LiveFeed = request.app.state.feed
    person = await identify_person(request)
    owner = person.key if person else ""
    events = feed.subscribe(after, pages=page_count, owner=owner)
    return _Stream(_generate(request, events, subscription), headers=_NO_BUFFERING)


async def _generate(
    request: Request, events: EventStream, subscription: Subscription
) -> AsyncGenerator[bytes]:
    feed: LiveFeed = request.app.state.feed
    async with events as batches:
        yield format_sse_event(comment="listening", retry=_RECONNECT_MS)
        yield subscription.encode([build_beat(feed.page_interval)])
        async for batch in batches:
            has_beat = any(event.topic is Topic.BEAT for event in batch)
            if has_beat and not await _is_still_authorized(request):
                return
            if encoded := subscription.encode(batch):
                yield encoded


async def _is_still_authorized(request: Request) -> bool:
    """Return whether the listener is still logged in, or its token not revoked."""
    backend: AuthenticationBackend = request.app.state.authentication
    try:
        return await backend.is_still_valid(request)
    except StoreUnavailable:
        # While the store is unavailable, nobody can have logged out.
        return True
