"""The cookie that a browser shows to be known."""

from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response

from dashboard.access.proxies import Arrival

_NAME = "paperclerk"


def cookie_name(*, base_path: str, arrival: Arrival) -> str:
    """Name it so that a browser keeps it safe: no neighbour under the same name can put its own."""
    if not arrival.is_secure:
        return _NAME
    return f"__Secure-{_NAME}" if base_path else f"__Host-{_NAME}"


def shown_by(request: Request, arrival: Arrival) -> str:
    """Return what the browser shows; "" if nothing."""
    return request.cookies.get(cookie_name(base_path=_base(request), arrival=arrival), "")


def give(
    response: Response, request: Request, arrival: Arrival, *, proof: str, lasts: timedelta
) -> None:
    """Let the browser keep a proof, away from scripts and other sites."""
    response.set_cookie(
        cookie_name(base_path=_base(request), arrival=arrival),
        proof,
        max_age=int(lasts.total_seconds()),
        path=_base(request) or "/",
        secure=arrival.is_secure,
        httponly=True,
        samesite="lax",
    )


def take(response: Response, request: Request, arrival: Arrival) -> None:
    """Let the browser forget it."""
    give(response, request, arrival, proof="", lasts=timedelta())


def _base(request: Request) -> str:
    base: str = request.scope.get("root_path", "")
    return base
