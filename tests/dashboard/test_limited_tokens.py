"""A token for one instance learns and does nothing of another: every route of the app is tried.

A route that someone adds is tried like the others; only what a POST carries stands here.
"""

import re
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace

import httpx
import pytest
from fastapi.routing import APIRoute, iter_route_contexts
from starlette.types import ASGIApp

from actions.learnt import confirm_owner_name, delete_learnt
from core.access import NewToken, Permission
from core.jobs import DRY_RUN
from core.notifications import NewNotification, NotificationKind
from daemon.services import Services
from dashboard import build_app
from dashboard.auth.account import create_token
from dashboard.auth.sessions import Authenticator
from sandbox.paperless import World
from scanner.scan import ScanOrder
from store.engine import FILE_NAME
from tests.dashboard.api_client import V1, build_rig
from tests.dashboard.auth.conftest import serve
from tests.dashboard.conftest import routes_within
from tests.installation import Installation, drain
from tests.new_senders import FIRM, LONG, SHORT, add_letters

THEIRS, OTHER = "attic", "cellar"
"""The instance of the token, in which nothing happened, and the one that it must not see."""
GIVEN = {"scan_id": "2", "instance": OTHER, "name": OTHER, "number": "2", "what": "paperless"}
"""What stands in an address; any other part of one is the number 1."""
ENDLESS = ("/events", f"{V1}/events/stream")
ABOUT_NOBODY = ("/static", "/preferences", "/login", "/logout", "/welcome", "/account", "/health")
"""They show no instance, or are for who may see all."""
NOT_FOR_TOKENS = ("/settings/{stem}/edit", "/add-instance", "/hooks/")
"""For admins in a browser, or for Paperless with a secret of its own."""
OF_ALL = (f"{V1}/openapi.json",)
"""The same for everybody."""
LEFT_NOTHING = {f"{V1}/review/{{instance}}/{{number}}/reject", "/review/accept"}
"""They come after another that has left nothing to decide."""
SAID: dict[str, dict[str, object]] = {
    f"{V1}/analyses": {"document": f"{OTHER}/2"},
    f"{V1}/scans": {"instance": OTHER},
    f"{V1}/jobs/retry": {"instance": OTHER},
    f"{V1}/undo": {"since": "2020-01-01"},
    f"{V1}/undo/preview": {"document": f"{OTHER}/1"},
    f"{V1}/names/create": {"name": FIRM},
    f"{V1}/names/use": {"name": SHORT, "existing": LONG},
    f"{V1}/names/never": {"name": "Werbung", "instance": OTHER, "field": "tags"},
    f"{V1}/names/owner/confirm": {"name": FIRM, "instance": OTHER},
    f"{V1}/names/owner/decline": {"name": FIRM, "instance": OTHER},
    "/names/owner": {"name": FIRM, "instance": OTHER, "action": "confirm"},
    f"{V1}/learnt/delete": {"instance": OTHER, "ids": ["date_order:0:day_first"]},
    f"{V1}/learnt/restore": {"instance": OTHER, "ids": ["date_order:0:month_first"]},
    "/names/learnt": {"instance": OTHER, "id": "date_order:0:day_first", "action": "delete"},
    "/names": {"name": FIRM, "instance": OTHER, "field": "correspondent", "action": "create"},
    "/review/accept": {"document": [f"{OTHER}/2"], f"seen:{OTHER}/2": "1"},
    "/review/reject": {"document": [f"{OTHER}/2"], f"seen:{OTHER}/2": "1"},
    "/review/process": {"document": [f"{OTHER}/2"], f"seen:{OTHER}/2": "1"},
    "/review/ignore": {"document": [f"{OTHER}/2"], f"seen:{OTHER}/2": "1"},
    "/review/undo": {"job": ["1"]},
    "/names/selected": {"action": "create", "new": [f"{OTHER}/correspondent/{FIRM}"]},
    "/names/aliases/forget": {"instance": OTHER, "field": "tags", "key": "werbung"},
    "/retry": {"cause": "answer_unusable", "instance": OTHER},
    "/undo": {"document": f"{OTHER}/1"},
    "/instances/{name}/index": {"choice": "all"},
}
ASKED = {
    "/undo": {"document": f"{OTHER}/1"},
    "/names/completion": {"instance": OTHER, "field": "tags"},
    "/documents": {"q": "2"},
    f"{V1}/search": {"q": "stadtwerke"},
    f"{V1}/learnt": {"instance": OTHER},
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One request to one route."""

    method: str
    route: str
    path: str

    @property
    def is_api(self) -> bool:
        return self.route.startswith(V1)

    @property
    def carries(self) -> dict[str, object]:
        said = SAID.get(self.route, {}) if self.method == "POST" else {}
        return {("json" if self.is_api else "data"): said} if said else {}


@dataclass
class Visit:
    """The dashboard on a real port, and two tokens."""

    services: Services
    app: ASGIApp
    http: httpx.AsyncClient
    limited: dict[str, str] = field(default_factory=dict)
    unlimited: dict[str, str] = field(default_factory=dict)

    def routes(self, method: str) -> Iterator[Asked]:
        for route in iter_route_contexts(routes_within(self.app).routes):
            named = str(route.path)
            if named in ENDLESS or named.startswith((*ABOUT_NOBODY, *NOT_FOR_TOKENS)):
                continue
            assert isinstance(route.original_route, APIRoute), named
            if method in (route.methods or ()):
                yield Asked(method, named, re.sub(r"\{(\w+)\}", _given, named))

    async def ask(self, asked: Asked, token: dict[str, str]) -> httpx.Response:
        accept = "application/json" if asked.is_api else "text/html"
        return await self.http.request(
            asked.method,
            asked.path,
            params=ASKED.get(asked.route) if asked.method == "GET" else None,
            headers={**token, "accept": accept},
            **asked.carries,  # type: ignore[arg-type]
        )

    def remembered(self) -> str:
        """Return all that the store has, but for when tokens were used."""
        database = self.services.context.data / FILE_NAME
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as opened:
            return "\n".join(line for line in opened.iterdump() if "api_token" not in line)


def _given(part: re.Match[str]) -> str:
    return GIVEN.get(part[1], "1")


@pytest.fixture
def world(world: World) -> World:
    add_letters(world, FIRM, SHORT)
    return world


@pytest.fixture
async def visit(installation: Installation) -> AsyncIterator[Visit]:
    """Everything has happened in one instance, and nothing in the other."""
    for name in (THEIRS, OTHER):
        (installation.config / f"{name}.toml").write_text(
            installation.sandbox.settings(""), encoding="utf-8"
        )
    installation.settings_file.unlink()
    async with installation.open() as services:
        await services.scanners[OTHER].scan(ScanOrder())
        await drain(services)
        await services.scanners[OTHER].scan(ScanOrder(kind=DRY_RUN))
        await _notify(services)
        await confirm_owner_name(services.caller, "Erika Mustermann", OTHER)
        await delete_learnt(services.caller, OTHER, ["date_order:0:month_first"])
        context = replace(build_rig(services).context, send_test=_send_nothing)
        app = build_app(context, Authenticator(context))
        async with serve(app) as url, httpx.AsyncClient(base_url=url, timeout=60) as http:
            visit = Visit(services, app, http)
            visit.limited = await _token(services, "one", frozenset({THEIRS}))
            visit.unlimited = await _token(services, "all", None)
            accept = Asked("POST", f"{V1}/…/accept", f"{V1}/review/{OTHER}/1/accept")
            assert (await visit.ask(accept, visit.unlimited)).is_success
            await drain(services)
            yield visit


async def _send_nothing() -> None:
    """Be a service that takes messages."""


async def _notify(services: Services) -> None:
    """Record a notification, which concerns all instances."""
    new = NewNotification(NotificationKind.REVIEW, "review", "review", {"documents": 5})
    await services.store.notifications.record([new], now=services.context.clock())


async def _token(services: Services, name: str, instances: frozenset[str] | None) -> dict[str, str]:
    new = NewToken(name, Permission.ADMIN, instances)
    token, _ = await create_token(services.store, new, now=services.context.clock())
    return {"authorization": f"Bearer {token}"}


async def test_nothing_is_shown_of_an_instance_that_is_not_theirs(visit: Visit) -> None:
    shown, useless = [], []

    for asked in visit.routes("GET"):
        theirs = await visit.ask(asked, visit.limited)
        everything = await visit.ask(asked, visit.unlimited)
        # What names no instance can only be there or not.
        is_bare = OTHER not in everything.text and asked.route not in OF_ALL
        if OTHER in _shown_by(theirs) or (is_bare and theirs.is_success):
            shown.append(asked.route)
        if everything.is_error:
            useless.append(asked.route)

    assert shown == []
    assert useless == []


async def test_nothing_is_done_to_an_instance_that_is_not_theirs(visit: Visit) -> None:
    before, done, useless = visit.remembered(), [], []

    for asked in visit.routes("POST"):
        answer = await visit.ask(asked, visit.limited)
        if visit.remembered() != before or OTHER in _shown_by(answer):
            done.append(asked.route)
            before = visit.remembered()
    # After a document is ignored, nothing of it is left to decide.
    for asked in sorted(
        visit.routes("POST"), key=lambda visited: visited.route.endswith("/ignore")
    ):
        answer = await visit.ask(asked, visit.unlimited)
        if answer.status_code in {403, 404, 422}:
            useless.append(asked.route)

    assert done == []
    assert set(useless) <= LEFT_NOTHING


def _shown_by(answer: httpx.Response) -> str:
    """Return what an answer shows; a refusal shows nothing, though it may repeat what was asked."""
    return answer.text if answer.is_success else ""
