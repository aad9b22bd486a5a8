"""Put the dashboard together with the daemon that it shows."""

from collections.abc import Callable
from datetime import timedelta
from importlib.metadata import version

from starlette.requests import Request

from daemon.wiring import Clerk
from dashboard import Desk, Signs, WebServer, build_app
from dashboard.access import Person


class _Shut:
    """A guard who lets nobody in."""

    async def who(self, request: Request) -> Person | None:
        return None


def web_server(
    clerk: Clerk, *, processor_silent: Callable[[], timedelta], ring: Callable[[], None]
) -> WebServer | None:
    """Take the dashboard's port; None if the owner wants no dashboard. Raise CannotListen."""
    memory = clerk.memory
    web = memory.settings.daemon.web
    if not web.enabled:
        return None
    desk = Desk(
        settings=memory.settings,
        store=memory.store,
        instances=clerk.instances,
        clock=memory.clock,
        zone=memory.zone,
        version=version("paperclerk"),
        signs=Signs(memory.clock(), processor_silent),
        ring=ring,
    )
    return WebServer(build_app(desk, _Shut()), host=web.host, port=web.port)
