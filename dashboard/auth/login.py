"""The link that lets someone set the password: the first way in, and the way back in."""

from datetime import datetime, timedelta
from typing import Annotated

import structlog
from fastapi import Depends, Form, Request
from starlette.responses import Response

from core.access import ADMIN, LoginLimits, Visitor
from dashboard.auth import sessions
from dashboard.auth.csrf import require_same_origin
from dashboard.auth.passwords import Passwords, hash_secret, new_secret
from dashboard.auth.proxies import ClientInfo, TrustedProxies
from dashboard.context import AppContext
from dashboard.errors import LinkUseless, TooManyTries, WrongPassword
from store import Store

LINK_LIFETIME = timedelta(minutes=30)


async def create_link(store: Store, address: str, *, now: datetime) -> str:
    """Make a link that is good once, for half an hour; the one before it is good no more."""
    proof = new_secret()
    await store.access.issue_link(hash_secret(proof), expires_at=now + LINK_LIFETIME)
    return _address(address, proof)


async def create_first_link(
    store: Store, address: str, *, now: datetime
) -> tuple[str | None, datetime]:
    """Return a new link and its expiry; no link if the previous one is still unused.

    A restart must not invalidate a link that someone has just copied from the log.
    """
    proof, expires_at = new_secret(), now + LINK_LIFETIME
    valid = await store.access.issue_link_unless_valid(
        hash_secret(proof), expires_at=expires_at, now=now
    )
    return (None, valid) if valid else (_address(address, proof), expires_at)


def _address(address: str, proof: str) -> str:
    return f"{address}/welcome?link={proof}"


log = structlog.get_logger()

_DEVICE_LASTS = timedelta(days=365)
_MOST_LOGGED = 100
"""Maximum number of locked-out addresses to log: one attacker can have many."""


class Login:
    """Where people come in and go out."""

    def __init__(self, context: AppContext, passwords: Passwords | None = None) -> None:
        self._access = context.store.access
        self._clock = context.clock
        self._lasts = context.settings.daemon.web.session
        self._proxies = TrustedProxies(context.settings.daemon.web.trusted_proxies)
        self._passwords = passwords or Passwords()
        self._patience = LoginLimits()
        self._shut: dict[str, datetime] = {}
        """The locked-out addresses that were logged, and until when they are locked out."""

    async def check_password(self, request: Request, password: str) -> None:
        """Raise WrongPassword, or TooManyTries; each try is counted before it is looked at."""
        arrival, now = self._proxies.read_client(request), self._clock()
        require_same_origin(request, host=arrival.host)
        visitor = _visitor(request, arrival)
        shut = await self._access.record_attempt(visitor, self._patience, now=now)
        if shut is not None:
            self._log_lockout(visitor.address, shut, now)
            raise TooManyTries(shut - now)
        if not await self.verify_password(password):
            log.warning("login refused", address=arrival.address)
            raise WrongPassword
        await self._access.clear_attempts(visitor)

    async def verify_password(self, password: str) -> bool:
        """Tell whether it is the password; a weak hash of it is made anew."""
        kept = await self._access.get_password_hash()
        if kept is None or not await self._passwords.matches(password, kept):
            return False
        if self._passwords.is_weak(kept):
            await self._access.rehash(kept, await self._passwords.hash(password))
        return True

    async def check_link(self, link: str) -> None:
        """Raise LinkUseless."""
        if not await self._access.is_link_valid(hash_secret(link), now=self._clock()):
            raise LinkUseless

    async def redeem(self, request: Request, link: str, password: str) -> None:
        """Use a link up and set the password; raise LinkUseless."""
        require_same_origin(request, host=self._proxies.read_client(request).host)
        # Looked at first, for a hash takes effort, and anybody may ask for it.
        await self.check_link(link)
        password_hash = await self._passwords.hash(password)
        if not await self._access.redeem_link(hash_secret(link), password_hash, now=self._clock()):
            raise LinkUseless
        log.info("password set", by="link")

    async def change_password(self, request: Request, response: Response, password: str) -> None:
        """Set another password; of all browsers this one alone stays logged in."""
        password_hash = await self._passwords.hash(password)
        await self._access.set_password(password_hash, now=self._clock())
        log.info("password set", by="account")
        await self.log_in(request, response)

    async def log_in(self, request: Request, response: Response) -> None:
        """Begin a session, always a new one: others may know what was in the cookie before."""
        arrival, now = self._proxies.read_client(request), self._clock()
        proof = new_secret()
        await self._end_session(request)
        await self._access.sessions.begin(
            hash_secret(proof),
            ADMIN,
            user_agent=request.headers.get("user-agent", ""),
            now=now,
            until=now + self._lasts,
        )
        sessions.set_cookie(response, request, arrival, proof=proof, lasts=self._lasts)
        await self._remember_device(request, response)
        log.info("logged in", address=arrival.address)

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
        arrival, proof = self._proxies.read_client(request), new_secret()
        before = _visitor(request, arrival).device
        await self._access.remember_device(hash_secret(proof), before=before, now=self._clock())
        sessions.set_cookie(
            response, request, arrival, proof=proof, lasts=_DEVICE_LASTS, name=sessions.DEVICE
        )

    def _log_lockout(self, address: str, until: datetime, now: datetime) -> None:
        """Log once that an address is locked out, regardless of the number of attempts."""
        self._shut = {known: ends for known, ends in self._shut.items() if ends > now}
        if address not in self._shut and len(self._shut) < _MOST_LOGGED:
            self._shut[address] = until
            log.warning("login blocked", address=address, until=until.isoformat())

    async def _end_session(self, request: Request) -> None:
        proof = sessions.read_cookie(request, self._proxies.read_client(request))
        if proof:
            await self._access.sessions.end(hash_secret(proof))


def _visitor(request: Request, arrival: ClientInfo) -> Visitor:
    proof = sessions.read_cookie(request, arrival, sessions.DEVICE)
    return Visitor(arrival.address, hash_secret(proof) if proof else "")


async def _get_login(request: Request) -> Login:
    door: Login = request.app.state.door
    return door


LoginDep = Annotated[Login, Depends(_get_login)]
FormText = Annotated[str, Form()]
