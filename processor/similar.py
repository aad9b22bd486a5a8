"""Find similar documents with Paperless's own search, and notice when that is broken.

After a few writes, Paperless 3.x may answer every such question with nothing, until its index is
built anew. An archive in which few documents are alike answers the same, and nothing is wrong.
"""

from collections.abc import Collection
from datetime import timedelta

import structlog

from core.clock import Clock
from paperless_client import Document, DocumentFields, PaperlessClient
from store import SearchFault, Store

log = structlog.get_logger()

REMEDY = "run `document_index reindex` in the Paperless container"
PAUSE = timedelta(days=1)
"""So long a broken search is not asked."""
IN_A_ROW = 5
"""So many long documents must have found nothing before the search is suspected."""
LONG = 500
"""Characters; a shorter text may well be like no other."""
SMALL = 50
"""Documents; in a smaller archive nothing may be alike."""


class SimilarSearch:
    """Asks one Paperless for similar documents, as long as that makes sense."""

    def __init__(
        self, instance: str, client: PaperlessClient, *, store: Store, clock: Clock
    ) -> None:
        self._instance = instance
        self._client = client
        self._faults = store.search_faults
        self._clock = clock
        self._found_nothing = 0

    async def find(
        self, document: Document, limit: int, *, without_tags: Collection[int]
    ) -> list[DocumentFields]:
        """Return documents like this one; none while the search is known to be broken."""
        fault = await self._faults.get(self._instance)
        if fault is not None and self._clock() - fault.noticed_at < PAUSE:
            return []
        found = await self._client.similar(document.id, limit, without_tags=without_tags)
        if found:
            self._found_nothing = 0
            if fault is not None:
                await self.clear()
        elif len(document.content) >= LONG:
            await self._suspect(document.id)
        return found

    async def is_broken_for(self, document: int) -> bool:
        """Return whether nothing at all is like a document, although the archive is not small."""
        if await self._client.has_similar(document):
            return False
        return await self._client.count_documents() >= SMALL

    async def clear(self) -> None:
        """Note that the search works again."""
        await self._faults.clear(self._instance)
        log.info("similar documents are found again", instance=self._instance)

    async def _suspect(self, document: int) -> None:
        self._found_nothing += 1
        if self._found_nothing < IN_A_ROW:
            return
        self._found_nothing = 0
        if await self.is_broken_for(document):
            await self._faults.note(self._instance, SearchFault(document, self._clock()))
            log.warning("similar documents are not found", instance=self._instance, remedy=REMEDY)
