"""List the documents of one instance, each once, whatever changes meanwhile."""

from collections.abc import AsyncIterator
from dataclasses import replace

from paperless_client import DocumentQuery, DocumentSummary, Ordering, PaperlessClient
from scanner.selection import Selection

PAGE_SIZE = 500
"""Paperless spends a quarter of a second on any page; larger ones swell its memory."""


async def pages_newest_first(
    client: PaperlessClient, selection: Selection, *, page_size: int = PAGE_SIZE
) -> AsyncIterator[list[DocumentSummary]]:
    """Yield all documents that may be asked for, newest first.

    Page numbers shift when documents come and go. The moment of arrival never changes, so each
    page begins where the last one ended; only within one moment are pages counted.
    """
    query = DocumentQuery(
        include_tags=selection.include,
        added_since=selection.since,
        ordering=Ordering.ADDED_NEWEST_FIRST,
    )
    seen: set[int] = set()
    page = 1
    while True:
        answer = await client.documents(query, page=page, page_size=page_size)
        yield [one for one in answer.results if one.id not in seen]
        seen.update(one.id for one in answer.results)
        if not answer.has_next:
            return
        last = answer.results[-1].added
        page = page + 1 if last == query.added_until else 1
        query = replace(query, added_until=last)
