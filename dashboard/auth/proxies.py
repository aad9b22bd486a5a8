"""The client of a request; only trusted proxies' forwarded headers are used."""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from starlette.requests import HTTPConnection, Request

Address = IPv4Address | IPv6Address

_UNKNOWN = "unknown"
_IPV6_PREFIX = 64
"""Length of the prefix that one subscriber has; all addresses below it count as one."""


@dataclass(frozen=True, slots=True)
class ClientInfo:
    """Where a request came from, and how."""

    address: str
    """The client's address, as far as known; of an IPv6 address, its /64 network."""
    host: str
    """The host name and port that the client requested."""
    is_secure: bool
    """Whether it used TLS, to us or to a trusted proxy."""
    by_proxy: bool
    """Whether it came through a trusted proxy."""
    from_here: bool
    """Whether the connection was made from this machine."""


class TrustedProxies:
    """The proxies whose forwarded headers are trusted."""

    def __init__(self, networks: Iterable[str]) -> None:
        self._networks = tuple(ip_network(network) for network in networks)

    def read_client(self, request: HTTPConnection) -> ClientInfo:
        """Return the client of a request; forwarded headers of untrusted peers are ignored."""
        peer = _parse_address(request.client.host if request.client else "")
        trusted = peer is not None and self._trusts(peer)
        forwarded = request.headers if trusted else {}
        client = self._find_client(peer, forwarded.get("x-forwarded-for", ""))
        scheme = _first(forwarded.get("x-forwarded-proto", "")) or request.url.scheme
        host = _first(forwarded.get("x-forwarded-host", "")) or request.headers.get("host", "")
        return ClientInfo(
            address=_address_text(client),
            host=host.lower(),
            is_secure=scheme.lower() == "https",
            by_proxy=trusted,
            from_here=peer is not None and peer.is_loopback,
        )

    def _find_client(self, peer: Address | None, forwarded_for: str) -> Address | None:
        """Return the first address, from the nearest hop on, that is not a trusted proxy."""
        client = peer
        for hop in reversed(forwarded_for.split(",") if forwarded_for else []):
            before = _parse_address(hop.strip())
            if before is None:
                break
            client = before
            if not self._trusts(before):
                break
        return client

    def _trusts(self, address: Address) -> bool:
        return any(address in network for network in self._networks)


def is_secure(request: Request) -> bool:
    """Return whether a request came by TLS: then its cookies must be secure."""
    proxies: TrustedProxies = request.app.state.proxies
    return proxies.read_client(request).is_secure


def _parse_address(text: str) -> Address | None:
    try:
        address = ip_address(_without_port(text))
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _without_port(text: str) -> str:
    """Remove the port that some proxies add: 192.0.2.1:4711, [2001:db8::1]:4711."""
    if text.startswith("["):
        return text[1:].partition("]")[0]
    host, _, port = text.partition(":")
    return host if port.isdecimal() and "." in host else text


def _address_text(address: Address | None) -> str:
    if isinstance(address, IPv6Address) and not address.is_loopback:
        return str(ip_network((address, _IPV6_PREFIX), strict=False))
    return _UNKNOWN if address is None else str(address)


def _first(listed: str) -> str:
    """Return the first value of a list: that of the outermost proxy."""
    return listed.partition(",")[0].strip()
