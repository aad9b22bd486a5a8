"""No test reaches beyond this machine, whatever it uses to get there."""

import socket

import httpx
import httpx2
import pytest

from tests.conftest import is_local


@pytest.mark.parametrize(
    ("host", "near"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("localhost", True),
        ("192.0.2.1", False),
        ("10.0.0.1", False),
        ("2001:db8::1", False),
        ("paperless.example", False),
    ],
)
def test_near_is_what_cannot_leave_the_machine(host: str, *, near: bool) -> None:
    assert is_local(host) is near


@pytest.mark.parametrize("client", [httpx.AsyncClient, httpx2.AsyncClient])
async def test_a_client_that_wants_to_leave_the_machine_is_stopped(
    client: type[httpx.AsyncClient] | type[httpx2.AsyncClient],
) -> None:
    refused = pytest.RaisesExc(AssertionError, match=r"connects to 192\.0\.2\.1")

    async with client(trust_env=False) as http:
        with pytest.RaisesGroup(refused, flatten_subgroups=True):
            await http.get("http://192.0.2.1/")


def test_so_is_a_bare_socket() -> None:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as bare,
        pytest.raises(AssertionError, match=r"connects to 192\.0\.2\.1"),
    ):
        bare.sendto(b"hello", ("192.0.2.1", 9))
