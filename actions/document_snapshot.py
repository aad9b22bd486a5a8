"""A document as Paperless has it now: text, values and names, for pages that show it."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from actions.caller import Caller
from actions.document_files import DocumentExcluded
from actions.timeouts import TIMEOUT, PaperlessTakesLong
from core.documents import DocumentRef
from core.fields import CustomField, Definition, Field, FieldName, Name, Value, is_empty
from core.messages import message
from paperless_client import DocumentFields, PaperlessError
from processor.instance import Instance
from processor.names.catalogue import NamesInUse
from processor.reconcile import CurrentValues, read_current_values

_EARLIER = 10
"""Earlier documents of a correspondent that are read."""


@dataclass(frozen=True, slots=True)
class DocumentSnapshot:
    """A document as Paperless has it now."""

    text: str
    current: CurrentValues
    names: NamesInUse
    definitions: tuple[Definition, ...] = ()
    """The custom fields that the settings name."""
    earlier: tuple[CurrentValues, ...] = ()
    """Earlier documents of the same correspondent."""
    reserved_tags: frozenset[str] = frozenset()
    """Tags that control processing; they are never offered."""
    fields: tuple[Field, ...] = field(default=())
    """The fields that a person may fill in, in the order in which they are shown."""

    def value(self, of: Field) -> Value:
        """Return the current value of a field other than the tags."""
        return self.current.values.get(of)

    @property
    def tags(self) -> tuple[Name, ...]:
        """Return the current tags, by name."""
        return tuple(sorted(self.current.tags, key=lambda tag: tag.name.casefold()))


async def fetch_snapshot(
    caller: Caller,
    ref: DocumentRef,
    correspondent: Name | None = None,
    timeout: timedelta = TIMEOUT,
) -> DocumentSnapshot:
    """Fetch a document, with earlier documents of its suggested or current correspondent.

    Raise PaperlessError, PaperlessTakesLong, or DocumentExcluded if it is excluded or gone.
    """
    try:
        async with asyncio.timeout(timeout.total_seconds()):
            return await _fetch(caller.get_instance(ref.instance), ref, correspondent)
    except TimeoutError as error:
        raise PaperlessTakesLong(
            message("Paperless did not return {document} in time", document=str(ref))
        ) from error


async def _fetch(
    instance: Instance, ref: DocumentRef, correspondent: Name | None
) -> DocumentSnapshot:
    names = await instance.catalogue.names()
    excluded = names.tag_ids.all_ids(instance.tags.exclude)
    document = await instance.paperless.fetch_document_unless_tagged(ref.id, without_tags=excluded)
    if document is None:
        raise DocumentExcluded(ref)
    definitions = await _fetch_definitions(instance)
    current = read_current_values(document, names, definitions)
    sender = correspondent if correspondent and correspondent.id else _correspondent_of(current)
    earlier = await _fetch_earlier(instance, ref, sender, excluded)
    return DocumentSnapshot(
        document.content,
        current,
        names,
        definitions,
        tuple(read_current_values(fields, names, definitions) for fields in earlier),
        instance.policy.reserved_tags,
        _fields(instance, definitions),
    )


def _correspondent_of(current: CurrentValues) -> Name | None:
    value = current.values.get(FieldName.CORRESPONDENT)
    return value if isinstance(value, Name) else None


async def _fetch_definitions(instance: Instance) -> tuple[Definition, ...]:
    """Fetch the custom fields that the settings name; those that are missing are left out."""
    wanted = instance.policy.custom
    if not wanted:
        return ()
    known = {definition.field.name: definition for definition in await instance.custom_fields.all()}
    return tuple(known[name] for name in wanted if name in known)


async def _fetch_earlier(
    instance: Instance, ref: DocumentRef, correspondent: Name | None, excluded: frozenset[int]
) -> list[DocumentFields]:
    if correspondent is None or correspondent.id is None:
        return []
    try:
        found = await instance.paperless.list_of_correspondent(
            correspondent.id, limit=_EARLIER, without_tags=excluded
        )
    except PaperlessError:
        # They only serve to offer alternatives.
        return []
    return [fields for fields in found if fields.id != ref.id]


def _fields(instance: Instance, definitions: Iterable[Definition]) -> tuple[Field, ...]:
    """Return every field that is shown: storage paths only where they are in use."""
    asked = set(instance.policy.fields)
    built_in = [name for name in FieldName if name is not FieldName.STORAGE_PATH or name in asked]
    return (*built_in, *(definition.field for definition in definitions))


def most_common(values: Iterable[Value]) -> list[Value]:
    """Return the values that are not empty, the most common first."""
    counted = Counter(value for value in values if not is_empty(value))
    return [value for value, _ in counted.most_common()]


def definition_of(of: Field, definitions: Iterable[Definition]) -> Definition | None:
    """Return the definition of a custom field; None for other fields."""
    by_field: Mapping[CustomField, Definition] = {known.field: known for known in definitions}
    return by_field.get(of) if isinstance(of, CustomField) else None
