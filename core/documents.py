"""Documents as we know them: their name, and what we remember of them."""

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

# No number that a database, or a program that reads JSON, could not hold.
_REF = re.compile(r"(?P<instance>[a-z0-9][a-z0-9_-]*)/(?P<id>[1-9][0-9]{0,14})")


@dataclass(frozen=True, slots=True, order=True)
class DocumentRef:
    """Name of one document: `home/7` is document 7 of instance `home`."""

    instance: str
    id: int

    def __str__(self) -> str:
        return f"{self.instance}/{self.id}"

    @classmethod
    def parse(cls, text: str) -> "DocumentRef":
        """Read `home/7`; raise ValueError with a sentence for the user on anything else."""
        match = _REF.fullmatch(text.strip())
        if match is None:
            raise ValueError(f'"{text}" does not name a document: write NAME/ID, as in home/7')
        return cls(match["instance"], int(match["id"]))


def content_hash(text: str) -> str:
    """Name a text, so that it can be told whether it changed."""
    return hashlib.sha256(text.encode()).hexdigest()


class DocumentState(StrEnum):
    """What the permanent row of a document says; it decides whether a scan may select it."""

    QUEUED = "queued"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    IGNORED = "ignored"
    GONE = "gone"
    READ_ONLY = "read_only"
    """Its owner has not shared it for editing; eligible again once that has changed."""


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """Which documents to list; None means any."""

    state: DocumentState | None = None
    instances: frozenset[str] | None = None
    """Only documents of these."""
    title: str = ""
    """Part of the title, in small letters or large."""
    before: DocumentRef | None = None
    """Go on where a page ended: only documents before this one."""


@dataclass(frozen=True, slots=True)
class KnownDocument:
    """The permanent row of a document."""

    ref: DocumentRef
    state: DocumentState
    title: str
    content_hash: str | None
    """Hash of the text that was analysed last; None before the first analysis."""
    trigger_removed: bool
    """True once we took the trigger tag away: if it is there again, a person put it back."""
    first_seen_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class FoundDocuments:
    """What a search of documents found."""

    documents: tuple[KnownDocument, ...]
    among: int | None = None
    """So many of the newest were looked through, and there are more; None: all were."""
