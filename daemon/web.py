"""Build the dashboard of a daemon."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from importlib.metadata import version

from core.settings import SettingsStatus
from daemon.check import build_connection_tests, check_reachability
from daemon.context import Context
from daemon.services import Services
from dashboard import AppContext, Liveness, WebServer, build_app
from dashboard.auth.login import create_first_link
from dashboard.auth.sessions import Authenticator
from dashboard.context import StartCheck


def build_app_context(
    services: Services,
    *,
    processor_silent: Callable[[], timedelta],
    ring: Callable[[], None],
    stopping: asyncio.Event,
    start_check: StartCheck | None = None,
) -> AppContext:
    """Build the context that the dashboard and the notifier share."""
    context = services.context
    return AppContext(
        settings=context.settings,
        store=context.store,
        instances=services.instances,
        clock=context.clock,
        zone=context.zone,
        version=version("paperclerk"),
        liveness=Liveness(context.clock(), processor_silent),
        wake=ring,
        scanners=services.scanners,
        connection_tests=build_connection_tests(services),
        check_reachability=partial(check_reachability, services),
        stopping=stopping,
        start_check=start_check,
    )


def update_app_context(
    former: AppContext, services: Services, status: SettingsStatus
) -> AppContext:
    """Return the context by the current settings."""
    return replace(
        former,
        settings=services.context.settings,
        instances=services.instances,
        zone=services.context.zone,
        scanners=services.scanners,
        settings_status=status,
    )


def open_web_server(context: AppContext, current: Callable[[], AppContext]) -> WebServer | None:
    """Open the dashboard's port; return None if the dashboard is off. Raise CannotListen.

    `current` returns the context by the current settings.
    """
    web = context.settings.daemon.web
    if not web.enabled:
        return None
    app = build_app(context, Authenticator(context), current=current)
    return WebServer(app, host=web.host, port=web.port)


@dataclass(frozen=True, slots=True)
class PasswordLink:
    """The link for choosing the first password."""

    link: str | None
    """None if it was printed at an earlier start: only its hash is stored."""
    until: datetime


async def issue_password_link(context: Context, *, port: int) -> PasswordLink | None:
    """Return the link for choosing a password; issue one only if no link is valid.

    Return None if a password is set or not needed.
    """
    settings = context.settings.daemon.web
    if not settings.login or settings.user_header:
        return None
    if await context.store.access.get_password_hash() is not None:
        return None
    link, until = await create_first_link(
        context.store, settings.public_address(port), now=context.clock()
    )
    return PasswordLink(link, until)
