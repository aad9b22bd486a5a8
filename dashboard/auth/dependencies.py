"""The guard at every door: a route names the right that it asks for, and gets the person."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Protocol

from fastapi import Depends, Request

from dashboard.auth.csrf import SAFE_METHODS
from dashboard.auth.person import Person, Right
from dashboard.errors import NotAllowed, NotLoggedIn

_ASKED = "person"


class Guard(Protocol):
    """Knows people by what their request carries."""

    async def who(self, request: Request) -> Person | None:
        """Return who asks, None if nobody that is known.

        Raise NotAllowed if the request comes from a page of someone else.
        """
        ...

    async def knows(self, request: Request) -> bool:
        """Tell whether who asked some time ago is known still; it is no visit, and not noted."""
        ...


async def person_known(request: Request) -> Person | None:
    """Return whom a route has let in; where no route has asked, the guard is asked.

    What was sent to no route is not looked at: there it cannot be told who sent it.
    """
    if not hasattr(request.state, _ASKED) and request.method in SAFE_METHODS:
        return await _who(request)
    person: Person | None = getattr(request.state, _ASKED, None)
    return person


async def _who(request: Request) -> Person | None:
    guard: Guard = request.app.state.guard
    # Before it is asked: whoever a foreign page sends has been asked for, and is nobody.
    setattr(request.state, _ASKED, None)
    person = await guard.who(request)
    setattr(request.state, _ASKED, person)
    return person


def _with(right: Right) -> Callable[[Request], Awaitable[Person]]:
    async def person_with_right(request: Request) -> Person:
        person = await _who(request)
        if person is None:
            raise NotLoggedIn
        if not person.may(right):
            raise NotAllowed(f"this asks for the right to {right.name.lower()}")
        return person

    return person_with_right


Reads = Annotated[Person, Depends(_with(Right.READ))]
Acts = Annotated[Person, Depends(_with(Right.ACT))]
Administers = Annotated[Person, Depends(_with(Right.ADMIN))]
