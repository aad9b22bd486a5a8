"""Where a request comes from: its client, which trusted proxies name, and the page that sent it."""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection, Request

from core.access import secrets_equal
from dashboard.errors import ForeignPage

Address = IPv4Address | IPv6Address

_UNKNOWN = "unknown"
_IPV6_PREFIX = 64
"""Length of the prefix that one subscriber has; all addresses below it count as one."""

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
FIELD = "csrf"
HEADER = "x-csrf-token"
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


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


async def require_csrf_token(request: Request, token: str, *, host: str) -> None:
    """Raise ForeignPage unless the request carries this CSRF token."""
    require_same_origin(request, host=host)
    if not secrets_equal(await _read_csrf_token(request), token):
        raise ForeignPage("the page is out of date; load it again")


def require_same_origin(request: Request, *, host: str) -> None:
    """Raise ForeignPage if the browser says that another site sent the request."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if not is_same_origin(site, origin, host=host):
        raise ForeignPage("this was sent by a page of another site")


def is_same_origin(site: str | None, origin: str | None, *, host: str) -> bool:
    """Return whether a request is same-origin by `Sec-Fetch-Site`, or else by `Origin`.

    Older browsers send only the latter.
    """
    if site is not None:
        return site in {"same-origin", "none"}
    # Schemes are not compared: behind a proxy that is not trusted, our own is unknown.
    return origin is None or (origin != "null" and urlsplit(origin).netloc.lower() == host)


def is_rebinding_safe(host: str) -> bool:
    """Return whether a host cannot be used for DNS rebinding: an IP address, or localhost.

    A foreign site can let its own name resolve to us, and then counts as our origin.
    """
    name = urlsplit(f"//{host}").hostname or ""
    if name == "localhost":
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


async def _read_csrf_token(request: Request) -> str:
    if (header := request.headers.get(HEADER)) is not None:
        return header
    if not request.headers.get("content-type", "").startswith(_FORMS):
        return ""
    field = (await request.form()).get(FIELD)
    return field if isinstance(field, str) else ""
