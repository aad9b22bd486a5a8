"""A person, or a program, and what it may do."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Protocol

from fastapi import Depends, Request

from actions.caller import Caller
from core.access import Permission
from dashboard.auth.csrf import SAFE_METHODS
from dashboard.auth.person import Person
from dashboard.context import AppContext
from dashboard.errors import NotAllowed, NotLoggedIn

_ASKED = "person"


class AuthenticationBackend(Protocol):
    """Knows people by what their request carries."""

    async def authenticate(self, request: Request) -> Person | None:
        """Return who asks, None if nobody that is known.

        Raise NotAllowed if the request comes from a page of someone else.
        """
        ...

    async def is_still_valid(self, request: Request) -> bool:
        """Tell whether who asked some time ago is known still; it is no visit, and not noted."""
        ...


async def identify_person(request: Request) -> Person | None:
    """Return whom a route has let in; where no route has asked, the guard is asked.

    What was sent to no route is not looked at: there it cannot be told who sent it.
    """
    if not hasattr(request.state, _ASKED) and request.method in SAFE_METHODS:
        return await _authenticate(request)
    person: Person | None = getattr(request.state, _ASKED, None)
    return person


async def _authenticate(request: Request) -> Person | None:
    guard: AuthenticationBackend = request.app.state.guard
    # Before it is asked: whoever a foreign page sends has been asked for, and is nobody.
    setattr(request.state, _ASKED, None)
    person = await guard.authenticate(request)
    setattr(request.state, _ASKED, person)
    return person


def _require(right: Permission) -> Callable[[Request], Awaitable[Person]]:
    async def person_with_right(request: Request) -> Person:
        person = await _authenticate(request)
        if person is None:
            raise NotLoggedIn
        if not person.has_permission(right):
            raise NotAllowed(f"this asks for the right to {right.name.lower()}")
        return person

    return person_with_right


RequireRead = Annotated[Person, Depends(_require(Permission.READ))]
RequireAct = Annotated[Person, Depends(_require(Permission.ACT))]
RequireAdmin = Annotated[Person, Depends(_require(Permission.ADMIN))]


# Async, like all of its kind: FastAPI sends the others through a thread.
async def _get_context(request: Request) -> AppContext:
    context: AppContext = request.app.state.context
    return context


ContextDep = Annotated[AppContext, Depends(_get_context)]


def build_caller(context: AppContext, person: Person) -> Caller:
    """Let a person ask; what belongs to an instance they may not see is not there for them."""
    settings, instances = context.settings.instances, context.instances
    return Caller(
        by=person.name,
        store=context.store,
        clock=context.clock,
        zone=context.zone,
        settings={name: one for name, one in settings.items() if person.sees(name)},
        instances={name: one for name, one in instances.items() if person.sees(name)},
        only=person.instances,
    )


async def _reading(context: ContextDep, person: RequireRead) -> Caller:
    return build_caller(context, person)


async def _acting(context: ContextDep, person: RequireAct) -> AsyncIterator[Caller]:
    """Give a caller who may act; whatever they did, timers and processor hear of it."""
    yield build_caller(context, person)
    context.wake()


ReadCaller = Annotated[Caller, Depends(_reading)]
"""Who asks to see something."""
ActCaller = Annotated[Caller, Depends(_acting)]
"""Who asks to have something done; the bell rings when it is put into the store."""
