"""The dashboard over a real store, with a fake authenticator and an HTTP client."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, timedelta
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI, Request
from starlette.types import ASGIApp

from core.access import Permission
from core.settings import DaemonSettings, Settings
from dashboard import AppContext, Liveness, build_app
from dashboard.auth import Person
from store import Store, open_store
from store.engine import FILE_NAME
from tests.store.builders import NOON, FakeClock

ADMIN = Person("admin", Permission.ADMIN)


@dataclass
class FakeAuthenticator:
    """Authenticates every request as the same person, or as nobody."""

    person: Person | None = ADMIN

    async def authenticate(self, request: Request) -> Person | None:
        return self.person

    async def is_still_valid(self, request: Request) -> bool:
        return await self.authenticate(request) is not None


@dataclass
class FakeLiveness:
    """How long the processor has been silent, and how often it was woken."""

    silent: timedelta = timedelta()
    wake_count: int = 0

    def wake(self) -> None:
        self.wake_count += 1


@dataclass
class DashboardRig:
    """The context of the app, its authenticator, and a client."""

    context: AppContext
    life: FakeLiveness
    authenticator: FakeAuthenticator = field(default_factory=FakeAuthenticator)

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx.AsyncClient]:
        transport = httpx.ASGITransport(
            build_app(self.context, self.authenticator), raise_app_exceptions=False
        )
        async with httpx.AsyncClient(transport=transport, base_url="http://clerk") as client:
            yield client


def routes_within(app: ASGIApp) -> FastAPI:
    """Return the FastAPI app within its middleware."""
    while not isinstance(app, FastAPI):
        app = getattr(app, "app")  # noqa: B009 - each has its own type
    return app


@asynccontextmanager
async def open_browser(rig: DashboardRig) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client that asks for HTML, as a browser does."""
    async with rig.client() as client:
        client.headers["accept"] = "text/html"
        yield client


@pytest.fixture
async def dashboard_store(tmp_path: Path, migrated: Path) -> AsyncIterator[Store]:
    (tmp_path / FILE_NAME).write_bytes(migrated.read_bytes())
    async with open_store(None, tmp_path) as store:
        yield store


@pytest.fixture
def rig(dashboard_store: Store) -> DashboardRig:
    life, clock = FakeLiveness(), FakeClock()
    context = AppContext(
        settings=Settings(instances={}, daemon=DaemonSettings()),
        store=dashboard_store,
        instances={},
        clock=clock,
        zone=UTC,
        version="1.2.3",
        liveness=Liveness(started_at=NOON, processor_silent=lambda: life.silent),
        wake=life.wake,
    )
    return DashboardRig(context, life)


@pytest.fixture
def with_base_path() -> Callable[[DashboardRig, str], DashboardRig]:
    """Return a function that serves a rig below a path."""

    def moved(rig: DashboardRig, path: str) -> DashboardRig:
        daemon = rig.context.settings.daemon
        web = daemon.web.model_copy(update={"base_path": path})
        settings = replace(rig.context.settings, daemon=daemon.model_copy(update={"web": web}))
        return replace(rig, context=replace(rig.context, settings=settings))

    return moved
