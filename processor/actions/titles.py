"""Titles of documents, as we last saw them: one query an instance."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from core.documents import DocumentRef
from processor.text import tidy
from store import Store


async def titles_of(store: Store, refs: Iterable[DocumentRef]) -> Mapping[DocumentRef, str]:
    """Return a title for each document; one that has none is called by its number."""
    by_instance: defaultdict[str, set[int]] = defaultdict(set)
    wanted = set(refs)
    for ref in wanted:
        by_instance[ref.instance].add(ref.id)
    titles = {ref: f"#{ref.id}" for ref in wanted}
    for instance, ids in by_instance.items():
        for number, known in (await store.documents.known(instance, ids)).items():
            ref = DocumentRef(instance, number)
            titles[ref] = tidy(known.title) or titles[ref]
    return titles
