"""What a route is given: the desk of the app that it belongs to, and who asks."""

from typing import Annotated

from fastapi import Depends, Request

from dashboard.access import Person
from dashboard.desk import Desk
from processor.actions.caller import Caller


def _desk(request: Request) -> Desk:
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
