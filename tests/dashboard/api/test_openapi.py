"""The description of the API is complete and true: whatever it allows is tried."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from dashboard import WebServer, build_app
from sandbox import Sandbox
from sandbox.paperless import load_world
from tests.conftest import LATE
from tests.dashboard.api_client import build_rig
from tests.installation import Installation, drain, scan
from tests.store.builders import FakeClock
from tests.waiting import LONG

DESCRIPTION = "/api/v1/openapi.json"
STREAM = "/api/v1/events/stream"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
A_FEW = settings(
    max_examples=6,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


class Dashboard(threading.Thread):
    """A dashboard in a thread of its own, with three analysed letters behind it."""

    def __init__(self, installation: Installation) -> None:
        super().__init__(daemon=True)
        self._installation = installation
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._address = ""

    def run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        async with self._installation.open() as services:
            await scan(services)
            await drain(services)
            rig = build_rig(services)
            server = WebServer(build_app(rig.context, rig.authenticator), host="127.0.0.1", port=0)
            self._loop, self._stopping = asyncio.get_running_loop(), rig.context.stopping
            self._address = f"http://127.0.0.1:{server.port}"
            self._ready.set()
            await server.serve(rig.context.stopping)

    def address(self) -> str:
        """Return where it is, when it is there."""
        assert self._ready.wait(LONG), "the dashboard did not start"
        return self._address

    def end(self) -> None:
        assert self._loop is not None
        assert self._stopping is not None
        self._loop.call_soon_threadsafe(self._stopping.set)
        self.join(LONG)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[str]:
    world = load_world()
    world.documents = {number: world.documents[number] for number in (1, 2, 3)}
    with Sandbox(world) as sandbox:
        installation = Installation(sandbox, tmp_path_factory.mktemp("office"), FakeClock(LATE))
        installation.copy_database(migrated)
        installation.configure()
        dashboard = Dashboard(installation)
        dashboard.start()
        yield dashboard.address()
        dashboard.end()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=str)
def test_every_route_answers_as_it_is_described(address: str, mode: GenerationMode) -> None:
    described = httpx.get(address + DESCRIPTION, timeout=LONG).json()
    schema = schemathesis.openapi.from_dict(described).exclude(path=STREAM)

    tried = 0
    for result in schema.get_all_operations():
        assert isinstance(result, Ok)
        operation = result.ok()

        @A_FEW
        @given(case=operation.as_strategy(mode))
        def answers_as_described(case: Case[Any]) -> None:
            case.call_and_validate(base_url=address, checks=CHECKS, timeout=LONG)

        # A route that takes nothing cannot be asked wrongly.
        with suppress(Unsatisfiable):
            answers_as_described()
        tried += 1

    assert tried >= 39


def test_every_error_has_the_one_shape(address: str) -> None:
    described = httpx.get(address + DESCRIPTION, timeout=LONG).json()

    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            for status, answer in operation["responses"].items():
                if path != "/health" and int(status) >= 400:
                    [content] = answer["content"].values()
                    shape = content["schema"]["$ref"]
                    assert shape.endswith("/ErrorAnswer"), (method, path, status)


def test_every_route_of_the_api_says_how_to_be_known(address: str) -> None:
    described = httpx.get(address + DESCRIPTION, timeout=LONG).json()

    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            known = path == "/health" or {"401", "403"} <= operation["responses"].keys()
            assert known, (method, path)
            assert operation["description"], (method, path)
