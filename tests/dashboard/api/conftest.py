"""The API of an installation with three letters."""

from collections.abc import AsyncIterator

import pytest

from daemon.services import Services
from tests.dashboard.api_client import Client, api_of
from tests.installation import Installation, drain, scan


@pytest.fixture
async def services(installation: Installation) -> AsyncIterator[Services]:
    """Services with every field in review."""
    async with installation.open() as services:
        yield services


@pytest.fixture
async def api(services: Services) -> AsyncIterator[Client]:
    async with api_of(services) as client:
        yield client


@pytest.fixture
async def reviewed(services: Services) -> None:
    """Three letters were analysed and are for review."""
    await scan(services)
    await drain(services)
