"""Session cookies, and the authentication of requests by token, session or proxy."""

from datetime import datetime, timedelta

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.access import ADMIN, Permission, Session, derive_secret, hash_secret, new_secret
from core.settings import WebSettings
from dashboard.auth.dependencies import Person
from dashboard.auth.origin import (
    SAFE_METHODS,
    ClientInfo,
    TrustedProxies,
    is_rebinding_safe,
    require_csrf_token,
)
from dashboard.context import AppContext

SESSION = "paperclerk"
DEVICE = "paperclerk-device"
"""Sent by a browser that has logged in before; it grants no access."""
CSRF = "csrf"
_RENEWED = "renewed_cookie"
"""Key of the request state that holds the `Set-Cookie` header of a renewed session."""
_RECORD_EVERY = timedelta(minutes=5)
"""The time of last use is approximate, because recording it is a write."""
_BEARER = "bearer "
_MAX_NAME_LENGTH = 80


class CookieRenewal:
    """Adds the renewed cookie to the response, unless the route sets or clears it itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The authenticator has a copy of the scope, with this same state.
        state = scope.setdefault("state", {})

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and _RENEWED in state:
                headers = MutableHeaders(scope=message)
                name = state[_RENEWED].partition("=")[0]
                if not any(line.startswith(f"{name}=") for line in headers.getlist("set-cookie")):
                    headers.append("set-cookie", state[_RENEWED])
            await send(message)

        await self._app(scope, receive, with_cookie)


class Authenticator:
    """Authenticates requests; refuses unsafe ones that pages of other sites send."""

    def __init__(self, context: AppContext) -> None:
        self._access = context.store.access
        self._clock = context.clock
        self._web: WebSettings = context.settings.daemon.web
        self._proxies = TrustedProxies(self._web.trusted_proxies)
        # Derives the CSRF tokens of persons without a session of their own.
        self._secret = new_secret()

    async def authenticate(self, request: Request) -> Person | None:
        """Return the person of a request; raise ForeignPage if another site's page sent it."""
        token = _bearer_token(request)
        if token is not None:
            return await self._by_token(token)
        client = self._proxies.read_client(request)
        person = await self._by_session(request, client) or self._by_client(request, client)
        if person is not None and request.method not in SAFE_METHODS:
            await require_csrf_token(request, person.csrf, host=client.host)
        return person

    async def is_still_valid(self, request: Request) -> bool:
        """Return whether the session or token of a request is still valid."""
        token = _bearer_token(request)
        if token is not None:
            return await self._access.tokens.get(hash_secret(token)) is not None
        client = self._proxies.read_client(request)
        if await self._find_session(read_cookie(request, client)) is not None:
            return True
        return self._by_client(request, client) is not None

    async def _by_token(self, token: str) -> Person | None:
        api_token = await self._access.tokens.get(hash_secret(token))
        if api_token is None:
            return None
        now = self._clock()
        if _is_due(api_token.used_at, now):
            await self._access.tokens.mark_used(api_token, now=now)
        return Person(
            api_token.name, api_token.right, api_token.instances, credential_hash=hash_secret(token)
        )

    async def _by_session(self, request: Request, client: ClientInfo) -> Person | None:
        secret, now = read_cookie(request, client), self._clock()
        session = await self._find_session(secret)
        if session is None:
            return None
        if _is_due(session.seen_at, now):
            lasts = self._web.session
            await self._access.sessions.extend(session, now=now, until=now + lasts)
            # The browser's cookie expires, too.
            renew_cookie(request, client, secret=secret, lasts=lasts)
        csrf = derive_secret(secret, CSRF)
        return Person(
            session.account, Permission.ADMIN, csrf=csrf, credential_hash=hash_secret(secret)
        )

    async def _find_session(self, secret: str) -> Session | None:
        if not secret or not self._web.login:
            return None
        return await self._access.sessions.get(hash_secret(secret), now=self._clock())

    def _by_client(self, request: Request, client: ClientInfo) -> Person | None:
        """Return the person whom a trusted proxy names, or the admin where login is off."""
        header = self._web.user_header
        if header and client.by_proxy:
            name = request.headers.get(header, "").strip()[:_MAX_NAME_LENGTH]
            return self._without_session(name) if name else None
        if self._web.login or header:
            return None
        is_local = client.from_here and is_rebinding_safe(client.host)
        return self._without_session(ADMIN) if client.by_proxy or is_local else None

    def _without_session(self, name: str) -> Person:
        return Person(name, Permission.ADMIN, csrf=derive_secret(self._secret, name))


def cookie_name(name: str = SESSION, *, base_path: str, client: ClientInfo) -> str:
    """Return the cookie's name, with a prefix that keeps other hosts from setting it."""
    if not client.is_secure:
        return name
    return f"__Secure-{name}" if base_path else f"__Host-{name}"


def read_cookie(request: Request, client: ClientInfo, name: str = SESSION) -> str:
    """Return the secret in the browser's cookie; "" if there is none."""
    return request.cookies.get(cookie_name(name, base_path=_base(request), client=client), "")


def set_cookie(
    response: Response,
    request: Request,
    client: ClientInfo,
    *,
    secret: str,
    lasts: timedelta,
    name: str = SESSION,
) -> None:
    """Set a cookie that scripts and other sites cannot read."""
    response.set_cookie(
        cookie_name(name, base_path=_base(request), client=client),
        secret,
        max_age=int(lasts.total_seconds()),
        path=_base(request) or "/",
        secure=client.is_secure,
        httponly=True,
        samesite="lax",
    )


def renew_cookie(request: Request, client: ClientInfo, *, secret: str, lasts: timedelta) -> None:
    """Extend the session cookie with the response to this request; see `CookieRenewal`."""
    carrier = Response()
    set_cookie(carrier, request, client, secret=secret, lasts=lasts)
    setattr(request.state, _RENEWED, carrier.headers["set-cookie"])


def clear_cookie(response: Response, request: Request, client: ClientInfo) -> None:
    """Delete the session cookie."""
    set_cookie(response, request, client, secret="", lasts=timedelta())


def _base(request: Request) -> str:
    base: str = request.scope.get("root_path", "")
    return base


def _bearer_token(request: Request) -> str | None:
    header = request.headers.get("authorization", "")
    return header[len(_BEARER) :].strip() if header.lower().startswith(_BEARER) else None


def _is_due(recorded_at: datetime | None, now: datetime) -> bool:
    return recorded_at is None or now - recorded_at >= _RECORD_EVERY
