"""The cookie that a browser shows to be known."""

from datetime import timedelta

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.auth.proxies import Arrival

SESSION = "paperclerk"
DEVICE = "paperclerk-device"
"""Sent by a browser that has logged in before; it grants no access."""
_AGAIN = "cookie_again"


def cookie_name(name: str = SESSION, *, base_path: str, arrival: Arrival) -> str:
    """Name it so that a browser keeps it safe: no neighbour under the same name can put its own."""
    if not arrival.is_secure:
        return name
    return f"__Secure-{name}" if base_path else f"__Host-{name}"


def shown_by(request: Request, arrival: Arrival, name: str = SESSION) -> str:
    """Return what the browser shows; "" if nothing."""
    return request.cookies.get(cookie_name(name, base_path=_base(request), arrival=arrival), "")


def give(
    response: Response,
    request: Request,
    arrival: Arrival,
    *,
    proof: str,
    lasts: timedelta,
    name: str = SESSION,
) -> None:
    """Let the browser keep a proof, away from scripts and other sites."""
    response.set_cookie(
        cookie_name(name, base_path=_base(request), arrival=arrival),
        proof,
        max_age=int(lasts.total_seconds()),
        path=_base(request) or "/",
        secure=arrival.is_secure,
        httponly=True,
        samesite="lax",
    )


def give_again(request: Request, arrival: Arrival, *, proof: str, lasts: timedelta) -> None:
    """Have a proof kept longer, by whatever this request is answered with; see `CookieAgain`."""
    carrier = Response()
    give(carrier, request, arrival, proof=proof, lasts=lasts)
    setattr(request.state, _AGAIN, carrier.headers["set-cookie"])


class CookieAgain:
    """Puts on the answer what the guard gives again, unless the route gives or takes it itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The guard has a copy of the scope, with this same state.
        state = scope.setdefault("state", {})

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and _AGAIN in state:
                headers = MutableHeaders(scope=message)
                name = state[_AGAIN].partition("=")[0]
                if not any(one.startswith(f"{name}=") for one in headers.getlist("set-cookie")):
                    headers.append("set-cookie", state[_AGAIN])
            await send(message)

        await self._app(scope, receive, with_cookie)


def take(response: Response, request: Request, arrival: Arrival) -> None:
    """Let the browser forget it."""
    give(response, request, arrival, proof="", lasts=timedelta())


def _base(request: Request) -> str:
    base: str = request.scope.get("root_path", "")
    return base
