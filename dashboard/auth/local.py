"""Where to go on: only ever to a page of ours."""

from urllib.parse import urlencode

from starlette.requests import Request

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
