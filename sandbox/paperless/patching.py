"""PATCH of a document: everything is validated first, then written field by field."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date

from sandbox.paperless import custom_values, tree
from sandbox.paperless.calls import Call
from sandbox.paperless.permissions import may_give_away
from sandbox.paperless.records import UPDATED, Document, Kind, Shares, User
from sandbox.paperless.replies import Refused
from sandbox.paperless.sharing import read_owner, read_shares
from sandbox.paperless.values import (
    REQUIRED,
    Invalid,
    read_date_or_moment,
    read_key,
    read_list,
    read_text,
    unknown_key,
)
from sandbox.paperless.world import World


@dataclass(slots=True)
class _Checked:
    """The validated values; keys that were not sent are missing."""

    user: User
    """The user who sent it."""
    values: dict[str, object] = field(default_factory=dict)
    tags: set[int] | None = None
    custom_fields: list[tuple[int, object]] | None = None
    shares: Shares | None = None


def patch(call: Call, document: Document, data: Mapping[str, object]) -> None:
    """Change a document. A refusal changes nothing; a crash leaves what was written before it."""
    checked = _check(call, document, data)
    gives_away = checked.values.get("owner", document.owner) != document.owner
    if (gives_away or checked.shares) and not may_give_away(call.user, document):
        raise Refused(403, {"detail": "Insufficient permissions."})
    _write(call.world, document, checked)


def _check(call: Call, document: Document, data: Mapping[str, object]) -> _Checked:
    world, checked = call.world, _Checked(call.user)
    errors: dict[str, object] = {}
    for name, value in data.items():
        if name not in _READERS:
            continue
        try:
            _READERS[name](world, document, value, checked)
        except Invalid as invalid:
            errors[name] = [invalid.message]
        except _InvalidItems as invalid:
            errors[name] = invalid.errors
    if errors:
        raise Refused(400, errors)
    if data.get("remove_inbox_tags"):
        checked.tags = _without_inbox_tags(world, document, checked.tags)
    return checked


def _write(world: World, document: Document, checked: _Checked) -> None:
    for name, value in checked.values.items():
        setattr(document, name, value)
    if checked.tags is not None:
        document.tags = tree.replaced(world.tags, document.tags, checked.tags)
    if checked.shares is not None:
        document.shares = checked.shares
    world.touch(document)
    if checked.custom_fields is not None:
        _write_custom_fields(world, document, checked.custom_fields)
    world.webhooks.fire(UPDATED, document)


def _write_custom_fields(world: World, document: Document, sent: list[tuple[int, object]]) -> None:
    # One by one: if a later one crashes, the earlier ones stay, and nothing is removed yet.
    for id_, value in sent:
        if world.custom_fields[id_].data_type == "documentlink":
            _link_back(world, document, id_, value)
        document.custom_fields[id_] = custom_values.to_stored_value(world.custom_fields[id_], value)
    kept = {id_ for id_, _ in sent}
    document.custom_fields = {
        id_: value for id_, value in document.custom_fields.items() if id_ in kept
    }


def _link_back(world: World, document: Document, field_id: int, value: object) -> None:
    """Write links to their targets as well; this updates `modified` there even for old links."""
    before, linked = (_linked(links) for links in (document.custom_fields.get(field_id), value))
    for id_ in before - linked:
        theirs = _linked(world.documents[id_].custom_fields.get(field_id)) - {document.id}
        world.documents[id_].custom_fields[field_id] = sorted(theirs)
    for id_ in linked:
        theirs = _linked(world.documents[id_].custom_fields.get(field_id)) | {document.id}
        world.documents[id_].custom_fields[field_id] = sorted(theirs)
        world.touch(world.documents[id_])


def _linked(value: object) -> set[int]:
    return set(value) if isinstance(value, list) else set()


def _without_inbox_tags(world: World, document: Document, sent: set[int] | None) -> set[int]:
    """Drop inbox tags, except those that this very request adds."""
    added = (sent or set()) - document.tags
    wanted = document.tags if sent is None else sent
    return {tag for tag in wanted if tag in added or not world.tags[tag].is_inbox_tag}


class _InvalidItems(Exception):
    """Items of a list are refused, with one entry for each item."""

    def __init__(self, errors: object) -> None:
        super().__init__(errors)
        self.errors = errors


_Reader = Callable[[World, Document, object, _Checked], None]


def _title(_: World, __: Document, value: object, checked: _Checked) -> None:
    checked.values["title"] = read_text(value, longest=128)


def _content(_: World, __: Document, value: object, checked: _Checked) -> None:
    checked.values["content"] = read_text(value)


def _created(world: World, _: Document, value: object, checked: _Checked) -> None:
    day: date = read_date_or_moment(value, world.zone)
    checked.values["created"] = day


def _reference(kind: Kind) -> _Reader:
    def read(world: World, _: Document, value: object, checked: _Checked) -> None:
        checked.values[kind.field] = None
        if value not in (None, ""):
            key = read_key(value)
            if key not in world.names[kind]:
                raise unknown_key(value)
            checked.values[kind.field] = key

    return read


def _tags(world: World, _: Document, value: object, checked: _Checked) -> None:
    checked.tags = set()
    for item in read_list(value):
        key = read_key(item)
        if key not in world.tags:
            raise unknown_key(item)
        checked.tags.add(key)


def _serial_number(world: World, document: Document, value: object, checked: _Checked) -> None:
    checked.values["archive_serial_number"] = None
    if value is not None:
        if isinstance(value, bool) or not str(value).isdecimal():
            raise Invalid("A valid integer is required.")
        number = int(str(value))
        others = [other for other in world.documents.values() if other is not document]
        if any(other.archive_serial_number == number for other in others):
            raise Invalid("document with this archive serial number already exists.")
        checked.values["archive_serial_number"] = number


def _owner(world: World, _: Document, value: object, checked: _Checked) -> None:
    checked.values["owner"] = read_owner(world, value)


def _set_permissions(world: World, _: Document, value: object, checked: _Checked) -> None:
    checked.shares = read_shares(world, value)


def _custom_fields(world: World, _: Document, value: object, checked: _Checked) -> None:
    if value is not None and not isinstance(value, list):
        message = f'Expected a list of items but got type "{type(value).__name__}".'
        raise _InvalidItems({"non_field_errors": [message]})
    items = read_list(value)
    errors = [_item_errors(world, checked.user, item) for item in items]
    if any(errors):
        raise _InvalidItems(errors)
    checked.custom_fields = [_item(item) for item in items]


def _item_errors(world: World, user: User, item: object) -> dict[str, list[str]]:
    if not isinstance(item, dict):
        kind = type(item).__name__
        return {"non_field_errors": [f"Invalid data. Expected a dictionary, but got {kind}."]}
    missing = {key: [REQUIRED] for key in ("value", "field") if key not in item}
    if missing:
        return missing
    try:
        field_id = read_key(item["field"])
        if field_id not in world.custom_fields:
            raise unknown_key(item["field"])
    except Invalid as invalid:
        return {"field": [invalid.message]}
    try:
        custom_values.check(world, user, world.custom_fields[field_id], item["value"])
    except Invalid as invalid:
        return {"non_field_errors": [invalid.message]}
    return {}


def _item(item: object) -> tuple[int, object]:
    assert isinstance(item, dict)
    return read_key(item["field"]), item["value"]


_READERS: dict[str, _Reader] = {
    "title": _title,
    "content": _content,
    "created": _created,
    "created_date": _created,
    "correspondent": _reference(Kind.CORRESPONDENT),
    "document_type": _reference(Kind.DOCUMENT_TYPE),
    "storage_path": _reference(Kind.STORAGE_PATH),
    "tags": _tags,
    "archive_serial_number": _serial_number,
    "owner": _owner,
    "set_permissions": _set_permissions,
    "custom_fields": _custom_fields,
}
