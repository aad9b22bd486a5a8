"""A person gets a page, a program gets JSON; who is not logged in is sent to the login."""

import pytest

from tests.dashboard.conftest import Room

BROWSER = {"accept": "text/html"}


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "There is no such page."), ("de-DE,de;q=0.9", "Diese Seite gibt es nicht.")],
)
async def test_a_person_is_told_in_their_language(room: Room, language: str, words: str) -> None:
    async with room.client() as client:
        answer = await client.get("/nowhere", headers=BROWSER | {"accept-language": language})

    assert answer.status_code == 404
    assert words in answer.text


@pytest.mark.parametrize("path", ["/api/v1/nowhere", "/metrics/nowhere"])
async def test_a_program_is_told_in_json(room: Room, path: str) -> None:
    async with room.client() as client:
        answer = await client.get(path, headers=BROWSER)

    assert answer.json()["error"]["code"] == "not_found"
