"""The one HTTP transport, with answers scripted as recorded."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Literal

import httpx
import pytest

from core.messages import plain
from paperless_client import (
    NotPaperless,
    OutcomeUnknown,
    PaperlessError,
    PaperlessUnavailable,
    TokenRefused,
    Transport,
    VersionUnsupported,
)
from paperless_client.requests import Request
from tests.paperless_client.conftest import NOW, TOKEN, ScriptedPaperless
from tests.paperless_client.recorded import (
    INVALID_VERSION,
    URL,
    login_redirect,
    signed,
    unsigned_page,
)

Handler = Callable[[httpx.Request], httpx.Response]
READ = Request("GET", "documents/7/", plain("read document 7"), "view_document", document=7)
WRITE = Request(
    "PATCH",
    "documents/7/",
    plain("change document 7"),
    "change_document",
    body={"title": "x"},
    document=7,
)


def a_transport(
    handler: Handler, *, url: str = URL, token: str = TOKEN, **options: timedelta
) -> Transport:
    http = httpx.AsyncClient(transport=httpx.MockTransport(handler))
    return Transport(url, token, http, clock=lambda: NOW, **options)


def speaks(*versions: int, asked: list[str]) -> Handler:
    """Answer requests in these API versions only, and keep what was asked for."""

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers["accept"].partition("version=")[2])
        known = int(asked[-1]) in versions
        return signed(200, {}) if known else httpx.Response(406, json=INVALID_VERSION)

    return answer


async def test_a_request_carries_token_version_and_values(
    paperless: ScriptedPaperless, transport: Transport
) -> None:
    paperless.says("PATCH", "documents/7/", {})

    await transport.send(WRITE)

    request = paperless.request
    assert str(request.url) == f"{URL}/api/documents/7/"
    assert request.headers["authorization"] == f"Token {TOKEN}"
    assert request.headers["accept"].startswith("application/json; version=")
    assert request.content == b'{"title":"x"}'


async def test_a_plus_in_a_time_is_escaped(
    paperless: ScriptedPaperless, transport: Transport
) -> None:
    paperless.says("GET", "documents/", {})
    params = {"modified__gte": "2026-11-16T01:05:45.574922+01:00"}

    await transport.send(
        Request("GET", "documents/", plain("list"), "view_document", params=params)
    )

    assert b"45.574922%2B01" in paperless.request.url.query


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("http://paperless:8000", "http://paperless:8000/api/documents/7/"),
        ("http://paperless:8000/", "http://paperless:8000/api/documents/7/"),
        (
            " https://docs.example.org/paperless// ",
            "https://docs.example.org/paperless/api/documents/7/",
        ),
        ("https://docs.example.org/a?b=c#d", "https://docs.example.org/a/api/documents/7/"),
    ],
)
async def test_the_address_may_have_a_path_and_slashes(url: str, asked: str) -> None:
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(str(request.url))
        return signed(200, {})

    await a_transport(answer, url=url).send(READ)

    assert seen == [asked]


@pytest.mark.parametrize(
    "url",
    [
        "",
        "paperless:8000",
        "ftp://paperless",
        "http://",
        "http://paperless:port",
        "docs.example.org",
    ],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="address of a Paperless"):
        a_transport(lambda _: signed(200, {}), url=url)


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(ValueError, match="user name or password") as caught:
        a_transport(lambda _: signed(200, {}), url="https://max:geheim@docs.example.org")

    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize("token", ["", "  \n", "two words", "tökén", "tab\tbed"])
def test_a_token_that_no_header_can_carry_is_refused_at_once(token: str) -> None:
    with pytest.raises(TokenRefused, match="the token") as caught:
        a_transport(lambda _: signed(200, {}), token=token)

    assert not token.strip() or token not in str(caught.value)


async def test_a_line_break_after_the_token_does_no_harm(paperless: ScriptedPaperless) -> None:
    paperless.says("GET", "documents/7/", {})
    transport = httpx.MockTransport(paperless.router.async_handler)
    http = httpx.AsyncClient(transport=transport)

    await Transport(URL, f"{TOKEN}\n", http, clock=lambda: NOW).send(READ)

    assert paperless.request.headers["authorization"] == f"Token {TOKEN}"


@pytest.mark.parametrize(
    ("versions", "first", "then"),
    [
        ((9, 10), ["10"], ["10"]),
        ((9,), ["10", "9"], ["9"]),
    ],
)
async def test_the_version_that_works_is_remembered(
    versions: tuple[int, ...], first: list[str], then: list[str]
) -> None:
    asked: list[str] = []
    transport = a_transport(speaks(*versions, asked=asked))

    await transport.send(READ)
    assert asked == first
    asked.clear()

    await transport.send(WRITE)
    assert asked == then


async def test_a_server_may_change_its_version_under_way() -> None:
    asked: list[str] = []
    known = [9]

    def answer(request: httpx.Request) -> httpx.Response:
        return speaks(*known, asked=asked)(request)

    transport = a_transport(answer)
    await transport.send(READ)
    known[:] = [10]
    asked.clear()

    await transport.send(READ)

    assert asked == ["9", "10"]


async def test_a_slow_refusal_finds_the_version_that_another_request_has_learned() -> None:
    arrived, learned = asyncio.Event(), asyncio.Event()

    async def answer(request: httpx.Request) -> httpx.Response:
        if "version=9" in request.headers["accept"]:
            return signed(200, {})
        if not arrived.is_set():
            arrived.set()
            await learned.wait()
        return httpx.Response(406, json=INVALID_VERSION)

    http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    transport = Transport(URL, TOKEN, http, clock=lambda: NOW)
    slow = asyncio.create_task(transport.send(READ))
    await arrived.wait()
    await transport.send(READ)
    learned.set()

    assert (await slow).status_code == 200


async def test_a_server_that_speaks_no_version_of_ours_is_not_supported() -> None:
    asked: list[str] = []

    with pytest.raises(VersionUnsupported, match="none of the API versions 10, 9") as caught:
        await a_transport(speaks(8, asked=asked)).send(READ)

    assert asked == ["10", "9"]
    assert caught.value.status == 406


async def test_a_firewall_that_says_406_is_not_taken_for_an_old_paperless() -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return unsigned_page(406, "<html>Not Acceptable</html>")

    with pytest.raises(NotPaperless):
        await a_transport(answer).send(READ)


async def test_a_redirect_is_not_followed() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return login_redirect("documents/7/")

    http = httpx.AsyncClient(transport=httpx.MockTransport(answer), follow_redirects=True)

    with pytest.raises(NotPaperless, match=r"a redirect to .*/accounts/login/$"):
        await Transport(URL, TOKEN, http, clock=lambda: NOW).send(READ)

    assert asked == ["/api/documents/7/"]


@pytest.mark.parametrize(
    ("header", "wait"),
    [("34", timedelta(seconds=34)), ("Mon, 16 Nov 2026 12:02:00 GMT", timedelta(minutes=2))],
)
async def test_a_busy_server_says_when_to_come_back(header: str, wait: timedelta) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(429, json={"detail": "..."}, headers={"Retry-After": header})

    with pytest.raises(PaperlessUnavailable) as caught:
        await a_transport(answer).send(WRITE)

    assert type(caught.value) is PaperlessUnavailable
    assert caught.value.retry_after == wait


@pytest.mark.parametrize(
    ("lost", "read", "write"),
    [
        (httpx.ConnectError("refused"), PaperlessUnavailable, PaperlessUnavailable),
        (httpx.ConnectTimeout(""), PaperlessUnavailable, PaperlessUnavailable),
        (httpx.PoolTimeout(""), PaperlessUnavailable, PaperlessUnavailable),
        (httpx.ReadTimeout(""), PaperlessUnavailable, OutcomeUnknown),
        (httpx.WriteTimeout(""), PaperlessUnavailable, OutcomeUnknown),
        (httpx.ReadError("reset"), PaperlessUnavailable, OutcomeUnknown),
        (httpx.RemoteProtocolError("cut off"), PaperlessUnavailable, OutcomeUnknown),
        (httpx.DecodingError("bad gzip"), PaperlessUnavailable, OutcomeUnknown),
    ],
)
@pytest.mark.parametrize("method", ["read", "write"])
async def test_a_write_that_was_sent_may_have_taken_effect_and_one_that_was_not_has_not(
    lost: Exception,
    read: type[PaperlessError],
    write: type[PaperlessError],
    method: Literal["read", "write"],
) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        raise lost

    with pytest.raises(PaperlessError, match=type(lost).__name__) as caught:
        await a_transport(answer).send(READ if method == "read" else WRITE)

    assert type(caught.value) is (read if method == "read" else write)
    assert caught.value.document == 7
    assert caught.value.status is None
    assert URL in str(caught.value)
    assert TOKEN not in str(caught.value)


async def test_an_answer_that_trickles_for_ever_has_an_end() -> None:
    async def answer(_: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    transport = Transport(URL, TOKEN, http, clock=lambda: NOW, deadline=timedelta(0))

    with pytest.raises(OutcomeUnknown, match="TimeoutError"):
        await transport.send(WRITE)


async def test_the_clock_is_asked_when_the_answer_is_there() -> None:
    times = iter([datetime(2026, 11, 16, 12, 1, tzinfo=UTC)])

    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(503, headers={"Retry-After": "Mon, 16 Nov 2026 12:02:00 GMT"})

    http = httpx.AsyncClient(transport=httpx.MockTransport(answer))

    with pytest.raises(PaperlessUnavailable) as caught:
        await Transport(URL, TOKEN, http, clock=lambda: next(times)).send(READ)

    assert caught.value.retry_after == timedelta(minutes=1)


async def test_requests_are_counted_once_each_by_how_they_ended() -> None:
    paperless = a_transport(speaks(9, asked=[]))
    await paperless.send(READ)
    missing = a_transport(lambda _: signed(404, {}))
    with pytest.raises(PaperlessError) as caught:
        await missing.send(READ)

    assert {name: timing.requests for name, timing in paperless.timing.by_outcome().items()} == {
        "ok": 1
    }
    assert list(missing.timing.by_outcome()) == [caught.value.code]
