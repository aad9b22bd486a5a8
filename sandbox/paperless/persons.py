"""Edits that a person makes in the web interface of Paperless."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import TYPE_CHECKING

from sandbox.paperless.records import UPDATED, Document, Kind

if TYPE_CHECKING:
    from sandbox.paperless.world import World


def edit(world: "World", document_id: int, changes: Mapping[str, object]) -> Document:
    """Change fields of a document as a person would; `modified` is updated.

    Names are given as they are written; `tags` and `custom_fields` are all there are. Raise
    KeyError for a document, field or name that does not exist: then nothing is changed.
    """
    with world.lock:
        document = world.documents[document_id]
        values = {field: _FIELDS[field](world, value) for field, value in changes.items()}
        for field, value in values.items():
            setattr(document, field, value)
        world.touch(document)
        world.webhooks.fire(UPDATED, document)
        return document


def describe_document(world: "World", document: Document) -> dict[str, object]:
    """Return a document as JSON, with names instead of ids."""
    return {
        "id": document.id,
        "title": document.title,
        "content": document.content,
        "original_file_name": document.original_file_name,
        "correspondent": _name(world, Kind.CORRESPONDENT, document.correspondent),
        "document_type": _name(world, Kind.DOCUMENT_TYPE, document.document_type),
        "storage_path": _name(world, Kind.STORAGE_PATH, document.storage_path),
        "tags": sorted(world.tags[tag].name for tag in document.tags),
        "created": document.created.isoformat(),
        "added": document.added.isoformat(),
        "modified": document.modified.isoformat(),
        "owner": world.user(document.owner).username if document.owner else None,
        "custom_fields": {
            world.custom_fields[field].name: value
            for field, value in document.custom_fields.items()
        },
        "in_trash": document.deleted_at is not None,
    }


def _name(world: "World", kind: Kind, id_: int | None) -> str | None:
    return None if id_ is None else world.names[kind][id_].name


def _text(_: "World", value: object) -> str:
    return str(value)


def _day(_: "World", value: object) -> date:
    return value if isinstance(value, date) else date.fromisoformat(str(value))


def _owner(world: "World", value: object) -> int | None:
    return None if value is None else world.users[str(value)].id


def _tags(world: "World", value: object) -> set[int]:
    assert isinstance(value, list | tuple | set | frozenset)
    return {world.find(Kind.TAG, str(name)).id for name in value}


def _custom_fields(world: "World", value: object) -> dict[int, object]:
    assert isinstance(value, dict)
    return {world.find_custom_field(str(name)).id: content for name, content in value.items()}


def _id_of(kind: Kind) -> Callable[["World", object], int | None]:
    def find(world: "World", value: object) -> int | None:
        return None if value is None else world.find(kind, str(value)).id

    return find


_FIELDS: Mapping[str, Callable[["World", object], object]] = {
    "title": _text,
    "content": _text,
    "created": _day,
    "owner": _owner,
    "tags": _tags,
    "custom_fields": _custom_fields,
    "correspondent": _id_of(Kind.CORRESPONDENT),
    "document_type": _id_of(Kind.DOCUMENT_TYPE),
    "storage_path": _id_of(Kind.STORAGE_PATH),
}
