"""A browser in the room of a clerk who asks a person about everything."""

from collections.abc import AsyncIterator

import httpx
import pytest

from daemon.services import Clerk
from tests.dashboard.api_room import room_of
from tests.dashboard.conftest import Room, browser_in
from tests.installation import Installation


@pytest.fixture
async def clerk(installation: Installation) -> AsyncIterator[Clerk]:
    """A clerk who asks a person about everything."""
    async with installation.open() as clerk:
        yield clerk


@pytest.fixture
def visited(clerk: Clerk) -> Room:
    return room_of(clerk)


@pytest.fixture
async def browser(visited: Room) -> AsyncIterator[httpx.AsyncClient]:
    async with browser_in(visited) as client:
        yield client


@pytest.fixture
async def clerk_of_two(installation: Installation) -> AsyncIterator[Clerk]:
    """A clerk of `attic` and `home`, which are alike."""
    attic = installation.settings_file.read_text(encoding="utf-8")
    (installation.config / "attic.toml").write_text(attic, encoding="utf-8")
    async with installation.open() as clerk:
        yield clerk
