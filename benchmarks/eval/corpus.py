"""The documents of the evaluation, and what would be right to file for each of them."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.fields import FieldName, Name
from sandbox.documents import Truth, load_truth
from sandbox.paperless import World, load_world
from sandbox.paperless.records import Kind

FOLDER = Path(__file__).parent / "documents"
"""In the form of the sandbox's own: index.toml, truth.toml, a text file for each document."""
_KINDS = {
    FieldName.CORRESPONDENT: Kind.CORRESPONDENT,
    FieldName.DOCUMENT_TYPE: Kind.DOCUMENT_TYPE,
    FieldName.TAGS: Kind.TAG,
}

NameFinder = Callable[[FieldName, str], Name]


@dataclass(frozen=True, slots=True)
class Paper:
    """One document: its number in Paperless, its text, and the truth about it."""

    id: int
    file: str
    text: str
    truth: Truth


def load_papers(folder: Path = FOLDER) -> tuple[Paper, ...]:
    """Read the documents in the order of the index, which is how Paperless numbers them."""
    index = tomllib.loads((folder / "index.toml").read_text(encoding="utf-8"))
    files = [str(entry["file"]) for entry in index["documents"]]
    truth = load_truth(folder)
    return tuple(
        Paper(id_, file, (folder / file).read_text(encoding="utf-8"), truth[file])
        for id_, file in enumerate(files, start=1)
    )


def load_archive(folder: Path = FOLDER) -> World:
    """Load a pretend Paperless with the documents, filed by nobody yet."""
    return load_world(folder)


def names_in(world: World) -> NameFinder:
    """Return a function that looks a name up in that Paperless; one it lacks has no id."""
    ids = {
        field: {name.name: name.id for name in world.names[kind].values()}
        for field, kind in _KINDS.items()
    }

    def find(field: FieldName, name: str) -> Name:
        return Name(ids[field].get(name), name)

    return find
