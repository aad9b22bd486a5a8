"""The HTTP client that we build, on real ports of the loopback."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from paperless_client import (
    CertificateUntrusted,
    OutcomeUnknown,
    PaperlessClient,
    PaperlessUnavailable,
    Transport,
    build_http,
)
from tests.paperless_client.conftest import NOW, TOKEN

TLS = Path(__file__).parent / "tls"
CA = TLS / "ca.pem"
MINUTE = timedelta(minutes=1)
PROBE_ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    b"X-Version: 3.0.5\r\nX-Api-Version: 10\r\n"
    b'Content-Length: 52\r\n\r\n{"count":0,"next":null,"previous":null,"results":[]}'
)


@asynccontextmanager
async def a_server(*, tls: ssl.SSLContext | None, heard: list[bytes]) -> AsyncIterator[str]:
    """Answer every request as Paperless answers a probe; keep what was heard."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(PROBE_ANSWER)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    async with server:
        yield f"{'https' if tls else 'http'}://localhost:{port}"


def server_tls() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "server.pem")
    return context


def a_closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def a_client(url: str, http: httpx.AsyncClient) -> PaperlessClient:
    return PaperlessClient(Transport(url, TOKEN, http, clock=lambda: NOW))


async def test_a_private_ca_is_trusted_when_it_is_named() -> None:
    async with (
        a_server(tls=server_tls(), heard=[]) as url,
        build_http(timeout=MINUTE, ca_file=CA, headers={}) as http,
    ):
        server = await a_client(url, http).probe()

    assert server.version == "3.0.5"


async def test_a_private_ca_is_not_trusted_unless_it_is_named() -> None:
    heard: list[bytes] = []

    async with (
        a_server(tls=server_tls(), heard=heard) as url,
        build_http(timeout=MINUTE, ca_file=None, headers={}) as http,
    ):
        with pytest.raises(CertificateUntrusted):
            await a_client(url, http).probe()

    assert heard == []


async def test_headers_for_a_proxy_are_sent_beside_the_token() -> None:
    heard: list[bytes] = []

    async with (
        a_server(tls=None, heard=heard) as url,
        build_http(timeout=MINUTE, ca_file=None, headers={"X-Proxy-Key": "k"}) as http,
    ):
        await a_client(url, http).probe()

    assert b"X-Proxy-Key: k\r\n" in heard[0]
    assert f"Authorization: Token {TOKEN}\r\n".encode() in heard[0]


async def test_a_proxy_in_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{a_closed_port()}")
    heard: list[bytes] = []

    async with (
        a_server(tls=None, heard=heard) as url,
        build_http(timeout=MINUTE, ca_file=None, headers={}) as http,
    ):
        await a_client(url, http).probe()

    assert len(heard) == 1


async def test_a_closed_port_is_an_outage() -> None:
    url = f"http://127.0.0.1:{a_closed_port()}"

    async with build_http(timeout=MINUTE, ca_file=None, headers={}) as http:
        with pytest.raises(PaperlessUnavailable) as caught:
            await a_client(url, http).modify_custom_fields(7, add={2: None}, remove=[])

    assert type(caught.value) is PaperlessUnavailable


async def test_a_connection_cut_after_a_write_leaves_the_outcome_open() -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    async with server, build_http(timeout=MINUTE, ca_file=None, headers={}) as http:
        with pytest.raises(OutcomeUnknown):
            await a_client(url, http).modify_custom_fields(7, add={2: None}, remove=[])


@pytest.mark.parametrize(
    ("timeout", "connect"), [(timedelta(seconds=90), 10.0), (timedelta(seconds=3), 3.0)]
)
async def test_every_wait_has_an_end(timeout: timedelta, connect: float) -> None:
    async with build_http(timeout=timeout, ca_file=None, headers={}) as http:
        waits = http.timeout

    seconds = timeout.total_seconds()
    assert (waits.connect, waits.read, waits.write, waits.pool) == (
        connect,
        seconds,
        seconds,
        seconds,
    )


@pytest.mark.parametrize("name", ["Authorization", "accept"])
def test_headers_that_are_ours_cannot_be_set(name: str) -> None:
    with pytest.raises(ValueError, match=name) as caught:
        build_http(timeout=MINUTE, ca_file=None, headers={name: "geheim"})

    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize("content", [None, "not a certificate"])
def test_a_ca_file_that_is_none_is_named(tmp_path: Path, content: str | None) -> None:
    ca_file = tmp_path / "ca.pem"
    if content is not None:
        ca_file.write_text(content)

    with pytest.raises(ValueError, match=r"ca\.pem"):
        build_http(timeout=MINUTE, ca_file=ca_file, headers={})
