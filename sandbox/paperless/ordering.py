"""The order of the document list."""

from collections.abc import Callable, Iterable

from sandbox.paperless.records import Document, Kind
from sandbox.paperless.replies import Refused
from sandbox.paperless.world import World

_Key = Callable[[Document], object]
_CUSTOM_FIELD = "custom_field_"


def sort_documents(world: World, documents: Iterable[Document], ordering: str) -> list[Document]:
    """Sort by a list such as `-modified,id`; unknown keys are ignored."""
    keys = [(_key(world, part.lstrip("-")), part.startswith("-")) for part in ordering.split(",")]
    known = [(key, reverse) for key, reverse in keys if key is not None]
    if not known:
        return sorted(documents, key=lambda document: (document.created, document.id), reverse=True)
    result = sorted(documents, key=lambda document: document.id)
    for key, reverse in reversed(known):
        result.sort(key=_nulls_first(key), reverse=reverse)
    return result


def _key(world: World, name: str) -> _Key | None:
    if name.startswith(_CUSTOM_FIELD):
        return _custom_field(world, name)
    return _keys(world).get(name)


def _keys(world: World) -> dict[str, _Key]:
    return {
        "id": lambda document: document.id,
        "added": lambda document: document.added,
        "modified": lambda document: document.modified,
        "created": lambda document: document.created,
        "title": lambda document: document.title.lower(),
        "archive_serial_number": lambda document: document.archive_serial_number,
        "page_count": lambda document: document.page_count,
        "num_notes": lambda document: len(document.notes),
        "owner": lambda document: document.owner,
        "correspondent__name": lambda d: _name(world, Kind.CORRESPONDENT, d.correspondent),
        "document_type__name": lambda d: _name(world, Kind.DOCUMENT_TYPE, d.document_type),
        "storage_path__name": lambda d: _name(world, Kind.STORAGE_PATH, d.storage_path),
    }


def _custom_field(world: World, name: str) -> _Key:
    id_ = name.removeprefix(_CUSTOM_FIELD)
    if not id_.isdecimal() or int(id_) not in world.custom_fields:
        raise Refused(400, {name: ["Custom field not found"]})
    field = int(id_)
    # As text, which is enough: the values of one field have one type.
    return lambda d: str(d.custom_fields[field]) if field in d.custom_fields else None


def _name(world: World, kind: Kind, id_: int | None) -> str | None:
    return None if id_ is None else world.names[kind][id_].name


def _nulls_first(key: _Key) -> Callable[[Document], tuple[bool, object]]:
    def sort_key(document: Document) -> tuple[bool, object]:
        value = key(document)
        return (False, 0) if value is None else (True, value)

    return sort_key
