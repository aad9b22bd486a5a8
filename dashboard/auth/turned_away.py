"""What becomes of who is not known: a person is asked to log in, a program is told."""

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from dashboard.auth.local import FIRST_PAGE, login_address, path_within
from dashboard.pages.errors import is_for_people

HOW_TO_BE_KNOWN = "Bearer"
"""What every 401 must name: by a token. A browser asks nobody for one, as it would for Basic."""


def to_login(request: Request) -> Response | None:
    """Send a browser to the login page; None if it is a program that asks."""
    if not is_for_people(request):
        return None
    if request.headers.get("hx-request"):
        # A part of a page: the whole page has to go, not the part.
        going_on = login_address(request, _shown(request))
        headers = {"hx-redirect": going_on, "www-authenticate": HOW_TO_BE_KNOWN}
        return Response(status_code=401, headers=headers)
    asked_for = path_within(request) if request.method == "GET" else FIRST_PAGE
    return RedirectResponse(login_address(request, asked_for), status_code=303)


def _shown(request: Request) -> str:
    """Return the page that a part was asked for by."""
    root: str = request.scope.get("root_path", "")
    shown = urlsplit(request.headers.get("hx-current-url", ""))
    path = shown.path.removeprefix(root) or FIRST_PAGE
    return f"{path}?{shown.query}" if shown.query else path
