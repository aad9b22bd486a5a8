"""A client of the REST API, and the dashboard of an open installation."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx

from core.access import Permission
from daemon.check import build_connection_tests
from daemon.services import Services
from dashboard import AppContext, Liveness
from dashboard.auth import Person
from tests.dashboard.conftest import ADMIN, DashboardRig, FakeLiveness

__all__ = ["ADMIN", "READER", "STRANGER", "V1", "Client", "api_of", "build_rig", "limited_to"]

V1 = "/api/v1"
READER = Person("reader", Permission.READ)
STRANGER = Person("stranger", Permission.ADMIN, frozenset({"attic"}))
"""May do everything, but sees nothing of `home`."""


def build_rig(services: Services) -> DashboardRig:
    """Build the dashboard of an open installation."""
    daemon_context, life = services.context, FakeLiveness()
    context = AppContext(
        settings=daemon_context.settings,
        store=daemon_context.store,
        instances=services.instances,
        clock=daemon_context.clock,
        zone=daemon_context.zone,
        version="1.2.3",
        liveness=Liveness(started_at=daemon_context.clock(), processor_silent=lambda: life.silent),
        wake=life.wake,
        scanners=services.scanners,
        connection_tests=build_connection_tests(services),
    )
    return DashboardRig(context, life)


class Client:
    """Sends requests to the API, and checks their status."""

    def __init__(self, http: httpx.AsyncClient, rig: DashboardRig) -> None:
        self._http = http
        self.rig = rig

    async def get(self, path: str, **query: object) -> Any:
        """Return the JSON; of a list, its items."""
        answer = await self._http.get(V1 + path, params=_plain(query))
        assert answer.status_code == 200, answer.text
        body = answer.json()
        return body["items"] if isinstance(body, dict) and "items" in body else body

    async def page(self, path: str, **query: object) -> Any:
        answer = await self._http.get(V1 + path, params=_plain(query))
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def text(self, path: str) -> str:
        """Return the text of a path outside the API."""
        answer = await self._http.get(path)
        assert answer.status_code == 200, answer.text
        return answer.text

    async def post(self, path: str, body: object = None, *, status: int = 200) -> Any:
        answer = await self._http.post(V1 + path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def refused(self, method: str, path: str, body: object = None) -> tuple[int, str]:
        """Return status and code of an error; its shape is always the same."""
        answer = await self._http.request(method, V1 + path, json=body)
        refusal = answer.json()
        assert refusal.keys() == {"error"}, refusal
        assert refusal["error"].keys() == {"code", "message"}
        return answer.status_code, refusal["error"]["code"]

    def become(self, person: Person | None) -> None:
        self.rig.authenticator.person = person


@asynccontextmanager
async def api_of(services: Services) -> AsyncIterator[Client]:
    rig = build_rig(services)
    async with rig.client() as http:
        yield Client(http, rig)


def limited_to(person: Person, *instances: str) -> Person:
    return replace(person, instances=frozenset(instances))


def _plain(query: dict[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in query.items()}
