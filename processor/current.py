"""A document's fields as Paperless has them at this moment."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import PurePath

from core.custom_fields import Definition
from core.fields import CustomField, Field, FieldName, Name, Value, is_empty
from paperless_client import DocumentFields
from processor.custom_json import custom_values_of
from processor.names.catalogue import NamesInUse

_TITLE_LENGTHS = (128, 127)
"""Paperless takes titles of the one length, and cuts a file's name to the other."""


@dataclass(frozen=True, slots=True)
class Current:
    """The fields of one document, in our words."""

    values: Mapping[Field, Value]
    """Every field but the tags; of custom fields, those that were asked about."""
    tags: frozenset[Name]
    empty: frozenset[Field]
    """Fields that nobody has filled in yet."""

    def value(self, field: Field, tag: Name | None = None) -> Value:
        """Return a field's value; of the tags, `tag` if it is there."""
        if isinstance(field, CustomField):
            # One that exists no more is on no document.
            return self.values.get(field)
        if field is not FieldName.TAGS:
            return self.values[field]
        return tag if tag is not None and tag.id in self.tag_ids else None

    @property
    def tag_ids(self) -> frozenset[int]:
        return frozenset(tag.id for tag in self.tags if tag.id is not None)


def current_of(
    document: DocumentFields, names: NamesInUse, custom_fields: Iterable[Definition] = ()
) -> Current:
    """Read the fields of `document`, with names for its ids."""
    values: dict[Field, Value] = {
        FieldName.TITLE: document.title,
        FieldName.CORRESPONDENT: names.named(FieldName.CORRESPONDENT, document.correspondent),
        FieldName.DOCUMENT_TYPE: names.named(FieldName.DOCUMENT_TYPE, document.document_type),
        FieldName.DATE: document.created,
    }
    values.update(custom_values_of(document.custom_fields, custom_fields))
    tags = (names.named(FieldName.TAGS, tag) for tag in document.tags)
    return Current(
        values=values,
        tags=frozenset(tag for tag in tags if tag is not None),
        empty=frozenset(field for field in values if _is_empty(field, values[field], document)),
    )


def _is_empty(field: Field, value: Value, document: DocumentFields) -> bool:
    match field:
        case FieldName.TITLE:
            return _is_file_name(document.title, document.original_file_name)
        case FieldName.DATE:
            # Paperless puts the day of arrival where it found no date, by its own time zone,
            # which is the one that `added` is told in.
            return value == _day(document)
        case _:
            return is_empty(value)


def _is_file_name(title: str, file_name: str | None) -> bool:
    if file_name is None:
        return False
    stem = PurePath(file_name).stem
    return title in {stem[:length] for length in _TITLE_LENGTHS}


def _day(document: DocumentFields) -> date:
    return document.added.date()
