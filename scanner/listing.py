"""List the documents of one instance, each once, whatever changes meanwhile."""

from collections.abc import AsyncIterator
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
"""Paperless spends a quarter of a second on any page; larger ones swell its memory."""
_LOOKED_BACK = tuple(timedelta(days=days) for days in (1, 3, 10, 30, 100, 300, 1000, 3000))


@dataclass(frozen=True, slots=True)
class Head:
    """How many documents there are, and the id of the newest (0: there is none)."""

    documents: int
    newest_id: int


def everything(selection: Selection) -> DocumentQuery:
    """Build the question for all documents that may be asked for, newest first.

    By id, which is given in the order of arrival: Paperless need not sort for it.
    """
    return DocumentQuery(
        include_tags=selection.include,
        added_since=selection.since,
        ordering=Ordering.ID_NEWEST_FIRST,
    )


def changed(selection: Selection, since: datetime, until: datetime) -> DocumentQuery:
    """Build the question for those that were modified in this span, both ends included.

    With an end: what we write meanwhile would run ahead of the pages for ever.
    """
    return DocumentQuery(
        include_tags=selection.include,
        added_since=selection.since,
        modified_since=since,
        modified_until=until,
        ordering=Ordering.MODIFIED,
    )


class WholeList:
    """Every document that a selection is for, the newest first.

    After the first page the list is read by ranges of ids. No page can shift then, Paperless need
    not count or sort the whole archive for each of them, and no page of API version 9 carries the
    ids of all documents.
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
        self._query = everything(selection)
        self._now = now
        self._total: int | None = None
        self._read = 0

    @property
    def unread(self) -> int | None:
        """Return how many documents have not been read; None if their number is not known."""
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
            first = await self._client.documents(self._query, page=1, page_size=self._page_size)
            self._total = first.count
            yield list(first.results)
            top = first.results[-1].id - 1 if first.has_next else 0
        for ids in chunked(range(top, 0, -1)):
            yield await self._in_range(ids)

    @property
    def _is_small(self) -> bool:
        """Return whether all of it fits on one page, as far as the tags tell."""
        return self._selection.at_most is not None and self._selection.at_most <= self._page_size

    async def _top(self) -> int:
        newest = await newest_document(self._client, Ordering.ID_NEWEST_FIRST, now=self._now)
        if not self._selection.include and self._selection.since is None:
            self._total = await self._client.count_documents()
        return newest.id if newest else 0

    async def _above(self, top: int) -> AsyncIterator[list[DocumentSummary]]:
        """Yield what has a higher id and yet an older date, by a clock that was behind."""
        ids = next(chunked(range(top + 1, top + 1 + MAX_IDS)))
        while found := await self._in_range(ids):
            yield found
            ids = next(chunked(range(max(ids) + 1, max(ids) + 1 + MAX_IDS)))

    async def _in_range(self, ids: frozenset[int]) -> list[DocumentSummary]:
        query = replace(self._query, ids=ids)
        return list((await self._client.documents(query, page=1, page_size=len(ids))).results)


async def newest_document(
    client: PaperlessClient, ordering: Ordering, *, now: datetime
) -> DocumentSummary | None:
    """Return the first document of an ordering that puts the newest first; None without any.

    Where each page carries the ids of all documents that match, no more of the past is asked for
    than is needed.
    """
    bounds: list[datetime | None] = [None]
    if await client.lists_every_id():
        bounds = [*(now - back for back in _LOOKED_BACK), None]
    for since in bounds:
        if ordering is Ordering.MODIFIED_NEWEST_FIRST:
            query = DocumentQuery(modified_since=since, ordering=ordering)
        else:
            query = DocumentQuery(added_since=since, ordering=ordering)
        page = await client.documents(query, page=1, page_size=1)
        if page.results:
            return page.results[0]
    return None


async def head_of(client: PaperlessClient, *, now: datetime) -> Head:
    """Return how many documents there are, and which is the newest."""
    ordering = Ordering.ID_NEWEST_FIRST
    if await client.lists_every_id():
        newest = await newest_document(client, ordering, now=now)
        return Head(await client.count_documents(), newest.id if newest else 0)
    page = await client.documents(DocumentQuery(ordering=ordering), page=1, page_size=1)
    return Head(page.count, page.results[0].id if page.results else 0)


async def pages_of(
    client: PaperlessClient, query: DocumentQuery, *, page_size: int = PAGE_SIZE
) -> AsyncIterator[list[DocumentSummary]]:
    """Yield all documents that a question about changes is for, each once.

    Page numbers shift when documents come and go, so each page begins at the moment at which the
    last one ended; only within one moment are pages counted.
    """
    seen: set[int] = set()
    place: _Place | None = _Place(query)
    while place is not None:
        try:
            answer = await client.documents(place.query, page=place.page, page_size=page_size)
        except ListChanged:
            if place.page == 1:
                raise
            place = _Place(place.query)
            continue
        fresh = [one for one in answer.results if one.id not in seen]
        yield fresh
        seen.update(one.id for one in fresh)
        place = place.after(answer, fresh=bool(fresh))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a list is being read."""

    query: DocumentQuery
    page: int = 1
    count: int = 0
    """How many there were by the page before."""
    shifted: bool = False
    """Documents have left this moment: others moved up, onto pages that had been read."""
    fresh: bool = False
    """Something unseen was found in this moment."""

    def after(self, answer: Page[DocumentSummary], *, fresh: bool) -> "_Place | None":
        """Return where to read on; None at the end."""
        shifted = self.shifted or (self.page > 1 and answer.count < self.count)
        fresh = fresh or self.fresh
        further = None
        if answer.has_next:
            further = replace(self.query, modified_since=answer.results[-1].modified)
        if further == self.query:
            return _Place(self.query, self.page + 1, answer.count, shifted, fresh)
        if shifted and fresh:
            # Only while something is found: the list may go on shrinking for hours.
            return _Place(self.query)
        return None if further is None else _Place(further)
