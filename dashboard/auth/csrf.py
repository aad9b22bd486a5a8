"""Where to go on: only ever to a page of ours."""

from ipaddress import ip_address
from urllib.parse import urlencode, urlsplit

from starlette.requests import Request

from dashboard.auth.passwords import secrets_equal
from dashboard.auth.person import Person
from dashboard.errors import ForeignPage

FIRST_PAGE = "/"


def local_path(path: str) -> str:
    """Return the path if it is one of ours, else the first page: nobody is sent elsewhere."""
    is_ours = path.startswith("/") and not path.startswith(("//", "/\\"))
    # A browser drops tabs and line ends, and "/\t/elsewhere" would become another host.
    return path if is_ours and path.isprintable() else FIRST_PAGE


def path_within(request: Request) -> str:
    """Return the path and query that were asked for, as seen from the dashboard's own root."""
    root: str = request.scope.get("root_path", "")
    path = request.url.path.removeprefix(root) or FIRST_PAGE
    return f"{path}?{request.url.query}" if request.url.query else path


def address_in(request: Request, path: str, **query: str) -> str:
    """Return how the browser calls a path of ours."""
    root: str = request.scope.get("root_path", "")
    asked = f"?{urlencode(query)}" if query else ""
    return f"{root}{path}{asked}"


def login_address(request: Request, asked_for: str) -> str:
    """Return where one logs in and goes on to what was asked for."""
    going_on = {} if asked_for == FIRST_PAGE else {"next": asked_for}
    return address_in(request, "/login", **going_on)


SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
FIELD = "csrf"
HEADER = "x-csrf-token"
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


async def require_csrf_token(request: Request, person: Person, *, host: str) -> None:
    """Raise ForeignPage unless the request carries what only our own pages know."""
    require_same_origin(request, host=host)
    if not secrets_equal(await _carried(request), person.csrf):
        raise ForeignPage("the page is out of date; load it again")


def require_same_origin(request: Request, *, host: str) -> None:
    """Raise ForeignPage if the browser says that another site sent the request."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if not is_same_origin(site, origin, host=host):
        raise ForeignPage("this was sent by a page of another site")


def is_same_origin(site: str | None, origin: str | None, *, host: str) -> bool:
    """Judge by what the browser says: a newer one says it plainly, an older one by its origin."""
    if site is not None:
        return site in {"same-origin", "none"}
    # The scheme is left aside: behind a proxy that is not trusted we do not know our own.
    return origin is None or (origin != "null" and urlsplit(origin).netloc.lower() == host)


def is_rebinding_safe(host: str) -> bool:
    """Tell whether nobody else can let this name mean us: an address, or this machine's own name.

    A page of someone else can let its own name point to us, and is then of one origin with us.
    """
    name = urlsplit(f"//{host}").hostname or ""
    if name == "localhost":
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


async def _carried(request: Request) -> str:
    if (header := request.headers.get(HEADER)) is not None:
        return header
    if not request.headers.get("content-type", "").startswith(_FORMS):
        return ""
    field = (await request.form()).get(FIELD)
    return field if isinstance(field, str) else ""
