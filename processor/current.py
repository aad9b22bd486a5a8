"""A document's fields as Paperless has them at this moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import PurePath

from core.fields import FieldName, Name, Value
from paperless_client import DocumentFields
from processor.catalogue import NamesInUse

_TITLE_LENGTHS = (128, 127)
"""Paperless takes titles of the one length, and cuts a file's name to the other."""


@dataclass(frozen=True, slots=True)
class Current:
    """The fields of one document, in our words."""

    values: Mapping[FieldName, Value]
    """Every field but the tags."""
    tags: frozenset[Name]
    empty: frozenset[FieldName]
    """Fields that nobody has filled in yet."""

    def value(self, field: FieldName, tag: Name | None = None) -> Value:
        """Return a field's value; of the tags, `tag` if it is there."""
        if field is not FieldName.TAGS:
            return self.values[field]
        return tag if tag is not None and tag.id in self.tag_ids else None

    @property
    def tag_ids(self) -> frozenset[int]:
        return frozenset(tag.id for tag in self.tags if tag.id is not None)


def current_of(document: DocumentFields, names: NamesInUse) -> Current:
    """Read the fields of `document`, with names for its ids."""
    values: dict[FieldName, Value] = {
        FieldName.TITLE: document.title,
        FieldName.CORRESPONDENT: names.named(FieldName.CORRESPONDENT, document.correspondent),
        FieldName.DOCUMENT_TYPE: names.named(FieldName.DOCUMENT_TYPE, document.document_type),
        FieldName.DATE: document.created,
    }
    tags = (names.named(FieldName.TAGS, tag) for tag in document.tags)
    return Current(
        values=values,
        tags=frozenset(tag for tag in tags if tag is not None),
        empty=frozenset(field for field in values if _is_empty(field, values[field], document)),
    )


def _is_empty(field: FieldName, value: Value, document: DocumentFields) -> bool:
    match field:
        case FieldName.TITLE:
            return _is_file_name(document.title, document.original_file_name)
        case FieldName.DATE:
            # Paperless puts the day of arrival where it found no date, by its own time zone,
            # which is the one that `added` is told in.
            return value == _day(document)
        case _:
            return value is None


def _is_file_name(title: str, file_name: str | None) -> bool:
    if file_name is None:
        return False
    stem = PurePath(file_name).stem
    return title in {stem[:length] for length in _TITLE_LENGTHS}


def _day(document: DocumentFields) -> date:
    return document.added.date()
