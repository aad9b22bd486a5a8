"""Documents that Paperless has named by a webhook: look them up, and enqueue those to process.

A hint that cannot be looked up is dropped: the next scan finds the document.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from datetime import timedelta

import structlog

from core.calendar import Clock
from core.errors import PaperclerkError
from core.holds import filter_holds, targets_of
from core.scans import SkipReason
from core.tasks import run_until
from paperless_client import PaperlessError
from scanner.scan import Scanner
from store import Store

log = structlog.get_logger()

_GATHERED_FOR = timedelta(milliseconds=200)
"""Hints of a burst are looked up together."""


class HintQueue:
    """Keeps the hints of all instances, merged, until each is looked up."""

    def __init__(
        self,
        scanners: Mapping[str, Scanner],
        *,
        store: Store,
        clock: Clock,
        found: Callable[[], None],
    ) -> None:
        self._scanners = scanners
        self._store = store
        self._clock = clock
        self._found = found
        self._waiting: defaultdict[str, set[int]] = defaultdict(set)
        self._busy: set[str] = set()
        self._signal = asyncio.Event()

    def set_scanners(self, scanners: Mapping[str, Scanner]) -> None:
        """Replace the scanners; a lookup that has begun ends with its own."""
        self._scanners = scanners

    def add(self, instance: str, document: int) -> None:
        """Add a hint; the same document is looked up once."""
        self._waiting[instance].add(document)
        self._signal.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Look up hints until the stop; no instance waits for another."""
        async with asyncio.TaskGroup() as tasks:
            while not stop.is_set():
                self._signal.clear()
                for name in self._waiting.keys() - self._busy:
                    self._busy.add(name)
                    tasks.create_task(self._look_up(name, stop))
                await run_until(stop, self._signal.wait())

    async def _look_up(self, name: str, stop: asyncio.Event) -> None:
        try:
            await run_until(stop, asyncio.sleep(_GATHERED_FOR.total_seconds()))
            await run_until(stop, self._enqueue(name, frozenset(self._waiting.pop(name))))
        finally:
            self._busy.discard(name)
            # Others may have arrived meanwhile.
            self._signal.set()

    async def _enqueue(self, name: str, ids: frozenset[int]) -> None:
        try:
            await self._store.webhooks.record_received(name, now=self._clock())
            scanner, holds = self._scanners.get(name), await self._store.holds.list_active()
            if scanner is None or filter_holds(holds, targets_of(name).all_jobs):
                log.info("webhook skipped", instance=name, reason="on hold")
                return
            page = await scanner.select_named(ids)
            enqueued = await self._store.scans.enqueue_selected(page.selected, now=self._clock())
        except (PaperclerkError, PaperlessError) as error:
            log.warning("webhook not followed", instance=name, documents=len(ids), error=str(error))
            return
        skipped = Counter(page.skipped)
        # Another process was faster.
        skipped[SkipReason.QUEUED] += len(page.selected) - enqueued
        fields = {"skipped": _describe(skipped)} if skipped.total() else {}
        log.info("webhook followed", instance=name, documents=len(ids), enqueued=enqueued, **fields)
        if enqueued:
            self._found()


def _describe(skipped: Counter[SkipReason]) -> str:
    """Return why documents were skipped, such as `2 queued, 1 excluded_tag`."""
    return ", ".join(f"{count} {reason}" for reason, count in skipped.most_common() if count)
