"""The cookie that a browser shows to be known."""

from datetime import datetime, timedelta

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.access import ADMIN, Permission, Session
from core.settings import WebSettings
from dashboard.auth.csrf import SAFE_METHODS, is_rebinding_safe, require_csrf_token
from dashboard.auth.passwords import derive_secret, hash_secret, new_secret
from dashboard.auth.person import Person
from dashboard.auth.proxies import ClientInfo, TrustedProxies
from dashboard.context import AppContext

SESSION = "paperclerk"
DEVICE = "paperclerk-device"
"""Sent by a browser that has logged in before; it grants no access."""
_AGAIN = "cookie_again"


def cookie_name(name: str = SESSION, *, base_path: str, arrival: ClientInfo) -> str:
    """Name it so that a browser keeps it safe: no neighbour under the same name can put its own."""
    if not arrival.is_secure:
        return name
    return f"__Secure-{name}" if base_path else f"__Host-{name}"


def read_cookie(request: Request, arrival: ClientInfo, name: str = SESSION) -> str:
    """Return what the browser shows; "" if nothing."""
    return request.cookies.get(cookie_name(name, base_path=_base(request), arrival=arrival), "")


def set_cookie(
    response: Response,
    request: Request,
    arrival: ClientInfo,
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


def renew_cookie(request: Request, arrival: ClientInfo, *, proof: str, lasts: timedelta) -> None:
    """Have a proof kept longer, by whatever this request is answered with; see `CookieAgain`."""
    carrier = Response()
    set_cookie(carrier, request, arrival, proof=proof, lasts=lasts)
    setattr(request.state, _AGAIN, carrier.headers["set-cookie"])


class CookieRenewal:
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


def clear_cookie(response: Response, request: Request, arrival: ClientInfo) -> None:
    """Let the browser forget it."""
    set_cookie(response, request, arrival, proof="", lasts=timedelta())


def _base(request: Request) -> str:
    base: str = request.scope.get("root_path", "")
    return base


CSRF = "csrf"
_NOTED_EVERY = timedelta(minutes=5)
"""When someone was here last need not be known to the second, and each note is a write."""
_BEARER = "bearer "
_LONGEST_NAME = 80


class Authenticator:
    """Lets in who may come in, and believes nothing that someone else's page sends."""

    def __init__(self, context: AppContext) -> None:
        self._access = context.store.access
        self._clock = context.clock
        self._web: WebSettings = context.settings.daemon.web
        self._proxies = TrustedProxies(self._web.trusted_proxies)
        # Who has no session has no proof of their own either to make a mark for forms of.
        self._proof = new_secret()

    async def authenticate(self, request: Request) -> Person | None:
        """Return who asks; raise ForeignPage if their browser was made to."""
        token = _bearer(request)
        if token is not None:
            return await self._by_token(token)
        arrival = self._proxies.read_client(request)
        person = await self._by_session(request, arrival) or self._by_arrival(request, arrival)
        if person is not None and request.method not in SAFE_METHODS:
            await require_csrf_token(request, person, host=arrival.host)
        return person

    async def is_still_valid(self, request: Request) -> bool:
        """Tell whether who asked is known still, and has not gone out meanwhile."""
        token = _bearer(request)
        if token is not None:
            return await self._access.tokens.get(hash_secret(token)) is not None
        arrival = self._proxies.read_client(request)
        if await self._session(read_cookie(request, arrival)) is not None:
            return True
        return self._by_arrival(request, arrival) is not None

    async def _by_token(self, token: str) -> Person | None:
        known = await self._access.tokens.get(hash_secret(token))
        if known is None:
            return None
        now = self._clock()
        if _is_due(known.used_at, now):
            await self._access.tokens.mark_used(known, now=now)
        return Person(known.name, known.right, known.instances, credential_hash=hash_secret(token))

    async def _by_session(self, request: Request, arrival: ClientInfo) -> Person | None:
        proof, now = read_cookie(request, arrival), self._clock()
        session = await self._session(proof)
        if session is None:
            return None
        if _is_due(session.seen_at, now):
            lasts = self._web.session
            await self._access.sessions.extend(session, now=now, until=now + lasts)
            # The browser counts, too, and would forget a session that lasts on here.
            renew_cookie(request, arrival, proof=proof, lasts=lasts)
        csrf = derive_secret(proof, CSRF)
        return Person(
            session.account, Permission.ADMIN, csrf=csrf, credential_hash=hash_secret(proof)
        )

    async def _session(self, proof: str) -> Session | None:
        if not proof or not self._web.login:
            return None
        return await self._access.sessions.get(hash_secret(proof), now=self._clock())

    def _by_arrival(self, request: Request, arrival: ClientInfo) -> Person | None:
        """Know someone by the way they came: from a trusted proxy, or where nobody logs in."""
        header = self._web.user_header
        if header and arrival.by_proxy:
            named = request.headers.get(header, "").strip()[:_LONGEST_NAME]
            return self._without_session(named) if named else None
        if self._web.login or header:
            return None
        near = arrival.from_here and is_rebinding_safe(arrival.host)
        return self._without_session(ADMIN) if arrival.by_proxy or near else None

    def _without_session(self, name: str) -> Person:
        return Person(name, Permission.ADMIN, csrf=derive_secret(self._proof, name))


def _bearer(request: Request) -> str | None:
    said = request.headers.get("authorization", "")
    return said[len(_BEARER) :].strip() if said.lower().startswith(_BEARER) else None


def _is_due(noted: datetime | None, now: datetime) -> bool:
    return noted is None or now - noted >= _NOTED_EVERY
