"""What happened in an instance stays to be seen when its settings are taken away."""

import re
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from fastapi.routing import iter_route_contexts

from dashboard import build_app
from scanner.scan import ScanOrder
from tests.dashboard.api_client import V1, build_rig
from tests.dashboard.conftest import DashboardRig, routes_within
from tests.installation import Installation, drain

ENDLESS = ("/events", f"{V1}/events/stream", "/static")
GONE = {"instance": "attic", "name": "attic", "number": "1", "what": "paperless"}


@pytest.fixture
async def rig(installation: Installation) -> AsyncIterator[DashboardRig]:
    """Three letters of the attic were analysed; then its settings were taken away."""
    attic = installation.config / "attic.toml"
    attic.write_text(installation.sandbox.settings(""), encoding="utf-8")
    async with installation.open() as services:
        await services.scanners["attic"].scan(ScanOrder())
        await drain(services)
    attic.unlink()
    async with installation.open() as services:
        yield build_rig(services)


def paths(rig: DashboardRig) -> Iterator[str]:
    """Yield every address that can be looked at, with what was in the attic put in."""
    for route in iter_route_contexts(
        routes_within(build_app(rig.context, rig.authenticator)).routes
    ):
        path = str(route.path)
        if "GET" in (route.methods or ()) and not path.startswith(ENDLESS):
            yield re.sub(r"\{(\w+)\}", lambda part: GONE.get(part[1], "1"), path)


@pytest.mark.parametrize("query", [{}, {"instance": "attic"}], ids=["all", "attic"])
async def test_no_page_fails_for_it(rig: DashboardRig, query: dict[str, str]) -> None:
    async with rig.client() as client:
        answers = {
            path: await client.get(path, params=query, headers={"accept": "text/html"})
            for path in paths(rig)
        }

    assert len(answers) >= 40
    assert {path for path, answer in answers.items() if answer.is_server_error} == set()


@pytest.mark.parametrize("path", ["/jobs/1", f"{V1}/jobs/1", f"{V1}/results/1", "/jobs/1/answers"])
async def test_what_has_an_address_that_stays_is_shown(rig: DashboardRig, path: str) -> None:
    async with rig.client() as client:
        answer: httpx.Response = await client.get(path, headers={"accept": "text/html"})

    assert answer.status_code == 200
    assert "attic" in answer.text or "results" in path
