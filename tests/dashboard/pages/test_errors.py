"""A person gets a page, a program gets JSON; who is not logged in is sent to the login."""

from pathlib import Path

import httpx
import pytest
from fastapi import Request

from dashboard.auth import Person
from store import StoreUnavailable
from store.engine import FILE_NAME
from tests.dashboard.conftest import DashboardRig, FakeAuthenticator

BROWSER = {"accept": "text/html"}
NAVIGATION = '<nav class="main"'


class Away(FakeAuthenticator):
    """An authenticator that cannot look anybody up."""

    async def authenticate(self, request: Request) -> Person | None:
        raise StoreUnavailable("away")


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "Page not found."), ("de-DE,de;q=0.9", "Seite nicht gefunden.")],
)
async def test_a_person_is_notified_in_their_language(
    rig: DashboardRig, language: str, words: str
) -> None:
    async with rig.client() as client:
        answer = await client.get("/nowhere", headers=BROWSER | {"accept-language": language})

    assert answer.status_code == 404
    assert words in answer.text


@pytest.mark.parametrize("path", ["/api/v1/nowhere", "/metrics/nowhere"])
async def test_a_program_is_answered_in_json(rig: DashboardRig, path: str) -> None:
    async with rig.client() as client:
        answer = await client.get(path, headers=BROWSER)

    assert answer.json()["error"]["code"] == "not_found"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nowhere", 404),
        ("/jobs/1", 404),
        ("/jobs/x", 404),
        ("/pause", 405),
    ],
)
async def test_who_is_known_keeps_the_navigation(
    browser: httpx.AsyncClient, path: str, status: int
) -> None:
    answer = await browser.get(path)

    assert (answer.status_code, NAVIGATION in answer.text) == (status, True)


async def test_who_is_not_known_has_none(rig: DashboardRig) -> None:
    rig.authenticator.person = None

    async with rig.client() as client:
        answer = await client.get("/nowhere", headers=BROWSER)

    assert (answer.status_code, NAVIGATION in answer.text) == (404, False)


async def test_what_is_not_there_is_reported_while_nobody_can_be_looked_up(
    rig: DashboardRig,
) -> None:
    rig.authenticator = Away()

    async with rig.client() as client:
        answer = await client.get("/nowhere", headers=BROWSER)

    assert (answer.status_code, NAVIGATION in answer.text) == (404, False)


@pytest.mark.parametrize(("path", "status"), [("/nowhere", 404), ("/jobs/1", 503)])
async def test_a_database_that_is_away_takes_only_the_navigation_along(
    rig: DashboardRig, tmp_path: Path, path: str, status: int
) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"no database" * 1000)

    async with rig.client() as client:
        answer = await client.get(path, headers=BROWSER)

    assert (answer.status_code, NAVIGATION in answer.text) == (status, False)
