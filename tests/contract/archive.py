"""A small archive with the ids of the recorded one, so that recorded requests fit it."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from sandbox.paperless import Kind, Release, World
from sandbox.paperless.records import CustomField, Document, Group, Name, Shares

ADMIN, LIMITED, BOT = 2, 3, 4
OPTIONS = [
    {"label": "offen", "id": "hwBE1VctsByBhSsf"},
    {"label": "bezahlt", "id": "AzUKZk0tzXIIBwDE"},
]

_FIRST_ADDED = datetime(2026, 11, 14, 22, 57, 24, 427904, tzinfo=UTC)
_STEP = timedelta(minutes=75)

_TAGS = {
    1: Name(1, "Posteingang", is_inbox_tag=True),
    2: Name(2, "ai-processed"),
    3: Name(3, "Finanzen"),
    4: Name(4, "Finanzen 2022", parent=3),
    5: Name(5, "Finanzen 2023", parent=3),
    6: Name(6, "Finanzen 2024", parent=3),
    45: Name(45, "Thema A"),
    46: Name(46, "Thema B"),
    72: Name(72, "Privat Admin", owner=ADMIN),
}
_CORRESPONDENTS = {
    1: "Stadtwerke München GmbH",
    2: "Deutsche Telekom AG",
    5: "ING-DiBa AG",
    7: "E.ON Energie",
    25: "IKEA Deutschland",
}
_DOCUMENT_TYPES = {1: "Rechnung", 2: "Vertrag", 3: "Brief"}
_CUSTOM_FIELDS = {
    1: ("Rechnungsnummer", "string"),
    2: ("Fällig am", "date"),
    3: ("Betrag", "monetary"),
    4: ("Feld boolean", "boolean"),
    5: ("Feld integer", "integer"),
    6: ("Feld float", "float"),
    7: ("Feld url", "url"),
    8: ("Feld documentlink", "documentlink"),
    9: ("Feld longtext", "longtext"),
    10: ("Feld select", "select"),
}  # fmt: skip


class _Row(NamedTuple):
    """One line of the table of documents."""

    title: str
    tags: set[int]
    correspondent: int | None
    document_type: int | None
    owner: int | None
    created: date


_DOCUMENTS = {
    1: _Row("Brief ING-DiBa AG 2024-06", {2}, 5, 3, None, date(2024, 6, 5)),
    2: _Row("scan_000002", set(), None, None, None, date(2025, 3, 1)),
    3: _Row("Kontoauszug E.ON Energie 2020-10", {2, 3}, 7, 1, ADMIN, date(2020, 10, 13)),
    5: _Row("Rechnung Vattenfall 2022-03", {3}, 1, 1, None, date(2022, 3, 1)),
    9: _Row("scan_000009", {2}, None, None, ADMIN, date(2021, 1, 9)),
    11: _Row("Vertrag IKEA Deutschland 2023-11", {2}, 25, 2, None, date(2023, 11, 2)),
    12: _Row("scan_000012", {45}, None, None, BOT, date(2023, 7, 9)),
    14: _Row("scan_000014", {45}, None, None, None, date(2022, 1, 14)),
    16: _Row("scan_000016", {45}, None, None, None, date(2022, 1, 16)),
    18: _Row("scan_000018", {1}, None, None, BOT, date(2024, 10, 29)),
    20: _Row("scan_000020", {1}, None, None, None, date(2022, 8, 13)),
    22: _Row("scan_000022", {1, 2}, None, None, None, date(2021, 2, 22)),
    24: _Row("scan_000024", {46}, None, None, None, date(2024, 12, 9)),
    25: _Row("Rechnung Sparkasse 2020-01", {2}, 1, 1, None, date(2020, 1, 1)),
    26: _Row("scan_000026", {46}, None, None, None, date(2022, 5, 1)),
    32: _Row("scan_000032", {46}, None, None, None, date(2022, 5, 2)),
    44: _Row("scan_000044", {46}, None, None, None, date(2022, 5, 3)),
}  # fmt: skip


def archive(release: Release) -> World:
    """Build the archive: 17 documents, 9 tags, some of them nested, all kinds of custom fields."""
    world = World(release)
    world.add_user("noperm")
    world.names[Kind.TAG] = {id_: _copy(tag) for id_, tag in _TAGS.items()}
    world.names[Kind.CORRESPONDENT] = {
        id_: Name(id_, name) for id_, name in _CORRESPONDENTS.items()
    }
    world.names[Kind.DOCUMENT_TYPE] = {
        id_: Name(id_, name) for id_, name in _DOCUMENT_TYPES.items()
    }
    world.names[Kind.STORAGE_PATH] = {
        1: Name(1, "Nach Jahr", path="{{ created_year }}/{{ title }}")
    }
    for id_, (name, data_type) in _CUSTOM_FIELDS.items():
        options = [dict(option) for option in OPTIONS] if data_type == "select" else []
        world.custom_fields[id_] = CustomField(id_, name, data_type, options)
    for id_, row in _DOCUMENTS.items():
        world.documents[id_] = _document(id_, row)
    world.documents[16].added = world.documents[16].modified = datetime(
        2026, 11, 15, 19, 30, tzinfo=UTC
    )
    world.documents[11].custom_fields = {1: "RE-11"}
    world.documents[11].page_count = 2
    world.documents[25].content = ""
    _use_up_ids(world)
    return world


def _document(id_: int, row: _Row) -> Document:
    added = _FIRST_ADDED + (id_ - 1) * _STEP
    content = f"Wartungspauschale und Anfahrt, Beleg Nummer {id_}" if id_ % 2 else f"Brief {id_}"
    return Document(
        id=id_,
        title=row.title,
        content=content,
        original=content.encode(),
        original_file_name=f"scan_{id_:06}.txt",
        mime_type="text/plain",
        created=row.created,
        added=added,
        modified=added,
        owner=row.owner,
        tags=set(row.tags),
        correspondent=row.correspondent,
        document_type=row.document_type,
    )


def change(world: World, given: Mapping[str, object]) -> None:
    """Bring the archive into the initial state of a case."""
    for what, value in given.items():
        _CHANGES[what](world, value)


def _copy(tag: Name) -> Name:
    return Name(tag.id, tag.name, tag.owner, is_inbox_tag=tag.is_inbox_tag, parent=tag.parent)


def _use_up_ids(world: World) -> None:
    tables: dict[str, Mapping[int, object]] = {
        "documents": world.documents,
        "custom_fields": world.custom_fields,
        **{str(kind): names for kind, names in world.names.items()},
    }
    for table, things in tables.items():
        while world.next_id(table) < max(things):
            pass


def _set_documents(world: World, value: object) -> None:
    assert isinstance(value, dict)
    for id_, attributes in value.items():
        for name, content in attributes.items():
            setattr(world.documents[int(id_)], name, _typed(name, content))


def _typed(name: str, content: object) -> object:
    match name, content:
        case "tags", list():
            return set(content)
        case "custom_fields", dict():
            return {int(key): value for key, value in content.items()}
        case "modified", str():
            return datetime.fromisoformat(content)
        case "shares", dict():
            return Shares(set(content["view"]), set(content["change"]))
        case _:
            return content


def _add_names(world: World, value: object) -> None:
    assert isinstance(value, dict)
    for kind, names in value.items():
        for attributes in names:
            id_ = attributes.get("id") or world.next_id(kind)
            world.names[Kind(kind)][id_] = Name(**{**attributes, "id": id_})


def _fill(world: World, value: object) -> None:
    assert isinstance(value, int)
    for id_ in range(1, value + 1):
        if id_ not in world.documents:
            row = _Row(f"scan_{id_:06}", {46}, None, None, None, date(2019, 1, 1))
            world.documents[id_] = _document(id_, row)


def _delete(world: World, value: object) -> None:
    assert isinstance(value, list)
    for id_ in value:
        world.delete(id_)


def _add_groups(world: World, value: object) -> None:
    """Add groups by id, each with its name and its users."""
    assert isinstance(value, dict)
    for id_, (name, *users) in value.items():
        world.groups[int(id_)] = Group(int(id_), name)
        for user in users:
            world.users[user].groups.add(int(id_))


def _deactivate(world: World, value: object) -> None:
    world.users[str(value)].is_active = False


def _allow_hosts(world: World, value: object) -> None:
    assert isinstance(value, list)
    world.allowed_hosts = frozenset(value)


def _ask_for_tokens(world: World, value: object) -> None:
    assert isinstance(value, int)
    world.token_requests = [world.now() for _ in range(value)]


_CHANGES = {
    "documents": _set_documents,
    "names": _add_names,
    "fill": _fill,
    "deleted": _delete,
    "groups": _add_groups,
    "inactive": _deactivate,
    "hosts": _allow_hosts,
    "token_requests": _ask_for_tokens,
}
