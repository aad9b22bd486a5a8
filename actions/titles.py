"""Titles of documents, as we last saw them: one query for all."""

from collections.abc import Iterable, Mapping

from core.documents import DocumentRef, KnownDocument
from core.text import tidy
from store import Store


async def titles_of(store: Store, refs: Iterable[DocumentRef]) -> Mapping[DocumentRef, str]:
    """Return a title for each document; one that has none is called by its number."""
    wanted = set(refs)
    known = await store.documents.known_of(wanted) if wanted else {}
    return {ref: _title(known.get(ref)) or f"#{ref.id}" for ref in wanted}


def _title(known: KnownDocument | None) -> str:
    return tidy(known.title) if known else ""
