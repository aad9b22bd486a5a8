"""From where and how a visitor came. A proxy is believed only if the owner trusts it."""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from starlette.requests import HTTPConnection, Request

Address = IPv4Address | IPv6Address

_UNKNOWN = "unknown"
_IPV6_PREFIX = 64
"""Bits of an IPv6 address that name a house; whoever lives there has all the others."""


@dataclass(frozen=True, slots=True)
class ClientInfo:
    """One request's way to us."""

    address: str
    """Where the visitor is, as far as we know; of an IPv6 address the part that names a house."""
    host: str
    """The name and port by which the visitor called us."""
    is_secure: bool
    """By TLS, to us or to a trusted proxy."""
    by_proxy: bool
    """Through a proxy that is trusted."""
    from_here: bool
    """Who connects to us is on this machine."""


class TrustedProxies:
    """The proxies that the owner trusts."""

    def __init__(self, networks: Iterable[str]) -> None:
        self._networks = tuple(ip_network(network) for network in networks)

    def read_client(self, request: HTTPConnection) -> ClientInfo:
        """Tell how a request came; what a stranger says of itself counts for nothing."""
        peer = _address(request.client.host if request.client else "")
        trusted = peer is not None and self._trusts(peer)
        said = request.headers if trusted else {}
        visitor = self._visitor(peer, said.get("x-forwarded-for", ""))
        scheme = _first(said.get("x-forwarded-proto", "")) or request.url.scheme
        host = _first(said.get("x-forwarded-host", "")) or request.headers.get("host", "")
        return ClientInfo(
            address=_address_text(visitor),
            host=host.lower(),
            is_secure=scheme.lower() == "https",
            by_proxy=trusted,
            from_here=peer is not None and peer.is_loopback,
        )

    def _visitor(self, peer: Address | None, forwarded_for: str) -> Address | None:
        """Walk back from proxy to proxy, as long as each is trusted to say who came before it."""
        visitor = peer
        for hop in reversed(forwarded_for.split(",") if forwarded_for else []):
            before = _address(hop.strip())
            if before is None:
                break
            visitor = before
            if not self._trusts(before):
                break
        return visitor

    def _trusts(self, address: Address) -> bool:
        return any(address in network for network in self._networks)


def is_secure(request: Request) -> bool:
    """Tell whether a request came by TLS: then what we give goes back by no other way."""
    proxies: TrustedProxies = request.app.state.proxies
    return proxies.read_client(request).is_secure


def _address(text: str) -> Address | None:
    try:
        address = ip_address(_without_port(text))
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _without_port(text: str) -> str:
    """Take off what some proxies add: 192.0.2.1:4711, [2001:db8::1]:4711."""
    if text.startswith("["):
        return text[1:].partition("]")[0]
    host, _, port = text.partition(":")
    return host if port.isdecimal() and "." in host else text


def _address_text(address: Address | None) -> str:
    if isinstance(address, IPv6Address) and not address.is_loopback:
        return str(ip_network((address, _IPV6_PREFIX), strict=False))
    return _UNKNOWN if address is None else str(address)


def _first(listed: str) -> str:
    """Return what the outermost of several proxies said."""
    return listed.partition(",")[0].strip()
