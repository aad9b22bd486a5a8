"""Forty invented documents: what Paperless knows of them, and what would be right to file."""

import datetime as dt
import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter

FOLDER = Path(__file__).parent


class _Part(BaseModel):
    """Part of a file beside this one; a mistyped key is a mistake, and is said."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SampleTag(_Part):
    """A tag of the pretend Paperless."""

    name: str
    parent: str | None = None
    is_inbox_tag: bool = False


class SampleDocument(_Part):
    """A document as it lies in the pretend Paperless before anyone has looked at it."""

    file: str
    original_file_name: str
    added: dt.datetime
    title: str | None = None
    """None: the stem of the original file name."""
    created: dt.date | None = None
    """None: the day it was added."""
    tags: tuple[str, ...] = ()
    correspondent: str | None = None
    document_type: str | None = None

    @property
    def text(self) -> str:
        """Return what the text recognition of Paperless gave."""
        return (FOLDER / self.file).read_text(encoding="utf-8")


class Samples(_Part):
    """The names and documents of the pretend Paperless; documents are numbered from 1."""

    tags: tuple[SampleTag, ...]
    correspondents: tuple[str, ...]
    document_types: tuple[str, ...]
    documents: tuple[SampleDocument, ...]


class Truth(_Part):
    """What a careful person would file; None means that the document does not say."""

    title: str | None = None
    title_contains: tuple[str, ...] = ()
    """A title is good enough when it has one of these in it, whatever the case."""
    correspondent: str | None = None
    document_type: str | None = None
    tags: frozenset[str] = frozenset()
    date: dt.date | None = None
    date_quote: str | None = None
    new_names: frozenset[str] = frozenset()
    """Names that the pretend Paperless does not know yet."""


def load_samples() -> Samples:
    return Samples.model_validate(_load("index.toml"))


def load_truth() -> Mapping[str, Truth]:
    """Read the right answers, by file name."""
    return TypeAdapter(dict[str, Truth]).validate_python(_load("truth.toml"))


def _load(name: str) -> dict[str, object]:
    return tomllib.loads((FOLDER / name).read_text(encoding="utf-8"))
