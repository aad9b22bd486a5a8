"""List the documents of one instance, each once, even if the list changes meanwhile."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from paperless_client import (
    MAX_IDS,
    DocumentQuery,
    DocumentSummary,
    ListChanged,
    Ordering,
    Page,
    PaperlessClient,
    chunked,
)
from scanner.selection import Selection

PAGE_SIZE = 1000
"""Any page takes Paperless a quarter of a second; larger ones need too much memory there."""
_PERIODS = tuple(timedelta(days=days) for days in (1, 3, 10, 30, 100, 300, 1000, 3000))


@dataclass(frozen=True, slots=True)
class ListSummary:
    """The number of documents and the id of the newest one (0 if there is none)."""

    documents: int
    newest_id: int


def build_full_query(selection: Selection) -> DocumentQuery:
    """Build the query for all documents of the selection, newest first.

    Ids follow the order of arrival, so Paperless does not have to sort.
    """
    return DocumentQuery(
        include_tags=selection.include,
        added_since=selection.since,
        ordering=Ordering.ID_NEWEST_FIRST,
    )


def build_changed_query(selection: Selection, since: datetime, until: datetime) -> DocumentQuery:
    """Build the query for documents modified in this time span, both ends included.

    Without an end the list would never finish: our own writes are appended to it.
    """
    return DocumentQuery(
        include_tags=selection.include,
        added_since=selection.since,
        modified_since=since,
        modified_until=until,
        ordering=Ordering.MODIFIED,
    )


class FullListing:
    """Every document of a selection, newest first.

    After the first page the list is read in ranges of ids. Pages then cannot shift, Paperless does
    not count or sort the whole archive for each of them, and pages of API version 9 do not contain
    the ids of all documents.
    """

    def __init__(
        self,
        client: PaperlessClient,
        selection: Selection,
        *,
        now: datetime,
        page_size: int = PAGE_SIZE,
    ) -> None:
        self._page_size = page_size
        self._client = client
        self._selection = selection
        self._query = build_full_query(selection)
        self._now = now
        self._total: int | None = None
        self._read = 0

    @property
    def unread(self) -> int | None:
        """Return the number of documents that were not read; None if unknown."""
        return None if self._total is None else max(0, self._total - self._read)

    async def pages(self) -> AsyncIterator[list[DocumentSummary]]:
        """Yield the documents page by page, each once."""
        async for page in self._pages():
            self._read += len(page)
            yield page

    async def _pages(self) -> AsyncIterator[list[DocumentSummary]]:
        if await self._client.lists_every_id() and not self._is_small:
            top = await self._top()
            async for page in self._above(top):
                yield page
        else:
            first = await self._client.list_documents(
                self._query, page=1, page_size=self._page_size
            )
            self._total = first.count
            yield list(first.results)
            top = first.results[-1].id - 1 if first.has_next else 0
        for ids in chunked(range(top, 0, -1)):
            yield await self._in_range(ids)

    @property
    def _is_small(self) -> bool:
        """Return whether the list fits on one page, by the tags' document counts."""
        return self._selection.at_most is not None and self._selection.at_most <= self._page_size

    async def _top(self) -> int:
        newest = await fetch_newest_document(self._client, Ordering.ID_NEWEST_FIRST, now=self._now)
        if not self._selection.include and self._selection.since is None:
            self._total = await self._client.count_documents()
        return newest.id if newest else 0

    async def _above(self, top: int) -> AsyncIterator[list[DocumentSummary]]:
        """Yield documents with a higher id but an older date, from a clock that was behind."""
        ids = next(chunked(range(top + 1, top + 1 + MAX_IDS)))
        while found := await self._in_range(ids):
            yield found
            ids = next(chunked(range(max(ids) + 1, max(ids) + 1 + MAX_IDS)))

    async def _in_range(self, ids: frozenset[int]) -> list[DocumentSummary]:
        query = replace(self._query, ids=ids)
        return list((await self._client.list_documents(query, page=1, page_size=len(ids))).results)


async def fetch_by_ids(client: PaperlessClient, ids: Iterable[int]) -> list[DocumentSummary]:
    """Return those of the documents that exist and that the token's user may see."""
    pages = [
        await client.list_documents(DocumentQuery(ids=chunk), page=1, page_size=len(chunk))
        for chunk in chunked(ids)
    ]
    return [document for page in pages for document in page.results]


async def fetch_newest_document(
    client: PaperlessClient, ordering: Ordering, *, now: datetime
) -> DocumentSummary | None:
    """Return the first document of a newest-first ordering; None if there is none.

    If pages contain the ids of all matching documents, the query covers only as much of the past
    as needed.
    """
    bounds: list[datetime | None] = [None]
    if await client.lists_every_id():
        bounds = [*(now - back for back in _PERIODS), None]
    for since in bounds:
        if ordering is Ordering.MODIFIED_NEWEST_FIRST:
            query = DocumentQuery(modified_since=since, ordering=ordering)
        else:
            query = DocumentQuery(added_since=since, ordering=ordering)
        page = await client.list_documents(query, page=1, page_size=1)
        if page.results:
            return page.results[0]
    return None


async def fetch_list_summary(client: PaperlessClient, *, now: datetime) -> ListSummary:
    """Return the number of documents and the newest one."""
    ordering = Ordering.ID_NEWEST_FIRST
    if await client.lists_every_id():
        newest = await fetch_newest_document(client, ordering, now=now)
        return ListSummary(await client.count_documents(), newest.id if newest else 0)
    page = await client.list_documents(DocumentQuery(ordering=ordering), page=1, page_size=1)
    return ListSummary(page.count, page.results[0].id if page.results else 0)


async def fetch_pages(
    client: PaperlessClient, query: DocumentQuery, *, page_size: int = PAGE_SIZE
) -> AsyncIterator[list[DocumentSummary]]:
    """Yield all documents that match a query about changes, each once.

    Page numbers shift when documents are added or removed. Each page therefore starts at the time
    of the last document before it; pages are numbered only within one such time.
    """
    seen: set[int] = set()
    place: _Position | None = _Position(query)
    while place is not None:
        try:
            answer = await client.list_documents(place.query, page=place.page, page_size=page_size)
        except ListChanged:
            if place.page == 1:
                raise
            place = _Position(place.query)
            continue
        fresh = [document for document in answer.results if document.id not in seen]
        yield fresh
        seen.update(document.id for document in fresh)
        place = place.after(answer, fresh=bool(fresh))


@dataclass(frozen=True, slots=True)
class _Position:
    """The position in a list that is being read."""

    query: DocumentQuery
    page: int = 1
    count: int = 0
    """Number of documents according to the previous page."""
    shifted: bool = False
    """Documents of this time were modified, so others moved to pages already read."""
    fresh: bool = False
    """An unseen document of this time was found."""

    def after(self, answer: Page[DocumentSummary], *, fresh: bool) -> "_Position | None":
        """Return the next position; None at the end."""
        shifted = self.shifted or (self.page > 1 and answer.count < self.count)
        fresh = fresh or self.fresh
        further = None
        if answer.has_next:
            further = replace(self.query, modified_since=answer.results[-1].modified)
        if further == self.query:
            return _Position(self.query, self.page + 1, answer.count, shifted, fresh)
        if shifted and fresh:
            # Only while new documents are found: the list may shrink for hours.
            return _Position(self.query)
        return None if further is None else _Position(further)
