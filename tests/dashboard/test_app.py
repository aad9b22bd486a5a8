"""What holds for every answer: safe headers, one shape of errors, a path of one's own."""

from collections.abc import Callable

import pytest
from fastapi import Request

from dashboard.auth import Person
from tests.dashboard.conftest import DashboardRig, FakeAuthenticator


class Confused(FakeAuthenticator):
    """An authenticator that fails."""

    async def authenticate(self, request: Request) -> Person | None:
        raise RuntimeError


@pytest.mark.parametrize(
    ("path", "accept", "status"),
    [
        ("/health", "*/*", 200),
        ("/nothing", "*/*", 404),
        ("/nothing", "text/html", 500),
        ("/api/v1/nothing", "*/*", 404),
        ("/", "text/html", 500),
        ("/api/v1/jobs", "*/*", 500),
    ],
)
async def test_every_answer_forbids_what_we_did_not_write(
    rig: DashboardRig, path: str, accept: str, status: int
) -> None:
    rig.authenticator = Confused()

    async with rig.client() as client:
        answer = await client.get(path, headers={"accept": accept})

    assert answer.status_code == status
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


async def test_what_is_not_there_is_reported_in_the_one_shape(rig: DashboardRig) -> None:
    async with rig.client() as client:
        answer = await client.get("/api/v1/nothing")

    assert answer.status_code == 404
    assert answer.json() == {"error": {"code": "not_found", "message": "Not Found"}}


@pytest.mark.parametrize("path", ["/clerk/health", "/health"])
async def test_a_proxy_may_pass_the_path_on_or_strip_it(
    rig: DashboardRig, with_base_path: Callable[[DashboardRig, str], DashboardRig], path: str
) -> None:
    async with with_base_path(rig, "/clerk").client() as client:
        answer = await client.get(path)

    assert answer.status_code == 200


TLS = {"x-forwarded-proto": "https", "x-forwarded-host": "papers.example", "accept": "text/html"}


async def test_the_path_itself_leads_to_the_first_page_and_to_no_other_host(
    rig: DashboardRig, with_base_path: Callable[[DashboardRig, str], DashboardRig]
) -> None:
    async with with_base_path(rig, "/clerk").client() as client:
        answer = await client.get("/clerk?language=de", headers=TLS)

    assert (answer.status_code, answer.headers["location"]) == (307, "/clerk/?language=de")


@pytest.mark.parametrize(
    ("base_path", "asked"),
    [("", ""), ("/clerk", "/clerk"), ("/clerk", "")],
    ids=["none", "passed on", "stripped"],
)
@pytest.mark.parametrize("path", ["/", "/review/", "/history//", "/api/v1/jobs/"])
async def test_a_slash_at_the_end_of_an_address_does_no_harm(
    rig: DashboardRig,
    with_base_path: Callable[[DashboardRig, str], DashboardRig],
    base_path: str,
    asked: str,
    path: str,
) -> None:
    async with with_base_path(rig, base_path).client() as client:
        answer = await client.get(asked + path, headers=TLS)

    assert answer.status_code == 200
