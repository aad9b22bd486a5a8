"""Dependencies of routes: the app context, the authenticated person, and the caller."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Protocol

from fastapi import Depends, Request

from actions.caller import Caller
from core.access import Permission
from dashboard.auth.origin import SAFE_METHODS
from dashboard.context import AppContext
from dashboard.errors import NotAllowed, NotLoggedIn

_STATE_KEY = "person"


@dataclass(frozen=True, slots=True)
class Person:
    """An authenticated person or program."""

    name: str
    right: Permission
    instances: frozenset[str] | None = None
    """The instances that it may see; None means all."""
    csrf: str = ""
    """The CSRF token of its forms; empty for programs, which send no cookies."""
    credential_hash: str = ""
    """Hash of the token or session of the request; "" if it has none."""

    @property
    def key(self) -> str:
        """Return a key that identifies the session, token or proxy user."""
        return self.credential_hash or self.name

    def has_permission(self, right: Permission) -> bool:
        return self.right >= right

    @property
    def may_administrate(self) -> bool:
        """Return whether it may administrate all instances."""
        return self.has_permission(Permission.ADMIN) and self.instances is None

    def sees(self, instance: str) -> bool:
        return self.instances is None or instance in self.instances


class AuthenticationBackend(Protocol):
    """Authenticates requests."""

    async def authenticate(self, request: Request) -> Person | None:
        """Return the person of a request; None if it is not authenticated.

        Raise NotAllowed if the request was sent by a page of another site.
        """
        ...

    async def is_still_valid(self, request: Request) -> bool:
        """Return whether an earlier request would still be authenticated; records nothing."""
        ...


async def identify_person(request: Request) -> Person | None:
    """Return the person whom the route has authenticated; without a route, authenticate here.

    An unsafe request that reached no route is not authenticated: its sender is not proven.
    """
    if not hasattr(request.state, _STATE_KEY) and request.method in SAFE_METHODS:
        return await _authenticate(request)
    person: Person | None = getattr(request.state, _STATE_KEY, None)
    return person


async def _authenticate(request: Request) -> Person | None:
    backend: AuthenticationBackend = request.app.state.authentication
    # Set first: if the backend refuses the request, it counts as authenticated as nobody.
    setattr(request.state, _STATE_KEY, None)
    person = await backend.authenticate(request)
    setattr(request.state, _STATE_KEY, person)
    return person


def _require(right: Permission) -> Callable[[Request], Awaitable[Person]]:
    async def require_permission(request: Request) -> Person:
        person = await _authenticate(request)
        if person is None:
            raise NotLoggedIn
        if not person.has_permission(right):
            raise NotAllowed(f"this requires the permission {right.name.lower()}")
        return person

    return require_permission


RequireRead = Annotated[Person, Depends(_require(Permission.READ))]
RequireAct = Annotated[Person, Depends(_require(Permission.ACT))]
RequireAdmin = Annotated[Person, Depends(_require(Permission.ADMIN))]


# Async, like all dependencies here: FastAPI runs the others in a thread.
async def _get_context(request: Request) -> AppContext:
    context: AppContext = request.app.state.get_context()
    return context


ContextDep = Annotated[AppContext, Depends(_get_context)]


def build_caller(context: AppContext, person: Person) -> Caller:
    """Build the caller for a person, limited to the instances that the person may see."""
    settings, instances = context.settings.instances, context.instances
    return Caller(
        by=person.name,
        store=context.store,
        clock=context.clock,
        zone=context.zone,
        settings={name: tree for name, tree in settings.items() if person.sees(name)},
        instances={name: known for name, known in instances.items() if person.sees(name)},
        only=person.instances,
    )


async def _build_read_caller(context: ContextDep, person: RequireRead) -> Caller:
    return build_caller(context, person)


async def _build_act_caller(context: ContextDep, person: RequireAct) -> AsyncIterator[Caller]:
    """Yield a caller who may act; wake timers and processor afterwards."""
    yield build_caller(context, person)
    context.wake()


ReadCaller = Annotated[Caller, Depends(_build_read_caller)]
"""A caller who may read."""
ActCaller = Annotated[Caller, Depends(_build_act_caller)]
"""A caller who may act; timers and processor are woken after the request."""
