"""A room whose desk looks after the sandbox's Paperless, and what the API tests ask there."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx

from daemon.check import examinations
from daemon.services import Clerk
from dashboard import Desk, Signs
from dashboard.auth import Person, Right
from tests.dashboard.conftest import ADMIN, Life, Room

__all__ = ["ADMIN", "READER", "STRANGER", "V1", "Client", "api_of", "limited_to", "room_of"]

V1 = "/api/v1"
READER = Person("reader", Right.READ)
STRANGER = Person("stranger", Right.ADMIN, frozenset({"attic"}))
"""May do everything, but sees nothing of `home`."""


def room_of(clerk: Clerk) -> Room:
    """Give a clerk's desk a door."""
    memory, life = clerk.memory, Life()
    desk = Desk(
        settings=memory.settings,
        store=memory.store,
        instances=clerk.instances,
        clock=memory.clock,
        zone=memory.zone,
        version="1.2.3",
        signs=Signs(started_at=memory.clock(), processor_silent=lambda: life.silent),
        ring=life.ring,
        scanners=clerk.scanners,
        examinations=examinations(clerk),
    )
    return Room(desk, life)


class Client:
    """Asks the API and reads what it says."""

    def __init__(self, http: httpx.AsyncClient, room: Room) -> None:
        self._http = http
        self.room = room

    async def get(self, path: str, **query: object) -> Any:
        """Return what is shown; a list by its items."""
        answer = await self._http.get(V1 + path, params=_plain(query))
        assert answer.status_code == 200, answer.text
        told = answer.json()
        return told["items"] if isinstance(told, dict) and "items" in told else told

    async def page(self, path: str, **query: object) -> Any:
        answer = await self._http.get(V1 + path, params=_plain(query))
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def text(self, path: str) -> str:
        """Return what stands outside the API, as it is."""
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
        told = answer.json()
        assert told.keys() == {"error"}, told
        assert told["error"].keys() == {"code", "message"}
        return answer.status_code, told["error"]["code"]

    def become(self, person: Person | None) -> None:
        self.room.porter.person = person


@asynccontextmanager
async def api_of(clerk: Clerk) -> AsyncIterator[Client]:
    room = room_of(clerk)
    async with room.client() as http:
        yield Client(http, room)


def limited_to(person: Person, *instances: str) -> Person:
    return replace(person, instances=frozenset(instances))


def _plain(query: dict[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in query.items()}
