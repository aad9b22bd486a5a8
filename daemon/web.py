"""Put the dashboard together with the daemon that it shows."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.metadata import version

from daemon.check import examinations
from daemon.context import Memory
from daemon.services import Clerk
from dashboard import Desk, Signs, WebServer, build_app
from dashboard.auth.login import first_link
from dashboard.auth.sessions import Keeper


def desk_of(
    clerk: Clerk,
    *,
    processor_silent: Callable[[], timedelta],
    ring: Callable[[], None],
    stopping: asyncio.Event,
) -> Desk:
    """Put before the dashboard, and before who sends messages, what they need."""
    memory = clerk.memory
    return Desk(
        settings=memory.settings,
        store=memory.store,
        instances=clerk.instances,
        clock=memory.clock,
        zone=memory.zone,
        version=version("paperclerk"),
        signs=Signs(memory.clock(), processor_silent),
        ring=ring,
        scanners=clerk.scanners,
        examinations=examinations(clerk),
        stopping=stopping,
    )


def web_server(desk: Desk) -> WebServer | None:
    """Take the dashboard's port; None if the owner wants no dashboard. Raise CannotListen."""
    web = desk.settings.daemon.web
    if not web.enabled:
        return None
    return WebServer(build_app(desk, Keeper(desk)), host=web.host, port=web.port)


@dataclass(frozen=True, slots=True)
class Invitation:
    """The link for choosing the first password."""

    link: str | None
    """None if it was printed at an earlier start: only its hash is stored."""
    until: datetime


async def invitation(memory: Memory, *, port: int) -> Invitation | None:
    """Return the link for choosing a password; issue one only if no link is valid.

    Return None if a password is set or not needed.
    """
    settings = memory.settings.daemon.web
    if not settings.login or settings.user_header:
        return None
    if await memory.store.access.password() is not None:
        return None
    link, until = await first_link(memory.store, settings.address(port), now=memory.clock())
    return Invitation(link, until)
