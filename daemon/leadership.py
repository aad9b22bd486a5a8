"""Leadership: of several daemons on one database, one scans and does the maintenance."""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import timedelta

import structlog

from core.calendar import Clock
from core.tasks import run_until
from store import HeldLease, LeaseLost, Store

log = structlog.get_logger()

RENEW_INTERVAL = timedelta(seconds=5)
"""Several tries before the lease ends; a daemon on standby takes an expired one after this long."""


class Leadership:
    """Holds the scanner's lease if possible, and runs the leader's parts meanwhile.

    Without a lease, on SQLite, this is the only daemon and it always leads.
    """

    def __init__(self, lease: HeldLease | None, store: Store, clock: Clock) -> None:
        self._lease = lease
        self._store = store
        """Fenced by the lease."""
        self._clock = clock
        self._ended: asyncio.Event | None = asyncio.Event() if lease is None else None
        """Set when our term is over; None while another daemon leads."""
        self._begun = asyncio.Event()

    @property
    def is_leading(self) -> bool:
        return self._ended is not None and not self._ended.is_set()

    async def renew(self) -> None:
        """Renew the lease, or take it if no other daemon holds it."""
        if self._lease is None:
            return
        if self._ended is None:
            await self._try_to_begin(self._lease)
        elif not self._ended.is_set() and not await self._lease.renew():
            log.warning("another daemon scans now")
            self._ended.set()

    async def run(
        self,
        lead: Callable[[asyncio.Event], Coroutine[object, object, None]],
        *,
        stop: asyncio.Event,
    ) -> None:
        """Run `lead` during each term, with the event that ends it, until the stop."""
        while not stop.is_set():
            if self._ended is None:
                await run_until(stop, self._wait_for_term())
                continue
            await run_until(stop, lead(self._ended))
            if self._ended.is_set():
                self._ended = None

    async def resign(self) -> None:
        """Let another daemon take over at once."""
        if self._lease is not None:
            await self._lease.release()

    async def _try_to_begin(self, lease: HeldLease) -> None:
        if lease.term is None and not await lease.acquire():
            return
        assert lease.term is not None
        try:
            # They cannot end by themselves: each of their writes is refused.
            await self._store.scans.close_of_former_terms(term=lease.term, now=self._clock())
        except LeaseLost:
            lease.term = None
            return
        log.info("this daemon scans", term=lease.term)
        self._ended = asyncio.Event()
        self._begun.set()

    async def _wait_for_term(self) -> None:
        await self._begun.wait()
        self._begun.clear()
