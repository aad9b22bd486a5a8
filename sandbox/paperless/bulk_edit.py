"""Bulk edits: written at once, noticed (`modified`) by the worker afterwards."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sandbox.paperless import custom_values, tree
from sandbox.paperless.calls import Call
from sandbox.paperless.permissions import may_change
from sandbox.paperless.records import Document, Kind, User
from sandbox.paperless.replies import (
    Crashed,
    Refused,
    Reply,
    json_reply,
    not_imitated,
    not_permitted_text,
)
from sandbox.paperless.values import REQUIRED, Invalid, read_key, read_list
from sandbox.paperless.world import World

_MISSING = "Some documents in documents don't exist or were specified twice."
_FAILED = "Error performing bulk edit, check logs for more detail."
_NOT_IMITATED = (
    "set_storage_path", "set_permissions", "reprocess", "redo_ocr", "merge", "split", "rotate",
    "delete_pages", "edit_pdf", "remove_password", "delete",
)  # fmt: skip

_Write = Callable[[Document], None]


@dataclass(frozen=True, slots=True)
class _Request:
    """A bulk edit with a valid structure."""

    world: World
    user: User
    parameters: Mapping[str, object]

    def parameter(self, name: str) -> object:
        if name not in self.parameters:
            raise _refused(f"{name} not specified")
        return self.parameters[name]


def bulk_edit(call: Call) -> Reply:
    """Carry out one method on several documents: on all of them, or on none."""
    data = call.data()
    missing = {key: [REQUIRED] for key in ("documents", "method") if key not in data}
    if missing:
        raise Refused(400, missing)
    documents = _documents(call.world, data["documents"])
    parameters = data.get("parameters")
    request = _Request(call.world, call.user, parameters if isinstance(parameters, dict) else {})
    write = _method(data["method"])(request)
    if not call.user.may("change_document") or not all(
        may_change(call.user, document) for document in documents
    ):
        raise not_permitted_text()
    _carry_out(write, documents)
    call.world.worker.enqueue(document.id for document in documents)
    return json_reply({"result": "OK"})


def _carry_out(write: _Write, documents: list[Document]) -> None:
    try:
        for document in documents:
            write(document)
    except Crashed as crash:
        # Even an internal error is returned as 400, in plain text.
        raise Refused(400, _FAILED) from crash


def _documents(world: World, value: object) -> list[Document]:
    try:
        ids = [read_key(item) for item in read_list(value)]
    except Invalid as invalid:
        raise Refused(400, {"documents": [invalid.message]}) from invalid
    found = [world.documents[id_] for id_ in dict.fromkeys(ids) if id_ in world.documents]
    there = [document for document in found if not document.deleted_at]
    if len(there) < len(ids):
        raise Refused(400, {"documents": [_MISSING]})
    return there


def _method(name: object) -> Callable[[_Request], _Write]:
    if name in _NOT_IMITATED:
        raise not_imitated(f"the bulk edit {name}")
    if name not in _METHODS:
        raise Refused(400, {"method": [f'"{name}" is not a valid choice.']})
    return _METHODS[str(name)]


def _modify_tags(request: _Request) -> _Write:
    add = _tags(request, "add_tags")
    remove = _tags(request, "remove_tags")
    return _tag_change(request.world, add, remove)


def _add_tag(request: _Request) -> _Write:
    return _tag_change(request.world, {_one(request, Kind.TAG)}, set())


def _remove_tag(request: _Request) -> _Write:
    return _tag_change(request.world, set(), {_one(request, Kind.TAG)})


def _tag_change(world: World, add: set[int], remove: set[int]) -> _Write:
    added = tree.with_ancestors(world.tags, add)
    removed = tree.with_descendants(world.tags, remove)

    def write(document: Document) -> None:
        document.tags = (document.tags | added) - removed

    return write


def _set(kind: Kind) -> Callable[[_Request], _Write]:
    def build(request: _Request) -> _Write:
        is_null = request.parameter(kind.field) is None
        value = None if is_null else _one(request, kind)
        return lambda document: setattr(document, kind.field, value)

    return build


def _one(request: _Request, kind: Kind) -> int:
    value = request.parameter(kind.field)
    if isinstance(value, int) and value in request.world.names[kind]:
        return value
    raise _refused(f"{kind.words.capitalize()} does not exist")


def _tags(request: _Request, name: str) -> set[int]:
    return set(_known(request.parameter(name), request.world.tags, f"tags in {name}"))


def _modify_custom_fields(request: _Request) -> _Write:
    world = request.world
    add = _values(request.parameter("add_custom_fields"))
    _known(list(add), world.custom_fields, "custom fields in add_custom_fields")
    remove = request.parameter("remove_custom_fields")
    removed = _known(remove, world.custom_fields, "custom fields in remove_custom_fields")
    if world.release.is_v3:
        _check_values(request, add)

    def write(document: Document) -> None:
        for id_, value in add.items():
            document.custom_fields[id_] = custom_values.to_stored_value(
                world.custom_fields[id_], value
            )
        for id_ in removed:
            document.custom_fields.pop(id_, None)

    return write


def _check_values(request: _Request, add: Mapping[int, object]) -> None:
    """Validate values as v3 does; v2 stores any value."""
    world = request.world
    errors: dict[str, object] = {}
    for id_, value in add.items():
        try:
            custom_values.check(world, request.user, world.custom_fields[id_], value)
        except Invalid as invalid:
            errors[str(id_)] = {"non_field_errors": [invalid.message]}
    if errors:
        raise Refused(400, {"add_custom_fields": errors})


def _values(value: object) -> dict[int, object]:
    """Read the fields to add: a list of ids, or values by id."""
    pairs = (
        value
        if isinstance(value, dict)
        else dict.fromkeys(value, None)
        if isinstance(value, list)
        else {}
    )
    try:
        return {read_key(key): pairs[key] for key in pairs}
    except Invalid as invalid:
        raise _refused("Custom field id in add_custom_fields must be an integer") from invalid


def _known(value: object, table: Mapping[int, object], what: str) -> list[int]:
    if not isinstance(value, list):
        raise _refused(f"{what.rsplit(maxsplit=1)[-1]} must be a list")
    if len(set(value)) < len(value) or not set(value) <= set(table):
        raise _refused(f"Some {what} don't exist or were specified twice.")
    return value


def _refused(message: str) -> Refused:
    return Refused(400, {"non_field_errors": [message]})


_METHODS: dict[str, Callable[[_Request], _Write]] = {
    "modify_tags": _modify_tags,
    "add_tag": _add_tag,
    "remove_tag": _remove_tag,
    "set_correspondent": _set(Kind.CORRESPONDENT),
    "set_document_type": _set(Kind.DOCUMENT_TYPE),
    "modify_custom_fields": _modify_custom_fields,
}
