"""Documents: how one is named, and the row that is kept of each."""

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

# At most 15 digits, which databases and JSON parsers can represent.
_REF = re.compile(r"(?P<instance>[a-z0-9][a-z0-9_-]*)/(?P<id>[1-9][0-9]{0,14})")


@dataclass(frozen=True, slots=True, order=True)
class DocumentRef:
    """Reference to a document: `home/7` is document 7 of instance `home`."""

    instance: str
    id: int

    def __str__(self) -> str:
        return f"{self.instance}/{self.id}"

    @classmethod
    def parse(cls, text: str) -> "DocumentRef":
        """Parse `home/7`; raise ValueError with a message for the user."""
        match = _REF.fullmatch(text.strip())
        if match is None:
            raise ValueError(f'"{text}" does not name a document: write NAME/ID, as in home/7')
        return cls(match["instance"], int(match["id"]))


def content_hash(text: str) -> str:
    """Return the hash of a text, by which a change is detected."""
    return hashlib.sha256(text.encode()).hexdigest()


class DocumentState(StrEnum):
    """State of a document's permanent row; it decides whether a scan may select it."""

    QUEUED = "queued"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    IGNORED = "ignored"
    GONE = "gone"
    READ_ONLY = "read_only"
    """Its owner has not shared it for editing; eligible again once that has changed."""
    ADOPTED = "adopted"
    """A person declared that another tool has processed it; that can be undone."""


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """Which documents to list; None means any."""

    state: DocumentState | None = None
    instances: frozenset[str] | None = None
    """Only documents of these instances."""
    title: str = ""
    """Part of the title, in any case."""
    before: DocumentRef | None = None
    """Last document of the previous page: only documents before it."""


@dataclass(frozen=True, slots=True)
class KnownDocument:
    """The permanent row of a document."""

    ref: DocumentRef
    state: DocumentState
    title: str
    content_hash: str | None
    """Hash of the text that was analyzed last; None before the first analysis."""
    trigger_removed: bool
    """True once we removed the trigger tag: if it is there again, a person added it."""
    first_seen_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class FoundDocuments:
    """The result of a search for documents."""

    documents: tuple[KnownDocument, ...]
    among: int | None = None
    """Number of the newest documents that were searched; None: all were."""
