"""What is too long is not read."""

from collections.abc import AsyncIterator

from dashboard.bodies import LONGEST
from tests.dashboard.conftest import Room


async def parts(total: int) -> AsyncIterator[bytes]:
    yield b"password="
    for _ in range(total // 1024):
        yield b"x" * 1024


async def test_a_form_that_never_ends_is_refused(room: Room) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}

    async with room.client() as client:
        answer = await client.post("/login", content=parts(2 * LONGEST), headers=form)

    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_long")


async def test_an_ordinary_form_is_not(room: Room) -> None:
    async with room.client() as client:
        answer = await client.post("/login", data={"password": "x" * 1000})

    assert answer.status_code == 403
