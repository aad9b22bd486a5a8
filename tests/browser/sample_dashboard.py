"""The dashboard of a filled store on a real port, in a separate thread."""

import asyncio
import copy
import shutil
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from core.messages import plain
from core.settings import SettingError
from daemon.check import build_connection_tests
from daemon.draft_check import DraftChecks
from daemon.services import Services
from dashboard import AppContext, Liveness, WebServer, build_app
from dashboard.auth import Person
from dashboard.invalid_settings import PATH as SETUP
from dashboard.invalid_settings import SetupInfo, build_setup_app
from sandbox import Sandbox
from sandbox.paperless import World, load_world
from sandbox.server import Server
from tests.browser.page_paths import PLACES
from tests.browser.sample_data import fill, prepare
from tests.dashboard.conftest import ADMIN, FakeAuthenticator, FakeLiveness
from tests.installation import Installation
from tests.store.builders import FakeClock

NOW = datetime(2026, 12, 1, 11, 12, tzinfo=UTC)
_PATIENCE = 90.0


class _FakeAuthenticator(FakeAuthenticator):
    """Authenticates everybody, except on the login pages, which would redirect."""

    async def authenticate(self, request: Request) -> Person | None:
        is_login_page = request.url.path in {"/login", "/welcome"}
        return None if is_login_page else replace(ADMIN, csrf="mark")


class Prepare(Protocol):
    """Writes the settings, and changes the sandbox before the dashboard is opened."""

    def __call__(self, installation: Installation, sandbox: Sandbox, /) -> None: ...


class Fill(Protocol):
    """Fills the store; returns the path of a link to choose a password."""

    async def __call__(self, services: Services, sandbox: Sandbox, clock: FakeClock, /) -> str: ...


@dataclass(frozen=True)
class Contents:
    """How to fill a dashboard."""

    prepare: Prepare
    fill: Fill
    mistake: str = 'unknown option - did you mean "model"?'
    """Error in the settings, as shown on the page for invalid settings."""


FULL = Contents(prepare, fill)


@dataclass
class Streams:
    """Middleware that lists the open streams, by their query."""

    app: ASGIApp
    open: list[str] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != "/events":
            await self.app(scope, receive, send)
            return
        asked = scope["query_string"].decode()
        self.open.append(asked)
        try:
            await self.app(scope, receive, send)
        finally:
            self.open.remove(asked)


@dataclass
class SampleDashboard:
    """A running dashboard with its content."""

    installation: Installation
    contents: Contents
    ready: threading.Event = field(default_factory=threading.Event)
    url: str = ""
    setup_url: str = ""
    """Address of the page for invalid settings."""
    link: str = ""
    """Path of a link to choose a password."""
    trouble: BaseException | None = None
    streams: Streams = field(init=False)
    life: FakeLiveness = field(default_factory=FakeLiveness)

    def run(self) -> None:
        """Serve until `close`; an error is kept for the waiting thread."""
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - passed on to the thread that waits
            self.trouble = error
        finally:
            self.ready.set()

    def at(self, place: str) -> str:
        """Return the address of a place."""
        path = PLACES[place].format(link=self.link)
        return (self.setup_url if path == SETUP else self.url) + path

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        async with self.installation.open() as services:
            self.link = await self.contents.fill(
                services, self.installation.sandbox, self.installation.clock
            )
            checks = DraftChecks(services.context.settings.folder, self._stop)
            context = replace(
                _build_context(services, self._stop, self.life), start_check=checks.start
            )
            self.streams = Streams(build_app(context, _FakeAuthenticator()))
            server = WebServer(self.streams, host="127.0.0.1", port=0)
            self.url = f"http://127.0.0.1:{server.port}"
            self.ready.set()
            await asyncio.gather(server.serve(self._stop), checks.run())


@dataclass(frozen=True)
class Filled:
    """The filled dashboard: copying it is faster than filling it.

    A test that changes something gets its own copy, so that other tests are not affected.
    """

    data: Path
    world: World
    link: str

    @contextmanager
    def copied(self, folder: Path) -> Iterator[SampleDashboard]:
        """Serve a copy from `folder` while the context is open."""
        # A lock cannot be copied.
        world = copy.deepcopy(self.world, {id(self.world.lock): threading.RLock()})
        with running_dashboard(
            folder, Contents(self._prepare, self._fill), world
        ) as sample_dashboard:
            yield sample_dashboard

    def _prepare(self, installation: Installation, sandbox: Sandbox) -> None:
        shutil.copytree(self.data, installation.data, dirs_exist_ok=True)
        prepare(installation, sandbox)

    async def _fill(self, services: Services, sandbox: Sandbox, clock: FakeClock) -> str:
        return self.link


def filled_once(folder: Path) -> Filled:
    """Fill the full dashboard."""
    with running_dashboard(folder) as sample_dashboard:
        pass
    return Filled(
        sample_dashboard.installation.data,
        sample_dashboard.installation.sandbox.world,
        sample_dashboard.link,
    )


@contextmanager
def running_dashboard(
    folder: Path, contents: Contents = FULL, world: World | None = None
) -> Iterator[SampleDashboard]:
    """Fill a store, and serve it while the context is open."""
    with Sandbox(world or load_world()) as sandbox, ExitStack() as stack:
        installation = Installation(sandbox, folder, FakeClock(NOW))
        contents.prepare(installation, sandbox)
        setup = stack.enter_context(Server(_setup_app(contents)))
        sample_dashboard = SampleDashboard(installation, contents, setup_url=setup.url)
        thread = threading.Thread(target=sample_dashboard.run, name="sample dashboard")
        thread.start()
        assert sample_dashboard.ready.wait(_PATIENCE), "the dashboard was not ready in time"
        if sample_dashboard.trouble is not None:
            raise sample_dashboard.trouble
        try:
            yield sample_dashboard
        finally:
            sample_dashboard.close()
            thread.join(_PATIENCE)


def _setup_app(contents: Contents) -> ASGIApp:
    mistakes = (
        SettingError("home.toml", 13, "ai.modell", plain(contents.mistake)),
        SettingError("home.toml", 2, "paperless.token", plain("missing - set token or token_file")),
    )
    return build_setup_app(
        SetupInfo("/config", lambda: mistakes, FakeClock(NOW), UTC, "1.2.3"), base_path=""
    )


def _build_context(services: Services, stopping: asyncio.Event, life: FakeLiveness) -> AppContext:
    daemon_context = services.context
    return AppContext(
        settings=daemon_context.settings,
        store=daemon_context.store,
        instances=services.instances,
        clock=daemon_context.clock,
        zone=daemon_context.zone,
        version="1.2.3",
        liveness=Liveness(daemon_context.clock(), lambda: life.silent),
        wake=life.wake,
        scanners=services.scanners,
        connection_tests=build_connection_tests(services),
        stopping=stopping,
    )
