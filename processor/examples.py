"""Build the examples of a prompt: similar documents with the values that people gave them.

The archive index finds similar documents. Until it covers the archive, Paperless's own search is
used. After a few writes, the search of Paperless 3.x may find nothing at all until its index is
rebuilt. In an archive with few similar documents, finding nothing is normal.
"""

import asyncio
from collections.abc import Collection, Container, Iterable, Sequence
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING

import structlog

from core.archive import ArchiveFields
from core.calendar import Clock
from core.changes import AutomaticValue
from core.documents import DocumentRef, DocumentState
from core.fields import NAMED_FIELDS, FieldName, is_same_value
from paperless_client import Document, DocumentFields, PaperlessClient, PaperlessError
from processor.analysis.prompt_blocks import Example
from processor.names.catalogue import NamesInUse
from processor.reconcile import read_current_values
from store import SearchFault, Store, StoreUnavailable

if TYPE_CHECKING:
    # Circular at runtime: an instance holds its SimilarSearch.
    from processor.instance import Instance

log = structlog.get_logger()

_REMEDY = "run `document_index reindex` in the Paperless container"
_SEARCH_PAUSE = timedelta(days=1)
"""How long a broken search is not used."""
EMPTY_SEARCHES = 5
"""Number of long documents without results before the search is tested."""
LONG_TEXT = 500
"""Minimum number of characters; a shorter text may well have no similar document."""
_SMALL_ARCHIVE = 50
"""Minimum number of documents; a smaller archive may have no similar ones."""
_MAX_SIMILAR = 25
"""Similar documents that are read: many may have been filed by us, or not at all."""
_SHOWN: Sequence[FieldName] = [field for field in FieldName if field is not FieldName.DATE]
"""No date: each document has its own."""


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
        """Return similar documents that have left the inbox, the most similar first.

        The result is empty if Paperless's search is needed but known to be broken.
        """
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
        fault = await self._faults.get(self._instance)
        if fault is not None and self._clock() - fault.noticed_at < _SEARCH_PAUSE:
            return []
        similar = await self._client.find_similar(document.id, limit, without_tags=without_tags)
        if similar:
            self._found_nothing = 0
            if fault is not None:
                await self.mark_working()
        elif len(document.content) >= LONG_TEXT:
            await self._suspect(document.id)
        return similar

    async def is_broken_for(self, document: int) -> bool:
        """Return whether no document is similar to this one, although the archive is not small."""
        if await self._client.has_similar(document):
            return False
        return await self._client.count_documents() >= _SMALL_ARCHIVE

    async def mark_working(self) -> None:
        """Record that the search works again."""
        await self._faults.clear(self._instance)
        log.info("similar documents are found again", instance=self._instance)

    async def _suspect(self, document: int) -> None:
        self._found_nothing += 1
        if self._found_nothing < EMPTY_SEARCHES:
            return
        self._found_nothing = 0
        if await self.is_broken_for(document):
            await self._faults.record(self._instance, SearchFault(document, self._clock()))
            log.warning("similar documents are not found", instance=self._instance, remedy=_REMEDY)


async def find_examples(
    document: Document, names: NamesInUse, store: Store, instance: "Instance"
) -> tuple[Example, ...]:
    """Return the examples for a document; none if none is similar, or the search fails."""
    if not instance.prompt_settings.examples:
        return ()
    excluded = names.tag_ids.all_ids(instance.tags.exclude)
    try:
        similar = await instance.similar_search.find(
            document,
            _MAX_SIMILAR,
            without_tags=excluded,
            inbox_tags=await instance.catalogue.inbox_tags(),
        )
    except PaperlessError as error:
        # Examples are optional: the document can be filed without them.
        log.info("no examples", code=error.code)
        return ()
    examples = await _build_examples(similar, names, store, instance)
    return tuple(islice(examples, instance.prompt_settings.examples))


def build_example(
    document: DocumentFields,
    names: NamesInUse,
    *,
    ours: Collection[AutomaticValue],
    steering: Container[str],
) -> Example | None:
    """Build an example from the values that a person set; None if none of them is a name.

    Values that we wrote are left out, so that our mistakes are not repeated. So are tags that
    control processing, and names that the token's user may not see.
    """
    current = read_current_values(document, names)
    shown: dict[FieldName, tuple[str, ...]] = {}
    for field in _SHOWN:
        there = sorted(current.tags, key=str) if field is FieldName.TAGS else [current.value(field)]
        written = [value.after for value in ours if value.field is field]
        by_person = [
            value
            for value in there
            if field not in current.empty and not any(is_same_value(value, w) for w in written)
        ]
        shown[field] = tuple(
            str(value)
            for value in by_person
            if field not in NAMED_FIELDS
            or (value in names.by_field[field] and str(value) not in steering)
        )
    return Example(document.id, shown) if any(shown[field] for field in NAMED_FIELDS) else None


async def _build_examples(
    similar: Iterable[DocumentFields], names: NamesInUse, store: Store, instance: "Instance"
) -> Iterable[Example]:
    by_id = {document.id: document for document in similar}
    states, ours = await asyncio.gather(
        store.documents.get_states(instance.name, list(by_id)),
        store.changes.list_written_automatically(instance.name, list(by_id)),
    )
    examples = (
        build_example(
            document,
            names,
            ours=[value for value in ours if value.document.id == document.id],
            steering=instance.policy.reserved_tags,
        )
        for document in by_id.values()
        if states.get(document.id) is not DocumentState.IGNORED
    )
    return (example for example in examples if example is not None)


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
