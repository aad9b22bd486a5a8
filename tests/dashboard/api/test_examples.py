"""Every `curl` of the API's reference does what the page says, against a real port."""

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import httpx
import pytest

from core.access import NewToken, Permission
from daemon.services import Services
from dashboard import build_app
from dashboard.auth.account import create_token
from dashboard.auth.sessions import Authenticator
from sandbox import Sandbox
from sandbox.paperless import World, load_world
from tests.dashboard.api_client import build_rig
from tests.dashboard.auth.conftest import serve
from tests.installation import drain, fields_of, home
from tests.pages import page
from tests.waiting import LONG

SERVER = "http://localhost:8484"
JOB, CHANGES = "/jobs/12", "[31, 32]"
"""Numbers on the page; those of the reader, and of this test, are others."""


def examples() -> list[str]:
    """Return the commands of the page, in order."""
    blocks = page("docs/reference/api.md").quotes("")
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    return [line for line in lines if line.startswith("curl ")]


def parsed(command: str) -> Namespace:
    """Read a command as curl would; an option that is not known here fails the test."""
    parser = ArgumentParser(exit_on_error=False)
    parser.add_argument("-H", action="append", default=[])
    parser.add_argument("-d")
    parser.add_argument("-N", action="store_true")
    parser.add_argument("url")
    return parser.parse_args(shlex.split(command)[1:])


@dataclass
class Reader:
    """Types what stands on the page, with a token, a host and numbers of their own."""

    http: httpx.AsyncClient
    url: str
    token: str
    numbers: dict[str, str] = field(default_factory=dict)

    async def types(self, command: str) -> httpx.Response:
        for printed, own in self.numbers.items():
            command = command.replace(printed, own)
        said = parsed(command.replace("$TOKEN", self.token).replace(SERVER, self.url))
        headers = dict(header.split(": ", 1) for header in said.H)
        method = "GET" if said.d is None else "POST"
        async with self.http.stream(method, said.url, headers=headers, content=said.d) as answer:
            # A stream goes on for ever; that it begins is enough.
            if not said.N:
                await answer.aread()
            return answer


@pytest.fixture
def world() -> World:
    world = load_world()
    world.documents = {7: world.documents[7]}
    return world


@pytest.fixture
async def reader(services: Services) -> AsyncIterator[Reader]:
    context = build_rig(services).context
    new = NewToken("reader", Permission.ACT)
    token, _ = await create_token(context.store, new, now=context.clock())
    app = build_app(context, Authenticator(context))
    async with serve(app) as url, httpx.AsyncClient(timeout=LONG) as http:
        yield Reader(http, url, token)


async def test_the_page_has_examples_and_numbers_to_put_in() -> None:
    text = "\n".join(examples())

    assert len(examples()) >= 6
    assert (text.count(JOB), text.count(CHANGES)) == (1, 1)


async def test_what_stands_on_the_page_works_from_top_to_bottom(
    reader: Reader, services: Services, sandbox: Sandbox
) -> None:
    answers: dict[str, int] = {}

    for example in examples():
        answer = await reader.types(example)
        answers[example] = answer.status_code
        if "/analyses" in example:
            await drain(services)
            waiting = await services.store.changes.list_for_review(document=home(7))
            reader.numbers = {
                JOB: f"/jobs/{answer.json()['id']}",
                CHANGES: str([change.id for change in waiting]),
            }
    await drain(services)

    assert {example: code for example, code in answers.items() if code not in {200, 202}} == {}
    assert fields_of(sandbox, 7)["title"] == "Electricity 2026"
