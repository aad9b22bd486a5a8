"""Passwords, login and logout with their pages, and one-time links for setting the password."""

import asyncio
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

import structlog
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from fastapi import APIRouter, Depends, Form, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from core.access import ADMIN, LoginLimits, Visitor, hash_secret, new_secret
from dashboard.auth import sessions
from dashboard.auth.dependencies import AuthenticationBackend, ContextDep, RequireAdmin, RequireRead
from dashboard.auth.origin import ClientInfo, TrustedProxies, require_same_origin
from dashboard.context import AppContext
from dashboard.errors import LinkUseless, TooManyTries, WrongPassword
from dashboard.rendering import FIRST_PAGE, address_in, local_path, login_address, render
from store import Store

log = structlog.get_logger()

MIN_PASSWORD_LENGTH = 10
_MAX_PASSWORD_LENGTH = 1000
LINK_LIFETIME = timedelta(minutes=30)
_DEVICE_LASTS = timedelta(days=365)
_MAX_LOGGED = 100
"""Maximum number of locked-out addresses to log: one attacker can have many."""

router = APIRouter(include_in_schema=False)

LinkQuery = Annotated[str, Query()]
NextQuery = Annotated[str, Query(alias="next")]
NextField = Annotated[str, Form(alias="next")]


class PasswordProblem(StrEnum):
    """Why a new password is not accepted."""

    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    DIFFERENT = "different"
    """It was typed differently the second time."""


class Passwords:
    """Hashes passwords. Each hash takes 64 MB for a moment, so only one is computed at a time."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._lock = asyncio.Lock()

    async def hash(self, password: str) -> str:
        async with self._lock:
            return await asyncio.to_thread(self._hasher.hash, _bytes(password))

    async def matches(self, password: str, password_hash: str) -> bool:
        """Return whether the password matches; one that is too long to be set is not hashed."""
        if len(password) > _MAX_PASSWORD_LENGTH:
            return False
        async with self._lock:
            return await asyncio.to_thread(self._matches, password, password_hash)

    def is_weak(self, password_hash: str) -> bool:
        """Return whether the hash was made with weaker parameters than today's."""
        return self._hasher.check_needs_rehash(password_hash)

    def _matches(self, password: str, password_hash: str) -> bool:
        try:
            return self._hasher.verify(password_hash, _bytes(password))
        except (VerificationError, InvalidHashError):
            return False


def find_password_problem(password: str, again: str) -> PasswordProblem | None:
    """Return why a new password is not accepted; None if it is."""
    if len(password) < MIN_PASSWORD_LENGTH:
        return PasswordProblem.TOO_SHORT
    if len(password) > _MAX_PASSWORD_LENGTH:
        return PasswordProblem.TOO_LONG
    return PasswordProblem.DIFFERENT if password != again else None


async def create_link(store: Store, address: str, *, now: datetime) -> str:
    """Create a link that is valid once, for half an hour; it replaces the previous one."""
    secret = new_secret()
    await store.access.issue_link(hash_secret(secret), expires_at=now + LINK_LIFETIME)
    return _link_address(address, secret)


async def create_first_link(
    store: Store, address: str, *, now: datetime
) -> tuple[str | None, datetime]:
    """Return a new link and its expiry; no link if the previous one is still unused.

    A restart must not invalidate a link that someone has just copied from the log.
    """
    secret, expires_at = new_secret(), now + LINK_LIFETIME
    valid = await store.access.issue_link_unless_valid(
        hash_secret(secret), expires_at=expires_at, now=now
    )
    return (None, valid) if valid else (_link_address(address, secret), expires_at)


