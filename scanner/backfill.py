"""Keep the archive index of one instance up to date with Paperless.

One comparison does everything. Documents are listed without their text, and the text is read only
of those that the index does not have as they are now. So a comparison that was interrupted goes on
where it stopped. Excluded and vanished documents leave the index.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import monotonic

import structlog

from core.archive import ArchiveName, ArchiveState, IndexMode, choose_index_mode
from core.calendar import Clock
from core.documents import DocumentRef
from core.names import TagIds
from paperless_client import (
    Document,
    DocumentQuery,
    DocumentSummary,
    NameKind,
    NameLists,
    Ordering,
    build_archive_document,
    chunked,
)
from scanner.listing import FullListing, fetch_pages
from scanner.selection import Selection
from store import Store

log = structlog.get_logger()

PASS_INTERVAL = timedelta(days=1)
"""How often the whole archive is compared with the index."""
_NAMES = {
    ArchiveName.CORRESPONDENT: NameKind.CORRESPONDENT,
    ArchiveName.DOCUMENT_TYPE: NameKind.DOCUMENT_TYPE,
    ArchiveName.TAG: NameKind.TAG,
}


@dataclass(frozen=True, slots=True)
class IndexRules:
    """Which documents of an instance may enter the index."""

    enabled: bool | None = None
    """The setting; None if it is not set."""
    limits_reading: bool = False
    """Whether the owner lets Paperclerk read only documents with certain tags."""
    exclude_tags: frozenset[str] = field(default_factory=frozenset)
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class ReadingPace:
    """How fast texts are read from Paperless."""

    batch: int = 50
    """Documents whose texts are read with one request."""
    rest: float = 1.0
    """The pause after such a request, as a share of the time it took."""


GENTLE = ReadingPace()


class IndexFiller:
    """Compares the archive index of one instance with its Paperless."""

    def __init__(
        self,
        name: str,
        lists: NameLists,
        rules: IndexRules,
        *,
        store: Store,
        clock: Clock,
        pace: ReadingPace = GENTLE,
    ) -> None:
        self._name = name
        self._lists = lists
        self._client = lists.client
        self._rules = rules
        self._store = store
        self._index = store.index
        self._clock = clock
        self._pace = pace
        self._took = 0.0
        """Seconds that the last request for texts took."""

    async def get_mode(self) -> IndexMode:
        """Return which documents enter the index now."""
        known = await self._store.instances.get(self._name)
        return choose_index_mode(
            enabled=self._rules.enabled,
            limits_reading=self._rules.limits_reading,
            choice=known.index_choice if known else None,
        )

    async def update(self) -> None:
        """Bring the index up to date; raise PaperlessError or TagMissing."""
        mode = await self.get_mode()
        if mode is IndexMode.OFF:
            await self._index.remove_instance(self._name)
            return
        state = await self._index.get_state(self._name)
        excluded = await self._remove_excluded(state)
        await self._index.replace_names(self._name, await self._fetch_names())
        scope = f"{mode} since {self._rules.since}"
        if self._needs_whole_pass(state, scope):
            await self._compare_all(mode, excluded)
            await self._index.set_passed(self._name, self._clock(), scope)
            log.info("archive compared with the index", instance=self._name)
        elif state.newest_modified is not None:
            changed = DocumentQuery(
                modified_since=state.newest_modified, ordering=Ordering.MODIFIED
            )
            await self._compare(fetch_pages(self._client, changed), mode, excluded)

    def _needs_whole_pass(self, state: ArchiveState, scope: str) -> bool:
        if state.passed_at is None or state.scope != scope:
            return True
        if state.excluded_tags != self._rules.exclude_tags:
            return True
        return not timedelta(0) <= self._clock() - state.passed_at < PASS_INTERVAL

    async def _remove_excluded(self, state: ArchiveState) -> frozenset[int]:
        """Remove documents with an excluded tag; return the ids of these tags."""
        if state.excluded_tags != self._rules.exclude_tags:
            # A tag that was just created for this may not be in the cached list.
            self._lists.tags.invalidate()
        tags = await self._lists.tags.get_entries() if self._rules.exclude_tags else ()
        ids = TagIds.from_pairs((tag.name, tag.id) for tag in tags)
        excluded = ids.all_ids(self._rules.exclude_tags)
        if excluded:
            await self._index.remove_tagged(self._name, excluded)
        if state.excluded_tags != self._rules.exclude_tags:
            await self._index.set_excluded_tags(self._name, self._rules.exclude_tags)
        return excluded

    async def _fetch_names(self) -> Mapping[ArchiveName, Mapping[int, str]]:
        return {
            kind: {
                entry.id: entry.name
                for entry in await self._lists.of_kind(of_paperless).get_entries()
            }
            for kind, of_paperless in _NAMES.items()
        }

    async def _compare_all(self, mode: IndexMode, excluded: frozenset[int]) -> None:
        """Compare every document; remove those that are gone."""
        missing = set(await self._index.list_ids(self._name))

        async def list_pages() -> AsyncIterator[Collection[DocumentSummary]]:
            async for page in FullListing(self._client, Selection(), now=self._clock()).pages():
                missing.difference_update(document.id for document in page)
                yield page

        await self._compare(list_pages(), mode, excluded)
        await self._remove_gone(missing)

    async def _compare(
        self,
        pages: AsyncIterator[Collection[DocumentSummary]],
        mode: IndexMode,
        excluded: frozenset[int],
    ) -> None:
        """Remove the excluded documents of a listing, and index those that are new or changed."""
        wanted = self._list_wanted(pages, mode, excluded)
        async with aclosing(self._fetch_texts(wanted, excluded)) as fetched:
            async for documents in fetched:
                entries = [build_archive_document(self._name, document) for document in documents]
                await self._index.put(*entries)

    async def _list_wanted(
        self,
        pages: AsyncIterator[Collection[DocumentSummary]],
        mode: IndexMode,
        excluded: frozenset[int],
    ) -> AsyncIterator[int]:
        """Yield the ids of the documents to index; remove the excluded ones."""
        async for page in pages:
            known = await self._index.list_modified(self._name, [document.id for document in page])
            await self._remove(
                document.id
                for document in page
                if document.id in known and document.tags & excluded
            )
            for document in page:
                if not document.tags & excluded and self._wants(document, known, mode):
                    yield document.id

    def _wants(
        self, document: DocumentSummary, known: Mapping[int, datetime], mode: IndexMode
    ) -> bool:
        if document.id in known:
            return known[document.id] != document.modified
        arrived = self._rules.since is None or document.added >= self._rules.since
        return mode is IndexMode.ALL and arrived

    async def _fetch_texts(
        self, ids: AsyncIterator[int], excluded: frozenset[int]
    ) -> AsyncGenerator[tuple[Document, ...], None]:
        """Yield documents with their texts; the next are fetched while the last are indexed.

        Paperless gets one such request at a time.
        """
        ahead: asyncio.Task[tuple[Document, ...]] | None = None
        try:
            async for batch in _batched(ids, self._pace.batch):
                fetched = await ahead if ahead is not None else ()
                ahead = asyncio.create_task(self._fetch_batch(batch, excluded))
                if fetched:
                    yield fetched
            if ahead is not None:
                yield await ahead
        finally:
            if ahead is not None:
                ahead.cancel()

    async def _fetch_batch(
        self, ids: frozenset[int], excluded: frozenset[int]
    ) -> tuple[Document, ...]:
        """Fetch documents, after a pause in proportion to the time of the last request."""
        await asyncio.sleep(self._took * self._pace.rest)
        started = monotonic()
        documents = await self._client.fetch_documents(ids, without_tags=excluded)
        self._took = monotonic() - started
        return documents

    async def _remove_gone(self, ids: Iterable[int]) -> None:
        """Remove the documents that Paperless has no more."""
        for chunk in chunked(sorted(ids)):
            found = await self._client.fetch_fields_of(chunk)
            await self._remove(chunk - {document.id for document in found})

    async def _remove(self, ids: Iterable[int]) -> None:
        await self._index.remove([DocumentRef(self._name, id_) for id_ in ids])


async def _batched(ids: AsyncIterator[int], size: int) -> AsyncIterator[frozenset[int]]:
    batch = set[int]()
    async for id_ in ids:
        batch.add(id_)
        if len(batch) == size:
            yield frozenset(batch)
            batch.clear()
    if batch:
        yield frozenset(batch)
