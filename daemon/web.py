"""Put the dashboard together with the daemon that it shows."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.metadata import version

from daemon.check import build_connection_tests
from daemon.context import Context
from daemon.services import Services
from dashboard import AppContext, Liveness, WebServer, build_app
from dashboard.auth.login import create_first_link
from dashboard.auth.sessions import Authenticator


def build_app_context(
    services: Services,
    *,
    processor_silent: Callable[[], timedelta],
    ring: Callable[[], None],
    stopping: asyncio.Event,
) -> AppContext:
    """Put before the dashboard, and before who sends messages, what they need."""
    memory = services.context
    return AppContext(
        settings=memory.settings,
        store=memory.store,
        instances=services.instances,
        clock=memory.clock,
        zone=memory.zone,
        version=version("paperclerk"),
        liveness=Liveness(memory.clock(), processor_silent),
        wake=ring,
        scanners=services.scanners,
        connection_tests=build_connection_tests(services),
        stopping=stopping,
    )


def open_web_server(context: AppContext) -> WebServer | None:
    """Take the dashboard's port; None if the owner wants no dashboard. Raise CannotListen."""
    web = context.settings.daemon.web
    if not web.enabled:
        return None
    return WebServer(build_app(context, Authenticator(context)), host=web.host, port=web.port)


@dataclass(frozen=True, slots=True)
class PasswordLink:
    """The link for choosing the first password."""

    link: str | None
    """None if it was printed at an earlier start: only its hash is stored."""
    until: datetime


async def issue_password_link(memory: Context, *, port: int) -> PasswordLink | None:
    """Return the link for choosing a password; issue one only if no link is valid.

    Return None if a password is set or not needed.
    """
    settings = memory.settings.daemon.web
    if not settings.login or settings.user_header:
        return None
    if await memory.store.access.get_password_hash() is not None:
        return None
    link, until = await create_first_link(
        memory.store, settings.public_address(port), now=memory.clock()
    )
    return PasswordLink(link, until)
