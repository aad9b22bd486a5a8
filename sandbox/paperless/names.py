"""Tags, correspondents, document types and storage paths: list, get, create, change, delete."""

from collections.abc import Callable

from sandbox.paperless import tree
from sandbox.paperless.calls import Call, View
from sandbox.paperless.filter_values import TEXT_MATCHES, boolean, number, numbers
from sandbox.paperless.listing import page_of
from sandbox.paperless.name_checks import check_and_write_name
from sandbox.paperless.name_json import document_count, name_json
from sandbox.paperless.permissions import may_change, may_give_away, may_see
from sandbox.paperless.records import Kind, Name
from sandbox.paperless.replies import Refused, Reply, json_reply, not_found, not_permitted
from sandbox.paperless.values import Invalid


def collection(kind: Kind) -> dict[str, View]:
    """Return the views of the list, by method."""
    return {"GET": _bind(_list, kind), "POST": _bind(_create, kind)}


def single(kind: Kind) -> dict[str, View]:
    """Return the views of one name, by method."""
    return {
        "GET": _bind(_show, kind),
        "PATCH": _bind(_patch, kind),
        "PUT": _bind(_patch, kind),
        "DELETE": _bind(_delete, kind),
    }


def _bind(view: Callable[[Call, Kind], Reply], kind: Kind) -> View:
    return lambda call: view(call, kind)


def _list(call: Call, kind: Kind) -> Reply:
    names = [name for name in call.world.names[kind].values() if may_see(call.user, name)]
    found = _ordered(call, kind, _selected(call, names))
    answer = page_of(
        call, found, lambda name: name_json(call, kind, name) | _count(call, kind, name)
    )
    if kind is Kind.TAG and call.world.release.is_v3:
        # Children of the tags found are shown inside them, and counted here, too.
        shown = tree.with_descendants(call.world.tags, [name.id for name in found])
        answer["display_count"] = len(shown & {name.id for name in names})
    return json_reply(answer)


def _show(call: Call, kind: Kind) -> Reply:
    name = _visible(call, kind)
    return json_reply(name_json(call, kind, name) | _count(call, kind, name))


def _create(call: Call, kind: Kind) -> Reply:
    name = Name(0, "", owner=call.user.id, matching_algorithm=1)
    check_and_write_name(call.world, kind, name, call.data())
    name.id = call.world.next_id(kind)
    call.world.names[kind][name.id] = name
    return json_reply(name_json(call, kind, name), 201)


def _patch(call: Call, kind: Kind) -> Reply:
    name = _changeable(call, kind)
    data = call.data()
    if data.keys() & {"owner", "set_permissions"} and not may_give_away(call.user, name):
        raise Refused(403, {"detail": "Insufficient permissions."})
    check_and_write_name(call.world, kind, name, {"name": name.name, "path": name.path, **data})
    return json_reply(name_json(call, kind, name) | _count(call, kind, name))


def _delete(call: Call, kind: Kind) -> Reply:
    """Delete a name and its children, also from documents, without updating `modified`."""
    doomed = {_changeable(call, kind).id}
    if kind is Kind.TAG:
        doomed = tree.with_descendants(call.world.tags, doomed)
    for document in call.world.documents.values():
        if kind is Kind.TAG:
            document.tags -= doomed
        elif getattr(document, kind.field) in doomed:
            setattr(document, kind.field, None)
    for id_ in doomed:
        del call.world.names[kind][id_]
    return Reply(204)


def _visible(call: Call, kind: Kind) -> Name:
    name = call.world.names[kind].get(call.id)
    if name is None or not may_see(call.user, name):
        raise not_found(kind.model)
    return name


def _changeable(call: Call, kind: Kind) -> Name:
    name = _visible(call, kind)
    if not may_change(call.user, name):
        raise not_permitted()
    return name


def _count(call: Call, kind: Kind, name: Name) -> dict[str, object]:
    return {"document_count": document_count(call, kind, name)}


def _selected(call: Call, names: list[Name]) -> list[Name]:
    found = names
    try:
        for parameter, value in call.query.items():
            if value:
                found = _filtered(found, parameter, value)
    except Invalid as invalid:
        raise Refused(400, {parameter: [invalid.message]}) from invalid
    return found


def _filtered(names: list[Name], parameter: str, value: str) -> list[Name]:
    field, _, lookup = parameter.partition("__")
    match field, lookup:
        case "name", _ if lookup in TEXT_MATCHES:
            matches = TEXT_MATCHES[lookup]
            return [name for name in names if matches(name.name.lower(), value.lower())]
        case "id", "":
            return [name for name in names if name.id == number(value)]
        case "id", "in":
            return [name for name in names if name.id in numbers(value)]
        case "is_root", "" if boolean(value) is not None:
            return [name for name in names if (name.parent is None) == boolean(value)]
        case _:
            return names


def _ordered(call: Call, kind: Kind, names: list[Name]) -> list[Name]:
    """Sort by name, ignoring case, or as requested; sorting by id is not possible."""
    by_name = sorted(names, key=lambda name: (name.name.lower(), name.id))
    asked = call.query.get("ordering", "")
    match asked.lstrip("-"):
        case "name":
            return by_name[::-1] if asked.startswith("-") else by_name
        case "document_count":
            count = {name.id: document_count(call, kind, name) for name in names}
            return sorted(by_name, key=lambda n: count[n.id], reverse=asked.startswith("-"))
        case _:
            return by_name
