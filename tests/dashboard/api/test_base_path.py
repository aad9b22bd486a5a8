"""Below a path of another site, every address that the API gives leads back to it."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx
import pytest

from daemon.services import Services
from tests.dashboard.api_client import V1, build_rig
from tests.dashboard.conftest import DashboardRig

SHOWN = ("/jobs", "/jobs/1", "/results/1", "/documents/home/1", "/scans", "/scans/1")
STARTED = (("/analyses", {"document": "home/2"}), ("/scans", {"instance": "home"}))
ACCEPTED: tuple[str, dict[str, str]] = ("/review/home/1/accept", {})


def addresses_in(body: Any) -> Iterator[str]:
    """Yield every address in an answer, however deep."""
    parts = body.values() if isinstance(body, dict) else body if isinstance(body, list) else ()
    for part in parts:
        yield from addresses_in(part)
    if isinstance(body, dict) and "address" in body:
        yield body["address"]


@pytest.fixture(params=["/clerk", ""], ids=["passed on", "stripped"])
async def http(
    request: pytest.FixtureRequest,
    services: Services,
    with_base_path: Callable[[DashboardRig, str], DashboardRig],
) -> AsyncIterator[httpx.AsyncClient]:
    """A program behind a proxy that passes the path on, or strips it."""
    async with with_base_path(build_rig(services), "/clerk").client() as client:
        client.base_url = httpx.URL(f"http://clerk{request.param}{V1}")
        yield client


@pytest.mark.usefixtures("reviewed")
async def test_an_address_begins_with_the_path(http: httpx.AsyncClient) -> None:
    shown = [(await http.get(path)).raise_for_status() for path in SHOWN]
    done = [
        (await http.post(path, json=said)).raise_for_status() for path, said in (*STARTED, ACCEPTED)
    ]

    by_answer = [list(addresses_in(answer.json())) for answer in (*shown, *done)]

    assert all(by_answer), "some have no address at all"
    strange = {
        address for some in by_answer for address in some if not address.startswith(f"/clerk{V1}/")
    }
    assert strange == set()


async def test_so_does_where_something_started_is_found(http: httpx.AsyncClient) -> None:
    started = [(await http.post(path, json=said)).raise_for_status() for path, said in STARTED]

    places = [answer.headers["location"] for answer in started]

    assert places == [f"/clerk{V1}/jobs/1", f"/clerk{V1}/scans/1"]


async def test_the_description_says_below_which_path_the_api_is(http: httpx.AsyncClient) -> None:
    described = (await http.get("/openapi.json")).json()

    assert described["servers"] == [{"url": "/clerk"}]
