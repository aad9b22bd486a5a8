"""Serve the dashboard of a store in a separate process, with the time of each response."""

import argparse
import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from benchmarks.pages_fill import FilledStore
from daemon.cli.arguments import Options
from daemon.context import open_context
from daemon.services import open_services
from dashboard import AppContext, Liveness, WebServer, build_app
from dashboard.auth.sessions import Authenticator

TIME_HEADER = "x-took-ms"
"""Header with the milliseconds from the request to the start of the response."""


class TimingMiddleware:
    """Adds the time until the app starts its response; a page is rendered by then."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = perf_counter()

        async def timed(message: Message) -> None:
            if message["type"] == "http.response.start":
                took = f"{(perf_counter() - began) * 1000:.3f}"
                message["headers"] = [*message["headers"], (TIME_HEADER.encode(), took.encode())]
            await send(message)

        await self._app(scope, receive, timed)


async def serve(options: Options, stop: asyncio.Event) -> None:
    """Serve the dashboard without the rest of the daemon, and print its address."""
    async with (
        open_context(options) as memory,
        open_services(memory, memory.select_instances(None)) as services,
    ):
        context = AppContext(
            settings=memory.settings,
            store=memory.store,
            instances=services.instances,
            clock=memory.clock,
            zone=memory.zone,
            version="measured",
            liveness=Liveness(memory.clock(), timedelta),
            wake=lambda: None,
            scanners=services.scanners,
            stopping=stop,
        )
        server = WebServer(
            TimingMiddleware(build_app(context, Authenticator(context))), host="127.0.0.1", port=0
        )
        sys.stdout.write(json.dumps(f"http://127.0.0.1:{server.port}") + "\n")
        sys.stdout.flush()
        await server.serve(stop)


@contextmanager
def running_pages(filled: FilledStore) -> Iterator[str]:
    """Start a dashboard on a store and yield its address."""
    where = (str(filled.options.config), str(filled.options.data))
    command = (sys.executable, "-m", "benchmarks.pages_server", *where)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        try:
            yield json.loads(process.stdout.readline())
        finally:
            # The process ends at the end of its input.
            process.stdin.close()


async def _main(options: Options) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin, stop.set)
    await serve(options, stop)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=Path)
    parser.add_argument("data", type=Path)
    given = parser.parse_args()
    with suppress(KeyboardInterrupt):
        asyncio.run(_main(Options(given.config, given.data, log_at_least="critical")))


if __name__ == "__main__":
    main()
