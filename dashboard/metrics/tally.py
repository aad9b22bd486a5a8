"""Count how jobs end, for counters that never go down."""

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
    """Follows the log of events and counts how attempts ended since the first question.

    To count jobs would not do: old ones are deleted and failed ones started again, and a counter
    must not go down.
    """

    def __init__(self, store: Store) -> None:
        self._jobs = store.jobs
        self._position: int | None = None
        self._ended: Ended = Counter()
        self._counting = asyncio.Lock()

    async def count_ended(self) -> Ended:
        """Return how many attempts ended how."""
        async with self._counting:
            if self._position is None:
                self._position = await self._jobs.get_last_event_id()
            while found := await self._jobs.list_events_with_jobs(self._position, limit=_AT_ONCE):
                for one in found:
                    if result := _RESULTS.get(one.event.name):
                        self._ended[one.document.instance, result] += 1
                self._position = found[-1].event.id
            return self._ended.copy()
