"""Build the examples of a prompt: similar documents with the values that people gave them."""

import asyncio
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from itertools import islice

import structlog

from core.changes import Change
from core.documents import DocumentState
from core.fields import NAMED_FIELDS, FieldName, Value, is_same_value
from paperless_client import Document, DocumentFields, PaperlessError
from processor.analysis.prompt_blocks import Example
from processor.instance import Instance
from processor.names.catalogue import NamesInUse
from processor.reconcile import CurrentValues, read_current_values
from store import Store

log = structlog.get_logger()

_SHOWN: Sequence[FieldName] = [field for field in FieldName if field is not FieldName.DATE]
"""No date: each document has its own."""
_MAX_SIMILAR = 25
"""Similar documents that are read: many may have been filed by us, or not at all."""


async def find_examples(
    document: Document, names: NamesInUse, store: Store, instance: Instance
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


async def _build_examples(
    similar: Iterable[DocumentFields], names: NamesInUse, store: Store, instance: Instance
) -> Iterable[Example]:
    by_id = {document.id: document for document in similar}
    known, ours = await asyncio.gather(
        store.documents.get_many(instance.name, by_id),
        store.changes.list_written_automatically(instance.name, list(by_id)),
    )
    examples = (
        build_example(
            document,
            names,
            ours=[change for change in ours if change.document.id == document.id],
            steering=instance.policy.reserved_tags,
        )
        for document in by_id.values()
        if document.id not in known or known[document.id].state is not DocumentState.IGNORED
    )
    return (example for example in examples if example is not None)


def build_example(
    document: DocumentFields,
    names: NamesInUse,
    *,
    ours: Collection[Change],
    steering: Container[str],
) -> Example | None:
    """Build an example from the values that a person set; None if none of them is a name.

    Values that we wrote are left out, so that our mistakes are not repeated. So are tags that
    control processing, and names that the token's user may not see.
    """
    current = read_current_values(document, names)
    values = {field: tuple(_values_by_person(field, current, ours)) for field in _SHOWN}
    shown = {
        field: tuple(str(v) for v in field_values if _may_be_shown(v, names, field, steering))
        for field, field_values in values.items()
    }
    return Example(document.id, shown) if any(shown[field] for field in NAMED_FIELDS) else None


def _values_by_person(
    field: FieldName, current: CurrentValues, ours: Collection[Change]
) -> Iterator[Value]:
    there = sorted(current.tags, key=str) if field is FieldName.TAGS else [current.value(field)]
    written = [change.after for change in ours if change.field is field]
    for value in there:
        if field not in current.empty and not any(is_same_value(value, ours) for ours in written):
            yield value


def _may_be_shown(
    value: Value, names: NamesInUse, field: FieldName, steering: Container[str]
) -> bool:
    return field not in NAMED_FIELDS or (
        value in names.by_field[field] and str(value) not in steering
    )