class Login:
    """Logs people in and out, and sets the password."""

    def __init__(self, context: AppContext, passwords: Passwords | None = None) -> None:
        self._access = context.store.access
        self._clock = context.clock
        self._session_lasts = context.settings.daemon.web.session
        self._proxies = TrustedProxies(context.settings.daemon.web.trusted_proxies)
        self._passwords = passwords or Passwords()
        self._limits = LoginLimits()
        self._locked_out: dict[str, datetime] = {}
        """The locked-out addresses that were logged, and until when they are locked out."""

    async def check_password(self, request: Request, password: str) -> None:
        """Raise WrongPassword or TooManyTries; each attempt is counted before it is checked."""
        client, now = self._proxies.read_client(request), self._clock()
        require_same_origin(request, host=client.host)
        visitor = _read_visitor(request, client)
        locked_until = await self._access.record_attempt(visitor, self._limits, now=now)
        if locked_until is not None:
            self._log_lockout(visitor.address, locked_until, now)
            raise TooManyTries(locked_until - now)
        if not await self.verify_password(password):
            log.warning("login refused", address=client.address)
            raise WrongPassword
        await self._access.clear_attempts(visitor)

    async def verify_password(self, password: str) -> bool:
        """Return whether it is the password; a weak hash is replaced."""
        stored = await self._access.get_password_hash()
        if stored is None or not await self._passwords.matches(password, stored):
            return False
        if self._passwords.is_weak(stored):
            await self._access.rehash(stored, await self._passwords.hash(password))
        return True

    async def check_link(self, link: str) -> None:
        """Raise LinkUseless unless the link is valid."""
        if not await self._access.is_link_valid(hash_secret(link), now=self._clock()):
            raise LinkUseless

    async def redeem(self, request: Request, link: str, password: str) -> None:
        """Consume a link and set the password; raise LinkUseless."""
        require_same_origin(request, host=self._proxies.read_client(request).host)
        # Checked first: hashing is expensive, and anybody can send this request.
        await self.check_link(link)
        password_hash = await self._passwords.hash(password)
        if not await self._access.redeem_link(hash_secret(link), password_hash, now=self._clock()):
            raise LinkUseless
        log.info("password set", by="link")

    async def change_password(self, request: Request, response: Response, password: str) -> None:
        """Set a new password; only this browser stays logged in."""
        password_hash = await self._passwords.hash(password)
        await self._access.set_password(password_hash, now=self._clock())
        log.info("password set", by="account")
        await self.log_in(request, response)

    async def log_in(self, request: Request, response: Response) -> None:
        """Begin a new session: others may know the secret of the previous cookie."""
        client, now = self._proxies.read_client(request), self._clock()
        secret = new_secret()
        await self._end_session(request)
        await self._access.sessions.begin(
            hash_secret(secret),
            ADMIN,
            user_agent=request.headers.get("user-agent", ""),
            now=now,
            until=now + self._session_lasts,
        )
        sessions.set_cookie(response, request, client, secret=secret, lasts=self._session_lasts)
        await self._remember_device(request, response)
        log.info("logged in", address=client.address)

    async def log_out(self, request: Request, response: Response) -> None:
        """End the session of this browser."""
        await self._end_session(request)
        sessions.clear_cookie(response, request, self._proxies.read_client(request))

    async def log_out_everywhere(self, request: Request, response: Response) -> None:
        """End the sessions of all browsers."""
        ended = await self._access.sessions.end_all(ADMIN)
        sessions.clear_cookie(response, request, self._proxies.read_client(request))
        log.info("logged out everywhere", sessions=ended)

    async def has_password(self) -> bool:
        return await self._access.get_password_hash() is not None

    async def _remember_device(self, request: Request, response: Response) -> None:
        """Count the attempts of this browser separately; issue a new cookie each time."""
        client, secret = self._proxies.read_client(request), new_secret()
        before = _read_visitor(request, client).device
        await self._access.remember_device(hash_secret(secret), before=before, now=self._clock())
        sessions.set_cookie(
            response, request, client, secret=secret, lasts=_DEVICE_LASTS, name=sessions.DEVICE
        )

    def _log_lockout(self, address: str, until: datetime, now: datetime) -> None:
        """Log once that an address is locked out, regardless of the number of attempts."""
        self._locked_out = {known: ends for known, ends in self._locked_out.items() if ends > now}
        if address not in self._locked_out and len(self._locked_out) < _MAX_LOGGED:
            self._locked_out[address] = until
            log.warning("login blocked", address=address, until=until.isoformat())

    async def _end_session(self, request: Request) -> None:
        secret = sessions.read_cookie(request, self._proxies.read_client(request))
        if secret:
            await self._access.sessions.end(hash_secret(secret))


def _bytes(password: str) -> bytes:
    return password.encode("utf-8", "replace")


def _link_address(address: str, secret: str) -> str:
    return f"{address}/welcome?link={secret}"


def _read_visitor(request: Request, client: ClientInfo) -> Visitor:
    secret = sessions.read_cookie(request, client, sessions.DEVICE)
    return Visitor(client.address, hash_secret(secret) if secret else "")


