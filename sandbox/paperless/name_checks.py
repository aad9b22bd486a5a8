"""Validation of names: lengths, colours, nesting, and duplicates."""

import re
from collections.abc import Callable, Mapping

from sandbox.paperless import tree
from sandbox.paperless.records import Kind, Name
from sandbox.paperless.replies import Refused
from sandbox.paperless.sharing import read_owner, read_shares
from sandbox.paperless.values import BLANK, REQUIRED, Invalid, read_key, read_text, unknown_key
from sandbox.paperless.world import World

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_ALGORITHMS = range(7)


def check_and_write_name(world: World, kind: Kind, name: Name, data: Mapping[str, object]) -> None:
    """Write `data` into `name`, or refuse all of it."""
    values: dict[str, object] = {}
    errors: dict[str, list[str]] = {}
    for field, read in _readers(kind).items():
        if field not in data:
            errors |= {field: [REQUIRED]} if field in _NEEDED else {}
            continue
        try:
            values[_ATTRIBUTES.get(field, field)] = read(world, name, data[field])
        except Invalid as invalid:
            errors[field] = [invalid.message]
    if not errors and _is_taken_by_nobody(world, kind, name, values["name"]):
        errors["name"] = [f"{kind.words} with this name already exists."]
    if errors:
        raise Refused(400, errors)
    _refuse_a_twin(world, kind, name, values)
    for attribute, value in values.items():
        setattr(name, attribute, value)


def _is_taken_by_nobody(world: World, kind: Kind, name: Name, text: object) -> bool:
    """Return whether an unowned name is the same; then no user may have it, either."""
    others = (other for other in world.names[kind].values() if other is not name)
    return any(other.name == text and other.owner is None for other in others)


def _refuse_a_twin(world: World, kind: Kind, name: Name, values: Mapping[str, object]) -> None:
    """Refuse a duplicate of the same owner, with other forms of errors than above."""
    owner = values.get("owner", name.owner)
    for other in world.names[kind].values():
        if other is not name and (other.name, other.owner) == (values["name"], owner):
            if "owner" in values:
                text = "The fields name, owner must make a unique set."
                raise Refused(400, {"non_field_errors": [text]})
            raise Refused(400, {"error": "Object violates owner / name unique constraint"})


_Reader = Callable[[World, Name, object], object]
_NEEDED = ("name", "path")
_ATTRIBUTES = {"set_permissions": "shares"}


def _readers(kind: Kind) -> dict[str, _Reader]:
    match kind:
        case Kind.TAG:
            return _OF_ALL | _OF_TAGS
        case Kind.STORAGE_PATH:
            return _OF_ALL | {"path": _path}
        case _:
            return _OF_ALL


def _name(_: World, __: Name, value: object) -> str:
    text = read_text(value, longest=128)
    if not text:
        raise Invalid(BLANK)
    return text


def _text(_: World, __: Name, value: object) -> str:
    return read_text(value, longest=256)


def _algorithm(_: World, __: Name, value: object) -> int:
    if not str(value).isdecimal() or int(str(value)) not in _ALGORITHMS:
        raise Invalid(f'"{value}" is not a valid choice.')
    return int(str(value))


def _boolean(_: World, __: Name, value: object) -> bool:
    if not isinstance(value, bool):
        raise Invalid("Must be a valid boolean.")
    return value


def _color(_: World, __: Name, value: object) -> str:
    if not isinstance(value, str) or not _COLOR.fullmatch(value):
        raise Invalid("Invalid color.")
    return value


def _parent(world: World, name: Name, value: object) -> int | None:
    if value in (None, ""):
        return None
    parent = read_key(value)
    if parent not in world.tags:
        raise unknown_key(value)
    family = tree.with_descendants(world.tags, [name.id]) if name.id in world.tags else set()
    if parent in family:
        raise Invalid("Cannot set itself or a descendant as parent.")
    levels = tree.height(world.tags, name.id) if family else 1
    if len(tree.ancestors(world.tags, parent)) + 1 + levels > tree.MAX_DEPTH:
        raise Invalid("Maximum nesting depth exceeded.")
    return parent


def _path(_: World, __: Name, value: object) -> str:
    text = read_text(value)
    if text.count("{{") != text.count("}}"):
        raise Invalid("Invalid variable detected.")
    return text


def _owner(world: World, _: Name, value: object) -> int | None:
    return read_owner(world, value)


def _shares(world: World, _: Name, value: object) -> object:
    return read_shares(world, value)


_OF_ALL: dict[str, _Reader] = {
    "name": _name,
    "match": _text,
    "matching_algorithm": _algorithm,
    "is_insensitive": _boolean,
    "owner": _owner,
    "set_permissions": _shares,
}
_OF_TAGS: dict[str, _Reader] = {
    "color": _color,
    "is_inbox_tag": _boolean,
    "parent": _parent,
}
