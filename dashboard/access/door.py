"""The door: the password, the one-time link, and what a browser is given to be known by."""

import structlog
from starlette.requests import Request
from starlette.responses import Response

from core.access import ADMIN, Patience
from dashboard.access import cookies
from dashboard.access.origin import require_own_origin
from dashboard.access.passwords import Passwords
from dashboard.access.proof import hashed, new_proof
from dashboard.access.proxies import Proxies
from dashboard.desk import Desk
from dashboard.errors import LinkUseless, TooManyTries, WrongPassword

log = structlog.get_logger()


class Door:
    """Where people come in and go out."""

    def __init__(self, desk: Desk, passwords: Passwords | None = None) -> None:
        self._access = desk.store.access
        self._clock = desk.clock
        self._lasts = desk.settings.daemon.web.session
        self._proxies = Proxies(desk.settings.daemon.web.trusted_proxies)
        self._passwords = passwords or Passwords()
        self._patience = Patience()

    async def check_password(self, request: Request, password: str) -> None:
        """Raise WrongPassword, or TooManyTries; each try is counted before it is looked at."""
        arrival, now = self._proxies.arrival(request), self._clock()
        require_own_origin(request, host=arrival.host)
        shut = await self._access.attempt(arrival.address, self._patience, now=now)
        if shut is not None:
            log.warning("login shut", address=arrival.address, until=shut.isoformat())
            raise TooManyTries(shut - now)
        if not await self.is_password(password):
            log.warning("login refused", address=arrival.address)
            raise WrongPassword
        await self._access.forgive(arrival.address)

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

    async def _end_session(self, request: Request) -> None:
        proof = cookies.shown_by(request, self._proxies.arrival(request))
        if proof:
            await self._access.sessions.end(hashed(proof))
