"""A dashboard on a real port with real authentication, and browsers to log in with."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Annotated

import httpx
import pytest
from argon2 import PasswordHasher
from fastapi import APIRouter, Form
from starlette.types import ASGIApp

from core.access import NewToken, Permission
from dashboard import AppContext, WebServer, build_app
from dashboard.auth import Person, RequireAct, RequireRead
from dashboard.auth.account import create_token
from dashboard.auth.login import Login, Passwords, create_link
from dashboard.auth.sessions import Authenticator
from dashboard.live import LiveFeed
from tests.dashboard.conftest import DashboardRig, routes_within
from tests.plain_http import NO_CERTIFICATES
from tests.store.builders import FakeClock
from tests.waiting import LONG

PASSWORD = "correct horse battery"
QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
PAGE = {"accept": "text/html,application/xhtml+xml"}


def with_web_settings(context: AppContext, **web: object) -> AppContext:
    """Return the context with other settings of `[web]`."""
    daemon = context.settings.daemon
    changed = daemon.model_copy(update={"web": daemon.web.model_copy(update=web)})
    return replace(context, settings=replace(context.settings, daemon=changed))


def build_auth_app(context: AppContext) -> ASGIApp:
    """Build the app as the daemon does, with some routes for tests."""
    app = build_app(context, Authenticator(context))
    routes = routes_within(app)
    routes.include_router(_test_api)
    routes.include_router(_test_page)
    routes.state.login = Login(context, Passwords(QUICK))
    # The feed polls so often that a heartbeat is sent at once.
    routes.state.feed = LiveFeed(
        context.store, stopping=context.stopping, every=timedelta(milliseconds=5)
    )
    return app


_test_api = APIRouter(prefix="/api/v1/knock")


_test_page = APIRouter()


@_test_page.get("/paper")
@_test_page.post("/paper")
async def paper(person: RequireRead) -> None:
    """A page for people."""


@_test_api.get("")
async def who(person: RequireRead) -> dict[str, object]:
    return _describe_person(person)


@_test_api.post("")
async def act(person: RequireAct, said: Annotated[str, Form()] = "") -> dict[str, object]:
    return _describe_person(person) | {"said": said}


def _describe_person(person: Person) -> dict[str, object]:
    instances = None if person.instances is None else sorted(person.instances)
    return {"name": person.name, "csrf": person.csrf, "instances": instances}


@dataclass
class AuthSite:
    """The dashboard with its address, and the browsers that were opened."""

    context: AppContext
    clock: FakeClock
    url: str
    stack: AsyncExitStack

    async def browser(self, **headers: str) -> httpx.AsyncClient:
        """Open a browser, which keeps its cookies."""
        client = httpx.AsyncClient(
            base_url=self.url, headers=headers, timeout=LONG, verify=NO_CERTIFICATES
        )
        return await self.stack.enter_async_context(client)

    async def link(self) -> str:
        return await create_link(self.context.store, "", now=self.clock())

    async def token(self, right: Permission, *instances: str) -> dict[str, str]:
        """Create a token; return the header with it."""
        new = NewToken(f"{right.name} of a test", right, frozenset(instances) or None)
        made, _ = await create_token(self.context.store, new, now=self.clock())
        return {"authorization": f"Bearer {made}"}

    async def logged_in_browser(self) -> httpx.AsyncClient:
        """Set the password with a link; return the browser, which is then logged in."""
        browser = await self.browser()
        answer = await set_password(browser, await self.link())
        assert answer.status_code == 303, answer.text
        return browser


async def set_password(browser: httpx.AsyncClient, link: str, **form: str) -> httpx.Response:
    """Follow a link, and send its form as a browser would."""
    page = await browser.get(link, headers=PAGE)
    typed = {"password": PASSWORD, "again": PASSWORD} | form
    return await browser.post("/welcome", data=hidden(page.text) | typed)


async def log_in(browser: httpx.AsyncClient, password: str = PASSWORD) -> httpx.Response:
    return await browser.post("/login", data={"password": password})


async def csrf_of(browser: httpx.AsyncClient) -> str:
    body = (await browser.get("/api/v1/knock")).json()
    return str(body["csrf"])


def hidden(page: str) -> dict[str, str]:
    """Return the hidden fields of a page's form."""
    return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))


@asynccontextmanager
async def serve(app: ASGIApp) -> AsyncIterator[str]:
    """Serve an app on a free port."""
    server, stop = WebServer(app, host="127.0.0.1", port=0), asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(server.serve(stop))
        yield f"http://127.0.0.1:{server.port}"
        stop.set()


@pytest.fixture
async def site(rig: DashboardRig) -> AsyncIterator[AuthSite]:
    async with open_site(rig) as opened:
        yield opened


@asynccontextmanager
async def open_site(rig: DashboardRig, **web: object) -> AsyncIterator[AuthSite]:
    """Open a site with these settings of `[web]`."""
    context, clock = with_web_settings(rig.context, **web), rig.context.clock
    assert isinstance(clock, FakeClock)
    async with serve(build_auth_app(context)) as url, AsyncExitStack() as stack:
        yield AuthSite(context, clock, url, stack)
