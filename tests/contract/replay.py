"""Replay recorded cases: initial state, requests, and the responses of the real Paperless."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import httpx
from pydantic import BaseModel, ConfigDict, Field

from sandbox.paperless import V2, V3, Paperless, Release, World
from tests.contract.archive import archive, change

CASES = Path(__file__).parent / "cases"
RELEASES: Mapping[str, Release] = {"v2": V2, "v3": V3}
ADDRESSES = {"v2": "http://127.0.0.1:8002", "v3": "http://127.0.0.1:8003"}


class _Strict(BaseModel):
    """A table of a case file; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Expected(_Strict):
    """The expected parts of a response; None is not compared."""

    status: int = 200
    headers: Mapping[str, str | None] = Field(default_factory=dict)
    """Required headers and their values; null for a header that must be missing."""
    body: object = None
    """The whole JSON body."""
    part: Mapping[str, object] | None = None
    """Some keys of the JSON, with their values."""
    keys: frozenset[str] | None = None
    """All keys of the JSON."""
    ids: tuple[int, ...] | None = None
    """The ids of a list, in their order."""
    length: int | None = None
    """The number of results on this page of a list."""
    text: str | None = None
    """A part of the text."""


class Step(_Strict):
    """A request and its answer."""

    method: str = "GET"
    path: str
    who: str | None = Field(default="admin", alias="as")
    json_: object = Field(default=None, alias="json")
    raw: str | None = None
    form: Mapping[str, str] | None = None
    headers: Mapping[str, str] = Field(default_factory=dict)
    expect: Expected


class Case(Step):
    """One recorded behaviour of one or both releases."""

    name: str
    servers: tuple[Literal["v2", "v3"], ...] = ("v2", "v3")
    given: Mapping[str, object] = Field(default_factory=dict)
    then: tuple[Step, ...] = ()
    """Further requests that show the effect of the first one."""


def load_cases() -> list[tuple[str, Case]]:
    """Load each case, once for each of its releases."""
    return [
        (server, case)
        for file in sorted(CASES.glob("*.json"))
        for case in map(Case.model_validate, json.loads(file.read_text("utf-8")))
        for server in case.servers
    ]


async def replay(server: str, case: Case) -> list[tuple[Step, httpx.Response]]:
    """Send the recorded requests to the sandbox, in the initial state of the case."""
    world = archive(RELEASES[server])
    change(world, case.given)
    transport = httpx.ASGITransport(Paperless(world))
    async with httpx.AsyncClient(transport=transport, base_url=ADDRESSES[server]) as http:
        return [(step, await _ask(http, world, step)) for step in (case, *case.then)]


async def _ask(http: httpx.AsyncClient, world: World, step: Step) -> httpx.Response:
    token = {"Authorization": f"Token {world.users[step.who].token}"} if step.who else {}
    return await http.request(
        step.method,
        step.path,
        headers={**token, **step.headers},
        json=step.json_,
        content=step.raw,
        data=dict(step.form) if step.form else None,
    )
