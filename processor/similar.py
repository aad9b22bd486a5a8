"""Find similar documents in the archive index, or with Paperless's own search.

Paperless is asked while the index does not cover the archive. After a few writes, the search of
Paperless 3.x may find nothing at all until its index is rebuilt. In an archive with few similar
documents, finding nothing is normal.
"""

from collections.abc import Collection
from datetime import timedelta

import structlog

from core.archive import ArchiveFields
from core.calendar import Clock
from core.documents import DocumentRef
from paperless_client import Document, DocumentFields, PaperlessClient
from store import SearchFault, Store, StoreUnavailable

log = structlog.get_logger()

REMEDY = "run `document_index reindex` in the Paperless container"
PAUSE = timedelta(days=1)
"""How long a broken search is not used."""
IN_A_ROW = 5
"""Number of long documents without results before the search is tested."""
LONG = 500
"""Minimum number of characters; a shorter text may well have no similar document."""
SMALL = 50
"""Minimum number of documents; a smaller archive may have no similar ones."""


class SimilarSearch:
    """Searches one archive for similar documents, unless the search is broken."""

    def __init__(
        self, instance: str, client: PaperlessClient, *, store: Store, clock: Clock
    ) -> None:
        self._instance = instance
        self._client = client
        self._faults = store.search_faults
        self._index = store.index
        self._clock = clock
        self._found_nothing = 0

    async def find(
        self,
        document: Document,
        limit: int,
        *,
        without_tags: Collection[int],
        inbox_tags: Collection[int],
    ) -> list[DocumentFields]:
        """Return similar documents that have left the inbox, the most similar first."""
        try:
            if await self._index.covers_archive(self._instance):
                found = await self._index.find_similar(
                    DocumentRef(self._instance, document.id),
                    document.content,
                    without_tags={*without_tags, *inbox_tags},
                    limit=limit,
                )
                return [_to_document(fields) for fields in found]
        except StoreUnavailable as error:
            log.warning("archive index not searched", instance=self._instance, error=str(error))
        return await self._ask_paperless(document, limit, without_tags=without_tags)

    async def _ask_paperless(
        self, document: Document, limit: int, *, without_tags: Collection[int]
    ) -> list[DocumentFields]:
        """Return similar documents; none while the search is known to be broken."""
        fault = await self._faults.get(self._instance)
        if fault is not None and self._clock() - fault.noticed_at < PAUSE:
            return []
        found = await self._client.find_similar(document.id, limit, without_tags=without_tags)
        if found:
            self._found_nothing = 0
            if fault is not None:
                await self.mark_working()
        elif len(document.content) >= LONG:
            await self._suspect(document.id)
        return found

    async def is_broken_for(self, document: int) -> bool:
        """Return whether no document is similar to this one, although the archive is not small."""
        if await self._client.has_similar(document):
            return False
        return await self._client.count_documents() >= SMALL

    async def mark_working(self) -> None:
        """Record that the search works again."""
        await self._faults.clear(self._instance)
        log.info("similar documents are found again", instance=self._instance)

    async def _suspect(self, document: int) -> None:
        self._found_nothing += 1
        if self._found_nothing < IN_A_ROW:
            return
        self._found_nothing = 0
        if await self.is_broken_for(document):
            await self._faults.record(self._instance, SearchFault(document, self._clock()))
            log.warning("similar documents are not found", instance=self._instance, remedy=REMEDY)


def _to_document(fields: ArchiveFields) -> DocumentFields:
    return DocumentFields(
        id=fields.ref.id,
        title=fields.title,
        correspondent=fields.correspondent,
        document_type=fields.document_type,
        tags=fields.tags,
        created=fields.created,
        added=fields.added,
        original_file_name=fields.original_file_name,
        storage_path=None,
        custom_fields=(),
    )
