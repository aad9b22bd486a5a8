"""The API of a clerk who has three letters before him."""

from collections.abc import AsyncIterator

import pytest

from daemon.services import Services
from tests.dashboard.api_client import Client, api_of
from tests.installation import Installation, drain, scan


@pytest.fixture
async def services(installation: Installation) -> AsyncIterator[Services]:
    """A clerk who puts every suggestion before a person."""
    async with installation.open() as services:
        yield services


@pytest.fixture
async def api(services: Services) -> AsyncIterator[Client]:
    async with api_of(services) as client:
        yield client


@pytest.fixture
async def reviewed(services: Services) -> None:
    """Three letters were analysed, and wait for a person."""
    await scan(services)
    await drain(services)
