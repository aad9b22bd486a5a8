"""The door: the password, the one-time link, and what a browser is given to be known by."""

from datetime import datetime, timedelta

import structlog
from starlette.requests import Request
from starlette.responses import Response

from core.access import ADMIN, Patience, Visitor
from dashboard.auth import cookies
from dashboard.auth.csrf import require_own_origin
from dashboard.auth.passwords import Passwords
from dashboard.auth.proof import hashed, new_proof
from dashboard.auth.proxies import Arrival, Proxies
from dashboard.context import Desk
from dashboard.errors import LinkUseless, TooManyTries, WrongPassword

log = structlog.get_logger()

_DEVICE_LASTS = timedelta(days=365)
_MOST_LOGGED = 100
"""Maximum number of locked-out addresses to log: one attacker can have many."""


class Door:
    """Where people come in and go out."""

    def __init__(self, desk: Desk, passwords: Passwords | None = None) -> None:
        self._access = desk.store.access
        self._clock = desk.clock
        self._lasts = desk.settings.daemon.web.session
        self._proxies = Proxies(desk.settings.daemon.web.trusted_proxies)
        self._passwords = passwords or Passwords()
        self._patience = Patience()
        self._shut: dict[str, datetime] = {}
        """The locked-out addresses that were logged, and until when they are locked out."""

    async def check_password(self, request: Request, password: str) -> None:
        """Raise WrongPassword, or TooManyTries; each try is counted before it is looked at."""
        arrival, now = self._proxies.arrival(request), self._clock()
        require_own_origin(request, host=arrival.host)
        visitor = _visitor(request, arrival)
        shut = await self._access.attempt(visitor, self._patience, now=now)
        if shut is not None:
            self._log_shut(visitor.address, shut, now)
            raise TooManyTries(shut - now)
        if not await self.is_password(password):
            log.warning("login refused", address=arrival.address)
            raise WrongPassword
        await self._access.forgive(visitor)

    async def is_password(self, password: str) -> bool:
        """Tell whether it is the password; a weak hash of it is made anew."""
        kept = await self._access.password()
        if kept is None or not await self._passwords.matches(password, kept):
            return False
        if self._passwords.is_weak(kept):
            await self._access.rehash(kept, await self._passwords.hash(password))
        return True

    async def check_link(self, link: str) -> None:
        """Raise LinkUseless."""
        if not await self._access.admits(hashed(link), now=self._clock()):
            raise LinkUseless

    async def redeem(self, request: Request, link: str, password: str) -> None:
        """Use a link up and set the password; raise LinkUseless."""
        require_own_origin(request, host=self._proxies.arrival(request).host)
        # Looked at first, for a hash takes effort, and anybody may ask for it.
        await self.check_link(link)
        password_hash = await self._passwords.hash(password)
        if not await self._access.redeem_link(hashed(link), password_hash, now=self._clock()):
            raise LinkUseless
        log.info("password set", by="link")

    async def change_password(self, request: Request, response: Response, password: str) -> None:
        """Set another password; of all browsers this one alone stays logged in."""
        password_hash = await self._passwords.hash(password)
        await self._access.set_password(password_hash, now=self._clock())
        log.info("password set", by="account")
        await self.let_in(request, response)

    async def let_in(self, request: Request, response: Response) -> None:
        """Begin a session, always a new one: others may know what was in the cookie before."""
        arrival, now = self._proxies.arrival(request), self._clock()
        proof = new_proof()
        await self._end_session(request)
        await self._access.sessions.begin(
            hashed(proof),
            ADMIN,
            user_agent=request.headers.get("user-agent", ""),
            now=now,
            until=now + self._lasts,
        )
        cookies.give(response, request, arrival, proof=proof, lasts=self._lasts)
        await self._remember_device(request, response)
        log.info("logged in", address=arrival.address)

    async def let_out(self, request: Request, response: Response) -> None:
        """End the session of this browser."""
        await self._end_session(request)
        cookies.take(response, request, self._proxies.arrival(request))

    async def let_out_everywhere(self, request: Request, response: Response) -> None:
        """End the sessions of all browsers."""
        ended = await self._access.sessions.end_all(ADMIN)
        cookies.take(response, request, self._proxies.arrival(request))
        log.info("logged out everywhere", sessions=ended)

    async def has_password(self) -> bool:
        return await self._access.password() is not None

    async def _remember_device(self, request: Request, response: Response) -> None:
        """Count the attempts of this browser separately; issue a new cookie each time."""
        arrival, proof = self._proxies.arrival(request), new_proof()
        before = _visitor(request, arrival).device
        await self._access.remember_device(hashed(proof), before=before, now=self._clock())
        cookies.give(
            response, request, arrival, proof=proof, lasts=_DEVICE_LASTS, name=cookies.DEVICE
        )

    def _log_shut(self, address: str, until: datetime, now: datetime) -> None:
        """Log once that an address is locked out, regardless of the number of attempts."""
        self._shut = {known: ends for known, ends in self._shut.items() if ends > now}
        if address not in self._shut and len(self._shut) < _MOST_LOGGED:
            self._shut[address] = until
            log.warning("login shut", address=address, until=until.isoformat())

    async def _end_session(self, request: Request) -> None:
        proof = cookies.shown_by(request, self._proxies.arrival(request))
        if proof:
            await self._access.sessions.end(hashed(proof))


def _visitor(request: Request, arrival: Arrival) -> Visitor:
    proof = cookies.shown_by(request, arrival, cookies.DEVICE)
    return Visitor(arrival.address, hashed(proof) if proof else "")
