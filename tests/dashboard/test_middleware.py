"""What is too long is not read."""

from collections.abc import AsyncIterator, Callable

import pytest

from dashboard.middleware import MAX_BODY, MAX_BODY_BEFORE_LOGIN
from tests.dashboard.conftest import DashboardRig

FORM = {"content-type": "application/x-www-form-urlencoded"}


async def parts(total: int) -> AsyncIterator[bytes]:
    yield b"password="
    for _ in range(total // 1024):
        yield b"x" * 1024


async def test_a_form_that_never_ends_is_refused(rig: DashboardRig) -> None:
    async with rig.client() as client:
        answer = await client.post("/login", content=parts(2 * MAX_BODY), headers=FORM)

    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_long")


@pytest.mark.parametrize(("size", "status"), [(MAX_BODY_BEFORE_LOGIN, 413), (24_000, 403)])
@pytest.mark.parametrize("path", ["/login", "/login/", "/clerk/login"])
async def test_before_the_login_a_form_is_short(
    rig: DashboardRig,
    with_base_path: Callable[[DashboardRig, str], DashboardRig],
    path: str,
    size: int,
    status: int,
) -> None:
    async with with_base_path(rig, "/clerk").client() as client:
        answer = await client.post(path, data={"password": "x" * size})

    assert answer.status_code == status


async def test_a_form_that_announces_too_much_is_not_read_at_all(rig: DashboardRig) -> None:
    announced = {"content-length": str(MAX_BODY_BEFORE_LOGIN + 1)}

    async with rig.client() as client:
        answer = await client.post("/login", content=never(), headers=FORM | announced)

    assert answer.status_code == 413


async def never() -> AsyncIterator[bytes]:
    raise AssertionError("the body was read")
    yield b""


async def test_an_ordinary_form_is_not(rig: DashboardRig) -> None:
    async with rig.client() as client:
        answer = await client.post("/login", data={"password": "x" * 1000})

    assert answer.status_code == 403
