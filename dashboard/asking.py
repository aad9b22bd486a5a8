"""What a route is given: the desk of the app that it belongs to, and who asks."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request

from actions.caller import Caller
from dashboard.auth import Acts, Person, Reads
from dashboard.context import Desk


# Async, like all of its kind: FastAPI sends the others through a thread.
async def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


AtDesk = Annotated[Desk, Depends(_desk)]


def caller_of(desk: Desk, person: Person) -> Caller:
    """Let a person ask; what belongs to an instance they may not see is not there for them."""
    settings, instances = desk.settings.instances, desk.instances
    return Caller(
        by=person.name,
        store=desk.store,
        clock=desk.clock,
        zone=desk.zone,
        settings={name: one for name, one in settings.items() if person.sees(name)},
        instances={name: one for name, one in instances.items() if person.sees(name)},
        only=person.instances,
    )


async def _reading(desk: AtDesk, person: Reads) -> Caller:
    return caller_of(desk, person)


async def _acting(desk: AtDesk, person: Acts) -> AsyncIterator[Caller]:
    """Give a caller who may act; whatever they did, timers and processor hear of it."""
    yield caller_of(desk, person)
    desk.ring()


Reading = Annotated[Caller, Depends(_reading)]
"""Who asks to see something."""
Acting = Annotated[Caller, Depends(_acting)]
"""Who asks to have something done; the bell rings when it is put into the store."""
