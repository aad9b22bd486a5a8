"""A small Paperless on a real port, and clients of its users."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime

import httpx
import pytest

from sandbox.paperless import V3, Kind, Paperless, Release, World
from sandbox.server import Server
from tests.plain_http import NO_CERTIFICATES
from tests.waiting import LONG

Login = Callable[[str], httpx.Client]


@pytest.fixture
def release() -> Release:
    return V3


@pytest.fixture
def world(release: Release) -> World:
    """Three letters; `Strom` is a child of `Haus`; `Neu` is the inbox tag."""
    world = World(release)
    world.add_name(Kind.TAG, "Neu", is_inbox_tag=True)
    house = world.add_name(Kind.TAG, "Haus")
    world.add_name(Kind.TAG, "Strom", parent=house.id)
    world.add_name(Kind.CORRESPONDENT, "Stadtwerke")
    world.add_name(Kind.DOCUMENT_TYPE, "Rechnung")
    for number, text in enumerate(("Strom im Oktober", "Strom im November", "Miete"), start=1):
        added = datetime(2026, 10, number, 22, 30, tzinfo=UTC)
        world.add_document(text, f"scan_{number}.pdf", added=added)
    return world


@pytest.fixture
def paperless(world: World) -> Paperless:
    return Paperless(world)


@pytest.fixture
def login(paperless: Paperless) -> Iterator[Login]:
    """A function that returns a client for a user name."""
    with ExitStack() as stack:
        server = stack.enter_context(Server(paperless))

        def client_of(username: str) -> httpx.Client:
            token = paperless.world.users[username].token
            headers = {"Authorization": f"Token {token}"}
            client = httpx.Client(
                base_url=server.url, headers=headers, timeout=LONG, verify=NO_CERTIFICATES
            )
            return stack.enter_context(client)

        yield client_of


@pytest.fixture
def http(login: Login) -> httpx.Client:
    """The client of Paperclerk's user."""
    return login("paperclerk")


@pytest.fixture
def admin(login: Login) -> httpx.Client:
    return login("admin")
