"""A sentence that outlives one redirect: it says what was done."""

from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from dashboard.auth.proxies import is_secure

_COOKIE = "flash"
_LONGEST = 500
REFUSED = "!"
"""A sentence that begins so says why something was not done."""


def redirect(request: Request, to: str, said: str = "") -> RedirectResponse:
    """Send the browser to a page of ours, which shows what is said."""
    response = RedirectResponse(to, status_code=303)
    if said:
        response.set_cookie(
            _COOKIE,
            quote(said[:_LONGEST]),
            max_age=60,
            path=_path(request),
            secure=is_secure(request),
            httponly=True,
            samesite="lax",
        )
    return response


def flash_of(request: Request) -> str:
    return unquote(request.cookies.get(_COOKIE, ""))[:_LONGEST]


def forget_flash(request: Request, response: Response) -> None:
    """Show it once."""
    if _COOKIE in request.cookies:
        response.delete_cookie(_COOKIE, path=_path(request))


def _path(request: Request) -> str:
    root: str = request.scope.get("root_path", "")
    return root or "/"
