"""CSRF tokens and origin checks, and paths within the dashboard."""

from ipaddress import ip_address
from urllib.parse import urlencode, urlsplit

from starlette.requests import Request

from core.access import secrets_equal
from dashboard.errors import ForeignPage

FIRST_PAGE = "/"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
FIELD = "csrf"
HEADER = "x-csrf-token"
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


def local_path(path: str) -> str:
    """Return the path if it is within the dashboard, else the first page: no open redirects."""
    is_local = path.startswith("/") and not path.startswith(("//", "/\\"))
    # A browser drops tabs and line ends, and "/\t/elsewhere" would become another host.
    return path if is_local and path.isprintable() else FIRST_PAGE


def path_within(request: Request) -> str:
    """Return the request's path and query, relative to the dashboard's root."""
    root: str = request.scope.get("root_path", "")
    path = request.url.path.removeprefix(root) or FIRST_PAGE
    return f"{path}?{request.url.query}" if request.url.query else path


def address_in(request: Request, path: str, **query: str) -> str:
    """Return the address of a path of the dashboard, as the browser requests it."""
    root: str = request.scope.get("root_path", "")
    encoded = f"?{urlencode(query)}" if query else ""
    return f"{root}{path}{encoded}"


def login_address(request: Request, next_page: str) -> str:
    """Return the address of the login page, which then redirects to `next_page`."""
    query = {} if next_page == FIRST_PAGE else {"next": next_page}
    return address_in(request, "/login", **query)


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
