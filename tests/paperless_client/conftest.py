"""A scripted Paperless of either version, and our client in front of it."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
import respx

from paperless_client import PaperlessClient, Transport
from tests.paperless_client.recorded import API_OF, INVALID_VERSION, URL, Json, signed

TOKEN = "0123456789abcdef0123456789abcdef01234567"
NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


class ScriptedPaperless:
    """Answers as scripted, and records the requests."""

    def __init__(self, version: str) -> None:
        self.version = version
        self.router = respx.Router(assert_all_called=False)
        if API_OF[version] == 9:
            self.router.route(headers={"Accept": "application/json; version=10"}).respond(
                406, json=INVALID_VERSION
            )

    def on(self, method: str, path: str, *answers: httpx.Response | Exception) -> None:
        """Script the answers to requests for `path`, one after another."""
        self.router.route(method=method, path=f"/api/{path}").mock(side_effect=list(answers))

    def says(self, method: str, path: str, body: object, *, status: int = 200) -> None:
        self.on(method, path, signed(status, body, version=self.version))

    @property
    def requests(self) -> list[httpx.Request]:
        """The requests, without those in an unsupported API version."""
        return [
            call.request
            for call in self.router.calls
            if call.optional_response is None or call.response.status_code != 406
        ]

    @property
    def request(self) -> httpx.Request:
        """The only request."""
        (request,) = self.requests
        return request


def params_of(request: httpx.Request) -> dict[str, str]:
    return dict(request.url.params)


def body_of(request: httpx.Request) -> Json:
    body: dict[str, Any] = json.loads(request.content)
    return body


@pytest.fixture(params=list(API_OF))
def paperless(request: pytest.FixtureRequest) -> ScriptedPaperless:
    return ScriptedPaperless(request.param)


@pytest.fixture
async def transport(paperless: ScriptedPaperless) -> AsyncIterator[Transport]:
    transport = httpx.MockTransport(paperless.router.async_handler)
    async with httpx.AsyncClient(transport=transport) as http:
        yield Transport(URL, TOKEN, http, clock=lambda: NOW)


@pytest.fixture
def client(transport: Transport) -> PaperlessClient:
    return PaperlessClient(transport)
