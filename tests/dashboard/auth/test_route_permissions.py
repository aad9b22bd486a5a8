"""Who gets in where: every route of the app, asked by everyone who might come.

A route that someone adds is walked through like the others. It must name the right that it asks
for (`Reads`, `Acts`, `Administers`), and the right must be enough for what it does.
"""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

from fastapi import APIRouter
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts
from starlette.types import ASGIApp, Message

from core.access import ADMIN, NewToken, Permission, derive_secret, hash_secret, new_secret
from dashboard import AppContext, build_app
from dashboard.auth import RequireAct, RequireAdmin, RequireRead
from dashboard.auth.account import create_token
from dashboard.auth.origin import HEADER, SAFE_METHODS
from dashboard.auth.sessions import CSRF, Authenticator
from tests.dashboard.conftest import DashboardRig, routes_within
from tests.waiting import LONG

OPEN = ("/health", "/hooks", "/login", "/welcome", "/static", "/preferences", "/setup")
"""What nobody needs to be known for; `/preferences` sets two cookies of the browser's look, and
`/setup` sends on to the first page; `/hooks` asks for a secret of its own."""
BROWSER_ONLY = ("/settings/7/edit",)
"""What no token may do."""
READERS_MAY_POST = ("/logout",)
"""Whoever is in may go out."""
RIGHTS = {
    get_args(kind)[1].dependency: right
    for kind, right in (
        (RequireRead, Permission.READ),
        (RequireAct, Permission.ACT),
        (RequireAdmin, Permission.ADMIN),
    )
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One method of one route, and the right that it asks for; None: it asks for none."""

    method: str
    path: str
    right: Permission | None

    @property
    def is_open(self) -> bool:
        return any(self.path == path or self.path.startswith(f"{path}/") for path in OPEN)

    @property
    def asks_enough(self) -> bool:
        """Tell whether the right is enough for what the method does: GET reads, POST acts."""
        if self.right is None:
            return False
        reads = self.method in SAFE_METHODS or self.path in READERS_MAY_POST
        return self.right >= (Permission.READ if reads else Permission.ACT)


@dataclass(frozen=True, slots=True)
class Visitor:
    """A client: nobody, a program with a token, or a browser with a session."""

    name: str
    right: Permission | None = None
    has_session: bool = False
    is_foreign: bool = False
    """Their browser was sent by a page of someone else."""

    def is_allowed(self, endpoint: Endpoint) -> bool:
        if self.right is None or endpoint.right is None or self.right < endpoint.right:
            return False
        if endpoint.path in BROWSER_ONLY and not self.has_session:
            return False
        return not self.is_foreign or endpoint.method in SAFE_METHODS

    async def headers(self, context: AppContext) -> dict[str, str]:
        """Return new credentials for one request: some endpoints log out."""
        if self.right is None:
            return {}
        if not self.has_session:
            new = NewToken(new_secret(), self.right)
            token, _ = await create_token(context.store, new, now=context.clock())
            return {"authorization": f"Bearer {token}"}
        proof = await _session(context)
        mark = derive_secret("another session" if self.is_foreign else proof, CSRF)
        return {"cookie": f"paperclerk={proof}", HEADER: mark}


VISITORS = (
    Visitor("nobody"),
    *(Visitor(f"{right.name} token", right) for right in Permission),
    Visitor("session", Permission.ADMIN, has_session=True),
    Visitor("session, foreign page", Permission.ADMIN, has_session=True, is_foreign=True),
)


def find_endpoints(app: ASGIApp) -> Iterator[Endpoint]:
    """Walk through all routes of the app, also those of routers in routers, and of mounts."""
    for route in iter_route_contexts(routes_within(app).routes):
        path = re.sub(r"\{\w+(:\w+)?\}", "7", str(route.path))
        right = _asked(route.dependant) if isinstance(route.original_route, APIRoute) else None
        for method in sorted(route.methods or {"GET"}):
            yield Endpoint(method, path, right)


def _asked(dependant: Dependant) -> Permission | None:
    """Return the highest right that a route or anything that it depends on asks for."""
    found = [
        RIGHTS[dependency.call]
        for dependency in dependant.dependencies
        if dependency.call in RIGHTS
    ]
    deeper = [_asked(dependency) for dependency in dependant.dependencies]
    return max((right for right in (*found, *deeper) if right is not None), default=None)


async def _session(context: AppContext) -> str:
    proof, now = new_secret(), context.clock()
    await context.store.access.sessions.begin(
        hash_secret(proof),
        ADMIN,
        user_agent="",
        now=now,
        until=now + context.settings.daemon.web.session,
    )
    return proof


async def status(app: ASGIApp, endpoint: Endpoint, headers: dict[str, str]) -> int:
    """Ask, and return the status as soon as it arrives: an answer may go on for ever."""
    status: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    bodies = iter([b""])

    async def receive() -> Message:
        if next(bodies, None) is None:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start" and not status.done():
            status.set_result(message["status"])

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": endpoint.method,
        "scheme": "http",
        "path": endpoint.path,
        "raw_path": endpoint.path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(b"host", b"clerk"), *((k.encode(), v.encode()) for k, v in headers.items())],
        "client": ("127.0.0.1", 4711),
        "server": ("clerk", 80),
    }
    asking = asyncio.ensure_future(app(scope, receive, send))
    try:
        return await asyncio.wait_for(status, LONG)
    finally:
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)


async def find_wrong_permissions(context: AppContext, app: ASGIApp) -> list[str]:
    """List every endpoint that allows too much or too little."""
    found = []
    for endpoint in find_endpoints(app):
        if endpoint.is_open:
            continue
        if not endpoint.asks_enough:
            found.append(f"{endpoint.method} {endpoint.path} asks for {endpoint.right}")
        for visitor in VISITORS:
            answered = await status(app, endpoint, await visitor.headers(context))
            if not _is_right(answered, endpoint, visitor):
                found.append(f"{endpoint.method} {endpoint.path}: {visitor.name} got {answered}")
    return found


def _is_right(answered: int, endpoint: Endpoint, visitor: Visitor) -> bool:
    if visitor.is_allowed(endpoint):
        return answered not in {401, 403}
    return answered == (401 if visitor.right is None else 403)


async def test_every_endpoint_allows_whom_it_should_and_nobody_else(rig: DashboardRig) -> None:
    app = build_app(rig.context, Authenticator(rig.context))

    assert await find_wrong_permissions(rig.context, app) == []


async def test_endpoints_of_every_kind_of_router_are_found(rig: DashboardRig) -> None:
    endpoints = {
        (endpoint.method, endpoint.path): endpoint
        for endpoint in find_endpoints(built_with(rig, _some_routes()))
    }

    assert endpoints["GET", "/health"].right is None
    assert endpoints["POST", "/logout"].right is Permission.READ
    assert endpoints["POST", "/logout/everywhere"].right is Permission.ADMIN
    assert endpoints["GET", "/some/deeper/7"].right is Permission.READ


async def test_an_endpoint_without_a_permission_is_found(rig: DashboardRig) -> None:
    app = built_with(rig, _some_routes())

    found = await find_wrong_permissions(rig.context, app)

    assert "GET /some/open asks for None" in found
    assert any("GET /some/open: nobody got 200" in problem for problem in found)
    assert "POST /some/reads asks for 1" in found
    assert [
        problem
        for problem in found
        if not problem.startswith(("GET /some/open", "POST /some/reads"))
    ] == []


def built_with(rig: DashboardRig, router: APIRouter) -> ASGIApp:
    app = build_app(rig.context, Authenticator(rig.context))
    routes_within(app).include_router(router)
    return app


def _some_routes() -> APIRouter:
    """Build routes without a permission, with too low a permission, and with the right one."""
    router, deeper = APIRouter(prefix="/some"), APIRouter(prefix="/deeper")

    @router.get("/open")
    async def unguarded() -> None: ...

    @router.post("/reads")
    async def too_little(person: RequireRead) -> None: ...

    @deeper.get("/{number}")
    async def well_kept(person: RequireRead, number: int) -> None: ...

    router.include_router(deeper)
    return router
