"""Recognizing a Paperless without credentials, and the token for a password."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest
import respx

from paperless_client import (
    Login,
    LoginRefused,
    MfaCodeRefused,
    MfaCodeRequired,
    NotPaperless,
    PaperlessUnavailable,
    build_http,
    request_token,
    require_paperless,
)
from sandbox import Sandbox

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
ADMIN = Login("admin", "admin-password")
MISSING = {"detail": "Authentication credentials were not provided."}


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with build_http(timeout=timedelta(seconds=30), ca_file=None, headers={}) as client:
        yield client


async def test_a_paperless_is_recognized_without_credentials(
    sandbox: Sandbox, http: httpx.AsyncClient
) -> None:
    await require_paperless(sandbox.url, http)


async def test_a_model_server_is_not_a_paperless(sandbox: Sandbox, http: httpx.AsyncClient) -> None:
    with pytest.raises(NotPaperless):
        await require_paperless(sandbox.model.base_url, http)


async def test_a_closed_port_is_unreachable(http: httpx.AsyncClient) -> None:
    with pytest.raises(PaperlessUnavailable, match=r"no answer from http://127\.0\.0\.1:1/"):
        await require_paperless("http://127.0.0.1:1", http)


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(401, json=MISSING, headers={"WWW-Authenticate": 'Basic realm="proxy"'}),
        httpx.Response(302, headers={"Location": "https://login.example.org/"}),
        httpx.Response(200, html="<h1>It works</h1>"),
        httpx.Response(404),
    ],
    ids=["another login", "a redirect", "a page", "nothing"],
)
async def test_another_server_is_not_a_paperless(
    answer: httpx.Response, http: httpx.AsyncClient
) -> None:
    with respx.mock(base_url="http://other.test") as router:
        router.get("/api/documents/").mock(return_value=answer)

        with pytest.raises(NotPaperless):
            await require_paperless("http://other.test", http)


async def test_a_paperless_that_logs_in_everyone_is_recognized_by_its_version(
    http: httpx.AsyncClient,
) -> None:
    with respx.mock(base_url="http://open.test") as router:
        router.get("/api/documents/").respond(200, json={}, headers={"X-Version": "3.0.5"})

        await require_paperless("http://open.test", http)


async def test_a_token_is_issued_for_a_password(sandbox: Sandbox, http: httpx.AsyncClient) -> None:
    token = await request_token(sandbox.url, ADMIN, http, now=NOW)

    assert token == sandbox.world.users["admin"].token


async def test_a_wrong_password_is_refused(sandbox: Sandbox, http: httpx.AsyncClient) -> None:
    with pytest.raises(LoginRefused) as caught:
        await request_token(sandbox.url, Login("admin", "wrong"), http, now=NOW)

    assert type(caught.value) is LoginRefused
    assert str(caught.value) == "Paperless rejected the user name or the password."
    assert "wrong" not in str(caught.value)


@pytest.mark.parametrize(("code", "kind"), [("", MfaCodeRequired), ("000000", MfaCodeRefused)])
async def test_a_second_factor_is_asked_for_and_checked(
    sandbox: Sandbox, http: httpx.AsyncClient, code: str, kind: type[LoginRefused]
) -> None:
    sandbox.world.users["admin"].mfa_code = "123456"
    login = Login("admin", "admin-password", code)

    with pytest.raises(kind):
        await request_token(sandbox.url, login, http, now=NOW)


async def test_a_token_is_issued_for_the_right_code(
    sandbox: Sandbox, http: httpx.AsyncClient
) -> None:
    sandbox.world.users["admin"].mfa_code = "123456"
    login = Login("admin", "admin-password", "123456")

    token = await request_token(sandbox.url, login, http, now=NOW)

    assert token == sandbox.world.users["admin"].token


async def test_too_many_logins_have_to_wait(sandbox: Sandbox, http: httpx.AsyncClient) -> None:
    for _ in range(5):
        with pytest.raises(LoginRefused):
            await request_token(sandbox.url, Login("admin", "wrong"), http, now=NOW)

    with pytest.raises(PaperlessUnavailable) as caught:
        await request_token(sandbox.url, ADMIN, http, now=NOW)

    wait = caught.value.retry_after
    assert wait is not None
    assert timedelta(0) < wait <= timedelta(minutes=1)


@pytest.mark.parametrize("body", ["<h1>Welcome</h1>", '{"token": ""}', "[]"])
async def test_an_answer_without_a_token_is_not_from_a_paperless(
    http: httpx.AsyncClient, body: str
) -> None:
    with respx.mock(base_url="http://other.test") as router:
        router.post("/api/token/").respond(200, text=body)

        with pytest.raises(NotPaperless):
            await request_token("http://other.test", ADMIN, http, now=NOW)


def test_a_login_does_not_show_its_secrets() -> None:
    shown = repr(Login("admin", "admin-password", "123456"))

    assert "admin-password" not in shown
    assert "123456" not in shown
