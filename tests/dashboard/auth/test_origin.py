"""From where and how a visitor came, and who is believed about it."""

import pytest
from starlette.requests import Request

from dashboard.auth.origin import TrustedProxies

PROXY, STRANGER = "172.18.0.5", "198.51.100.7"
PROXIES = TrustedProxies(["172.18.0.0/16", "fd00::/8"])


def request(peer: str | None, **headers: str) -> Request:
    named = {name.replace("_", "-"): value for name, value in ({"host": "clerk"} | headers).items()}
    return Request(
        {
            "type": "http",
            "scheme": "http",
            "server": ("clerk", 80),
            "path": "/",
            "query_string": b"",
            "client": None if peer is None else (peer, 4711),
            "headers": [(name.encode(), value.encode()) for name, value in named.items()],
        }
    )


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        (STRANGER, "", STRANGER),
        (STRANGER, "203.0.113.1", STRANGER),
        (PROXY, "", PROXY),
        (PROXY, "203.0.113.1", "203.0.113.1"),
        (PROXY, "203.0.113.1, 172.18.0.9", "203.0.113.1"),
        (PROXY, "10.0.0.1, 203.0.113.1", "203.0.113.1"),
        (PROXY, "203.0.113.1, rubbish", PROXY),
        (PROXY, "203.0.113.1:4711", "203.0.113.1"),
        (PROXY, "[2001:db8::1]:4711", "2001:db8::/64"),
        (PROXY, "2001:db8::1", "2001:db8::/64"),
        ("::ffff:172.18.0.5", "203.0.113.1", "203.0.113.1"),
        ("2001:db8:1:2:3::4", "", "2001:db8:1:2::/64"),
        ("::1", "", "::1"),
        (None, "203.0.113.1", "unknown"),
        ("a socket", "203.0.113.1", "unknown"),
    ],
)
def test_the_address_is_the_last_that_someone_trusted_saw(
    peer: str | None, forwarded: str, address: str
) -> None:
    arrival = PROXIES.read_client(request(peer, x_forwarded_for=forwarded))

    assert arrival.address == address


@pytest.mark.parametrize(
    ("peer", "proto", "scheme"),
    [
        (PROXY, "https", "https"),
        (PROXY, "HTTPS", "https"),
        (PROXY, "https, http", "https"),
        (PROXY, "http", "http"),
        (PROXY, "", "http"),
        (STRANGER, "https", "http"),
    ],
)
def test_tls_is_believed_from_a_trusted_proxy_alone(peer: str, proto: str, scheme: str) -> None:
    arrival = PROXIES.read_client(request(peer, x_forwarded_proto=proto))

    assert arrival.is_secure is (scheme == "https")


@pytest.mark.parametrize(
    ("peer", "host"), [(PROXY, "clerk.example"), (STRANGER, "clerk")], ids=["proxy", "stranger"]
)
def test_so_is_the_name_by_which_we_were_called(peer: str, host: str) -> None:
    arrival = PROXIES.read_client(request(peer, x_forwarded_host="Clerk.Example, inner"))

    assert arrival.host == host


def test_by_proxy_and_from_here_are_told_apart() -> None:
    ways = {
        peer: PROXIES.read_client(request(peer)) for peer in (PROXY, "127.0.0.1", "::1", STRANGER)
    }

    assert {peer: (way.by_proxy, way.from_here) for peer, way in ways.items()} == {
        PROXY: (True, False),
        "127.0.0.1": (False, True),
        "::1": (False, True),
        STRANGER: (False, False),
    }
