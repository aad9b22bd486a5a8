"""Find similar documents with Paperless's own search, and detect when it is broken.

After a few writes, the search of Paperless 3.x may find nothing at all until its index is rebuilt.
In an archive with few similar documents, finding nothing is normal.
"""

import asyncio
from collections.abc import Collection, Container, Iterable, Iterator
from itertools import islice

from core.changes import Change
from core.documents import DocumentState
from core.fields import FieldName, Value, is_same_value
from core.names import NAMED_FIELDS
from paperless_client import Document, DocumentFields, PaperlessError
from processor.analysis.prompt_blocks import Example
from processor.instance import Instance
from processor.names.catalogue import NamesInUse
from processor.reconcile import CurrentValues, read_current_values
from processor.similar import log
from store import Store

_SHOWN = (FieldName.TITLE, FieldName.CORRESPONDENT, FieldName.DOCUMENT_TYPE, FieldName.TAGS)
"""No date: each document has its own."""
_LOOKED_AT = 25
"""Similar documents that are looked at: many may be filed by ourselves, or not at all."""


async def find_examples(
    document: Document, names: NamesInUse, store: Store, instance: Instance
) -> tuple[Example, ...]:
    """Find examples; none if there are none, or if Paperless cannot search for them."""
    if not instance.prompt_settings.examples:
        return ()
    excluded = names.tag_ids.all_ids(instance.tags.exclude)
    try:
        alike = await instance.similar_search.find(document, _LOOKED_AT, without_tags=excluded)
    except PaperlessError as error:
        # They help; the document can be filed without them.
        log.info("no examples", code=error.code)
        return ()
    found = await _usable(alike, names, store, instance)
    return tuple(islice(found, instance.prompt_settings.examples))


async def _usable(
    alike: Iterable[DocumentFields], names: NamesInUse, store: Store, instance: Instance
) -> Iterable[Example]:
    by_id = {one.id: one for one in alike}
    known, ours = await asyncio.gather(
        store.documents.get_many(instance.name, by_id),
        store.changes.list_written_automatically(instance.name, list(by_id)),
    )
    examples = (
        build_example(
            one,
            names,
            ours=[change for change in ours if change.document.id == one.id],
            steering=instance.policy.reserved_tags,
        )
        for one in by_id.values()
        if one.id not in known or known[one.id].state is not DocumentState.IGNORED
    )
    return (example for example in examples if example is not None)


def build_example(
    document: DocumentFields,
    names: NamesInUse,
    *,
    ours: Collection[Change],
    steering: Container[str],
) -> Example | None:
    """Show what a person has given a document; None if there is no name among it.

    What we wrote and still stands is left out: a mistake of ours must not breed. So are tags that
    steer the clerk, and names that we may not see.
    """
    current = read_current_values(document, names)
    values = {field: tuple(_by_person(field, current, ours)) for field in _SHOWN}
    shown = {
        field: tuple(str(value) for value in found if _may_be_shown(value, names, field, steering))
        for field, found in values.items()
    }
    return Example(document.id, shown) if any(shown[field] for field in NAMED_FIELDS) else None


def _by_person(
    field: FieldName, current: CurrentValues, ours: Collection[Change]
) -> Iterator[Value]:
    there = sorted(current.tags, key=str) if field is FieldName.TAGS else [current.value(field)]
    written = [change.after for change in ours if change.field is field]
    for value in there:
        if field not in current.empty and not any(is_same_value(value, one) for one in written):
            yield value


def _may_be_shown(
    value: Value, names: NamesInUse, field: FieldName, steering: Container[str]
) -> bool:
    return field not in NAMED_FIELDS or (
        value in names.by_field[field] and str(value) not in steering
    )
