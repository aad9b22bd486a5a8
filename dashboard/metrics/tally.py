"""Count how attempts end, for counters that never decrease."""

import asyncio
from collections import Counter

from core.jobs import EventName
from store import Store

_RESULTS = {
    EventName.COMPLETED: "completed",
    EventName.RETRIED: "retried",
    EventName.FAILED: "failed",
    EventName.CANCELLED: "cancelled",
}
_AT_ONCE = 1_000

Ended = Counter[tuple[str, str]]
"""By instance and result."""


class Tally:
    """Counts from the event log how attempts ended since the first request.

    Counting jobs would not do: old jobs are deleted and failed ones retried, and a counter must
    not decrease.
    """

    def __init__(self, store: Store) -> None:
        self._jobs = store.jobs
        self._position: int | None = None
        self._ended: Ended = Counter()
        self._counting = asyncio.Lock()

    async def count_ended(self) -> Ended:
        """Return the number of ended attempts by instance and result."""
        async with self._counting:
            if self._position is None:
                self._position = await self._jobs.get_last_event_id()
            while found := await self._jobs.list_events_with_jobs(self._position, limit=_AT_ONCE):
                for followed in found:
                    if result := _RESULTS.get(followed.event.name):
                        self._ended[followed.document.instance, result] += 1
                self._position = found[-1].event.id
            return self._ended.copy()
