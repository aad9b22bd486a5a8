"""Load a world from a folder: an index in TOML, and a text file for each document."""

import tomllib
from datetime import date
from enum import StrEnum
from functools import cache
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ConfigDict

from sandbox.paperless.custom_values import to_stored_value
from sandbox.paperless.records import CustomField, Document, Kind
from sandbox.paperless.releases import V3, Release
from sandbox.paperless.world import World

DOCUMENTS = Path(__file__).parent.parent / "documents"
"""The sample documents that come with the sandbox, in German and English."""


class Archive(StrEnum):
    """Sample documents and names in one language."""

    ENGLISH = "en"
    GERMAN = "de"

    @property
    def folder(self) -> Path:
        return DOCUMENTS / self.value


class _Table(BaseModel):
    """A table of the index; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class _Tag(_Table):
    """A tag; its parent must come before it."""

    name: str
    parent: str | None = None
    is_inbox_tag: bool = False


class _StoragePath(_Table):
    """A storage path, with the template that names its files."""

    name: str
    path: str


class _CustomField(_Table):
    """A custom field."""

    name: str
    data_type: str
    options: tuple[str, ...] = ()
    currency: str | None = None


class _Entry(_Table):
    """One document, with names instead of ids."""

    file: str
    original_file_name: str
    added: AwareDatetime
    title: str | None = None
    created: date | None = None
    tags: tuple[str, ...] = ()
    correspondent: str | None = None
    document_type: str | None = None
    storage_path: str | None = None
    owner: str | None = None
    custom_fields: dict[str, str | int | float | bool] = {}
    """By name; "" for an empty value."""
    e_invoice: str | None = None
    """An XML file that is attached to the original."""


class _Index(_Table):
    """The whole index."""

    tags: tuple[_Tag, ...] = ()
    correspondents: tuple[str, ...] = ()
    document_types: tuple[str, ...] = ()
    storage_paths: tuple[_StoragePath, ...] = ()
    custom_fields: tuple[_CustomField, ...] = ()
    documents: tuple[_Entry, ...] = ()


def load_world(folder: Path = DOCUMENTS, release: Release = V3) -> World:
    """Load `index.toml` and its documents, numbered from 1 in the order of the index."""
    index = _read_index(folder)
    world = World(release)
    _add_names(world, index)
    for entry in index.documents:
        document = _add_document(world, entry, (folder / entry.file).read_text("utf-8"))
        if entry.e_invoice:
            document.e_invoice = (folder / entry.e_invoice).read_bytes()
        if folder.is_relative_to(DOCUMENTS):
            document.pages = Path(entry.file).stem
    return world


@cache
def _read_index(folder: Path) -> _Index:
    return _Index.model_validate(tomllib.loads((folder / "index.toml").read_text("utf-8")))


def _add_names(world: World, index: _Index) -> None:
    for tag in index.tags:
        parent = world.find(Kind.TAG, tag.parent).id if tag.parent else None
        world.add_name(Kind.TAG, tag.name, parent=parent, is_inbox_tag=tag.is_inbox_tag)
    for name in index.correspondents:
        world.add_name(Kind.CORRESPONDENT, name)
    for name in index.document_types:
        world.add_name(Kind.DOCUMENT_TYPE, name)
    for storage_path in index.storage_paths:
        world.add_name(Kind.STORAGE_PATH, storage_path.name, path=storage_path.path)
    for field in index.custom_fields:
        world.add_custom_field(field.name, field.data_type, field.options, currency=field.currency)


def _add_document(world: World, entry: _Entry, content: str) -> Document:
    document = world.add_document(
        content,
        entry.original_file_name,
        title=entry.title,
        created=entry.created,
        added=entry.added,
    )
    document.tags = {world.find(Kind.TAG, tag).id for tag in entry.tags}
    if entry.correspondent:
        document.correspondent = world.find(Kind.CORRESPONDENT, entry.correspondent).id
    if entry.document_type:
        document.document_type = world.find(Kind.DOCUMENT_TYPE, entry.document_type).id
    if entry.storage_path:
        document.storage_path = world.find(Kind.STORAGE_PATH, entry.storage_path).id
    if entry.owner:
        document.owner = world.users[entry.owner].id
    for name, value in entry.custom_fields.items():
        field = world.find_custom_field(name)
        document.custom_fields[field.id] = to_stored_value(field, _to_api_value(field, value))
    return document


def _to_api_value(field: CustomField, value: object) -> object:
    """Return a value as the API expects it: None for "", the id for a select option."""
    ids = {option["label"]: option["id"] for option in field.options}
    return None if value == "" else ids.get(str(value), value)