async def _get_login(request: Request) -> Login:
    login: Login = request.app.state.login
    return login


LoginDep = Annotated[Login, Depends(_get_login)]
FormText = Annotated[str, Form()]


def login_page(
    request: Request,
    context: AppContext,
    *,
    next_page: str,
    has_password: bool,
    problem: WrongPassword | TooManyTries | None = None,
) -> HTMLResponse:
    """Render the password form, or why nobody can log in here."""
    lockout = problem if isinstance(problem, TooManyTries) else None
    page = render(
        request,
        context,
        "access/login.html",
        status=problem.status if problem else 200,
        next=local_path(next_page),
        has_password=has_password,
        closed=not context.settings.daemon.web.login,
        problem=problem.code if problem else "",
        minutes=lockout.minutes if lockout else 0,
    )
    if lockout:
        page.headers["retry-after"] = str(lockout.seconds)
    return page


def welcome_page(
    request: Request,
    context: AppContext,
    *,
    link: str = "",
    problem: LinkUseless | PasswordProblem | None = None,
) -> HTMLResponse:
    """Render the form for a new password; without a valid link, where to get one."""
    refused = isinstance(problem, LinkUseless)
    return render(
        request,
        context,
        "access/welcome.html",
        status=LinkUseless.status if refused else 422 if problem else 200,
        link=link,
        shortest=MIN_PASSWORD_LENGTH,
        problem=problem.code if isinstance(problem, LinkUseless) else problem or "",
    )


@router.get("/login")
async def ask_for_password(
    request: Request, context: ContextDep, login: LoginDep, next_page: NextQuery = FIRST_PAGE
) -> Response:
    """Show the login page; redirect whoever is logged in already."""
    backend: AuthenticationBackend = request.app.state.authentication
    if await backend.authenticate(request) is not None:
        return _redirect(request, next_page)
    return login_page(
        request, context, next_page=next_page, has_password=await login.has_password()
    )


@router.post("/login")
async def log_in(
    request: Request,
    context: ContextDep,
    login: LoginDep,
    password: FormText = "",
    next_page: NextField = FIRST_PAGE,
) -> Response:
    """Begin a session if the password is right; without login, sessions have no effect."""
    if not context.settings.daemon.web.login:
        return RedirectResponse(login_address(request, local_path(next_page)), status_code=303)
    try:
        await login.check_password(request, password)
    except (WrongPassword, TooManyTries) as error:
        has_password = await login.has_password()
        return login_page(
            request, context, next_page=next_page, has_password=has_password, problem=error
        )
    response = _redirect(request, next_page)
    await login.log_in(request, response)
    return response


@router.post("/logout")
async def log_out(request: Request, person: RequireRead, login: LoginDep) -> Response:
    """End this session."""
    response = _redirect(request, "/login")
    await login.log_out(request, response)
    return response


@router.post("/logout/everywhere")
async def log_out_everywhere(request: Request, person: RequireAdmin, login: LoginDep) -> Response:
    """End every session, including this one."""
    response = _redirect(request, "/login")
    await login.log_out_everywhere(request, response)
    return response


@router.get("/welcome")
async def ask_for_new_password(
    request: Request, context: ContextDep, login: LoginDep, link: LinkQuery = ""
) -> Response:
    """Show the form for a new password to whoever has a valid link."""
    try:
        await login.check_link(link)
    except LinkUseless as error:
        return welcome_page(request, context, problem=error)
    return welcome_page(request, context, link=link)


@router.post("/welcome")
async def set_password(
    request: Request,
    context: ContextDep,
    login: LoginDep,
    link: FormText = "",
    password: FormText = "",
    again: FormText = "",
) -> Response:
    """Set the password if the link is valid; begin a session if login is on."""
    if (problem := find_password_problem(password, again)) is not None:
        return welcome_page(request, context, link=link, problem=problem)
    try:
        await login.redeem(request, link, password)
    except LinkUseless as error:
        return welcome_page(request, context, problem=error)
    response = _redirect(request, FIRST_PAGE)
    if context.settings.daemon.web.login:
        await login.log_in(request, response)
    return response


def _redirect(request: Request, path: str) -> RedirectResponse:
    return RedirectResponse(address_in(request, local_path(path)), status_code=303)
