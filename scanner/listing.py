"""List the documents of one instance, each once, whatever changes meanwhile."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import datetime

from paperless_client import (
    DocumentQuery,
    DocumentSummary,
    ListChanged,
    Ordering,
    Page,
    PaperlessClient,
)
from scanner.selection import Selection

PAGE_SIZE = 500
"""Paperless spends a quarter of a second on any page; larger ones swell its memory."""


def everything(selection: Selection) -> DocumentQuery:
    """Build the question for all documents that may be asked for, newest first."""
    return DocumentQuery(
        include_tags=selection.include,
        added_since=selection.since,
        ordering=Ordering.ADDED_NEWEST_FIRST,
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


async def pages_of(
    client: PaperlessClient, query: DocumentQuery, *, page_size: int = PAGE_SIZE
) -> AsyncIterator[list[DocumentSummary]]:
    """Yield all documents that a question is for, each once.

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
        further = _from(self.query, answer.results[-1]) if answer.has_next else None
        if further == self.query:
            return _Place(self.query, self.page + 1, answer.count, shifted, fresh)
        if shifted and fresh:
            # Only while something is found: the list may go on shrinking for hours.
            return _Place(self.query)
        return None if further is None else _Place(further)


def _from(query: DocumentQuery, last: DocumentSummary) -> DocumentQuery:
    """Narrow the question down to what comes from the last one on."""
    if query.ordering is Ordering.MODIFIED:
        return replace(query, modified_since=last.modified)
    return replace(query, added_until=last.added)
