"""A document as JSON, which differs by release, API version and route."""

from collections.abc import Collection
from datetime import UTC, datetime, time
from enum import Enum, auto

from sandbox.paperless.calls import Call
from sandbox.paperless.checksums import checksum
from sandbox.paperless.permissions import may_change
from sandbox.paperless.records import Document, Note, Shares
from sandbox.paperless.world import World

_SHORT = 550


class Occasion(Enum):
    """Where a document is shown."""

    LIST = auto()
    SINGLE = auto()
    WRITTEN = auto()
    """The reply to PATCH, which has the permissions instead of `user_can_change`."""


def asked_fields(call: Call) -> frozenset[str] | None:
    """Return the requested `fields`; None for all."""
    fields = call.query.get("fields", "")
    return frozenset(fields.split(",")) if fields else None


def document_json(call: Call, document: Document, occasion: Occasion) -> dict[str, object]:
    """Return a document as JSON, limited to the requested fields."""
    everything = _plain(call, document)
    everything |= _rights(call, document, occasion)
    if call.world.release.is_v3:
        everything |= _since_v3(call, document, occasion)
    shown = _only(everything, asked_fields(call))
    if "content" in shown and occasion is not Occasion.WRITTEN:
        call.world.texts_sent.append(document.id)
    return shown


def notes_json(call: Call, notes: Collection[Note]) -> list[dict[str, object]]:
    return [_note(call.world, note) for note in notes]


def local_time(world: World, moment: datetime) -> str:
    return moment.astimezone(world.zone).isoformat()


def _plain(call: Call, document: Document) -> dict[str, object]:
    world = call.world
    return {
        "id": document.id,
        "correspondent": document.correspondent,
        "document_type": document.document_type,
        "storage_path": document.storage_path,
        "title": document.title,
        "content": _content(call, document),
        "tags": sorted(document.tags, key=lambda tag: world.tags[tag].name),
        "created": _created(call, document),
        "created_date": document.created.isoformat(),
        "modified": local_time(world, document.modified),
        "added": local_time(world, document.added),
        "deleted_at": local_time(world, document.deleted_at) if document.deleted_at else None,
        "archive_serial_number": document.archive_serial_number,
        "original_file_name": document.original_file_name,
        "archived_file_name": None,
        "owner": document.owner,
        "notes": notes_json(call, document.notes),
        "custom_fields": [
            {"value": value, "field": field} for field, value in document.custom_fields.items()
        ],
        "page_count": document.page_count,
        "mime_type": document.mime_type,
    }


def _rights(call: Call, document: Document, occasion: Occasion) -> dict[str, object]:
    if occasion is Occasion.WRITTEN or call.query.get("full_perms") == "true":
        return {"permissions": document.shares.as_json()}
    return {
        "user_can_change": may_change(call.user, document),
        "is_shared_by_requester": document.owner == call.user.id and document.shares != Shares(),
    }


def _since_v3(call: Call, document: Document, occasion: Occasion) -> dict[str, object]:
    added = document.added.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return {
        "duplicate_documents": [] if occasion is Occasion.LIST else _duplicates(call, document),
        "root_document": None,
        "versions": [
            {
                "id": document.id,
                "added": added,
                "version_label": None,
                "checksum": checksum(call.world, document),
                "is_root": True,
            }
        ],
    }


def _duplicates(call: Call, document: Document) -> list[dict[str, object]]:
    return [
        {"id": other.id, "title": other.title, "deleted_at": other.deleted_at}
        for other in call.world.documents.values()
        if other is not document and other.original == document.original and not other.deleted_at
    ]


def _content(call: Call, document: Document) -> str:
    is_short = call.query.get("truncate_content", "").lower() == "true"
    return document.content[:_SHORT] if is_short else document.content


def _created(call: Call, document: Document) -> str:
    if call.api >= 9:
        return document.created.isoformat()
    return datetime.combine(document.created, time(), call.world.zone).isoformat()


def _note(world: World, note: Note) -> dict[str, object]:
    user = world.user(note.user)
    return {
        "id": note.id,
        "note": note.text,
        "created": local_time(world, note.created),
        "user": {"id": user.id, "username": user.username, "first_name": "", "last_name": ""},
    }


def _only(everything: dict[str, object], wanted: frozenset[str] | None) -> dict[str, object]:
    if wanted is None:
        return everything
    return {name: value for name, value in everything.items() if name in wanted}
