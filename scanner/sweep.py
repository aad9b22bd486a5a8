"""Find what waits for a person though its document is gone from Paperless."""

from collections.abc import Iterable

from core.clock import Clock
from paperless_client import DocumentQuery, PaperlessClient, chunked
from store import Store


class Sweep:
    """Withdraws what nobody can decide about any more."""

    def __init__(self, name: str, client: PaperlessClient, *, store: Store, clock: Clock) -> None:
        self._name = name
        self._client = client
        self._store = store
        self._clock = clock

    async def sweep(self) -> int:
        """Withdraw what waits for review of vanished documents; return how many those are."""
        waiting = await self._store.documents.for_review(self._name)
        gone = await self._missing(waiting)
        return await self._store.documents.vanish(self._name, gone, now=self._clock())

    async def _missing(self, ids: Iterable[int]) -> frozenset[int]:
        missing = frozenset[int]()
        for chunk in chunked(ids):
            page = await self._client.documents(
                DocumentQuery(ids=chunk), page=1, page_size=len(chunk)
            )
            missing |= chunk - {one.id for one in page.results}
        return missing
