"""A browser at the dashboard of an installation with every field in review."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from daemon.services import Services
from tests.dashboard.api_client import build_rig
from tests.dashboard.conftest import DashboardRig, open_browser
from tests.installation import Installation, process


@pytest.fixture
async def services(installation: Installation) -> AsyncIterator[Services]:
    """Services with every field in review."""
    async with installation.open() as services:
        yield services


@pytest.fixture
def services_rig(services: Services) -> DashboardRig:
    return build_rig(services)


@pytest.fixture
async def browser(services_rig: DashboardRig) -> AsyncIterator[httpx.AsyncClient]:
    async with open_browser(services_rig) as client:
        yield client


@pytest.fixture
async def services_of_two(installation: Installation) -> AsyncIterator[Services]:
    """Services of `attic` and `home`, which have the same settings."""
    attic = installation.settings_file.read_text(encoding="utf-8")
    (installation.config / "attic.toml").write_text(attic, encoding="utf-8")
    async with installation.open() as services:
        yield services


@asynccontextmanager
async def browser_after_analysis(
    rig: DashboardRig, services: Services
) -> AsyncIterator[httpx.AsyncClient]:
    """Analyse the first document, and yield a client that asks for HTML."""
    await process(services, 1)
    async with open_browser(rig) as client:
        yield client
