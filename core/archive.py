"""The archive index: what it holds of a document, and what a search asks for and returns."""

from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum

from core.documents import DocumentRef


class IndexMode(StrEnum):
    """Which documents of an instance enter the archive index."""

    OFF = "off"
    PROCESSED = "processed"
    """Only documents that are processed; the owner chose so."""
    ASK = "ask"
    """Only documents that are processed, until the owner has been asked."""
    ALL = "all"


class IndexChoice(StrEnum):
    """The owner's stored answer to whether the whole archive may be indexed."""

    ASK = "ask"
    """Not answered; the instance existed before there was an index."""
    ALL = "all"
    PROCESSED = "processed"


def choose_index_mode(
    *, enabled: bool | None, limits_reading: bool, choice: IndexChoice | None
) -> IndexMode:
    """Return which documents enter the index.

    `enabled` is the setting, None if it is not set. `limits_reading` is whether the owner lets
    Paperclerk read only documents with certain tags. `choice` is None for a new instance.
    """
    if enabled is False:
        return IndexMode.OFF
    if enabled or choice is IndexChoice.ALL:
        return IndexMode.ALL
    if choice is IndexChoice.PROCESSED:
        return IndexMode.PROCESSED
    if choice is None and not limits_reading:
        return IndexMode.ALL
    return IndexMode.ASK


@dataclass(frozen=True, slots=True)
class ArchiveFields:
    """The fields of a document in the index, as Paperless had them."""

    ref: DocumentRef
    title: str
    correspondent: int | None
    document_type: int | None
    tags: frozenset[int]
    created: date
    added: datetime
    modified: datetime
    original_file_name: str | None = None
    page_count: int | None = None


@dataclass(frozen=True, slots=True)
class ArchiveDocument:
    """A document with its text, for the index."""

    fields: ArchiveFields
    text: str = field(repr=False)


class ArchiveName(StrEnum):
    """Kinds of names by which a search can be filtered."""

    CORRESPONDENT = "correspondent"
    DOCUMENT_TYPE = "document_type"
    TAG = "tag"


@dataclass(frozen=True, slots=True)
class ArchiveCursor:
    """The last result of a page; the next page begins after it."""

    score: float
    row: int

    def __str__(self) -> str:
        return f"{self.score!r}:{self.row}"

    @classmethod
    def parse(cls, text: str) -> "ArchiveCursor":
        """Parse what `str` made of a cursor; raise ValueError."""
        score, _, row = text.partition(":")
        return cls(float(score), int(row))


@dataclass(frozen=True, slots=True)
class ArchiveSearch:
    """What is searched for; None means any."""

    words: str
    instances: frozenset[str]
    correspondent: str | None = None
    document_type: str | None = None
    tag: str | None = None
    created_since: date | None = None
    created_until: date | None = None
    after: ArchiveCursor | None = None
    limit: int = 20


@dataclass(frozen=True, slots=True)
class SnippetPart:
    """A piece of a snippet, and whether it is one of the words searched for."""

    text: str
    is_match: bool = False


@dataclass(frozen=True, slots=True)
class ArchiveHit:
    """A document that was found."""

    fields: ArchiveFields
    score: float
    """Higher is better; scores of different searches cannot be compared."""
    cursor: ArchiveCursor
    snippet: tuple[SnippetPart, ...]
    page: int | None
    """The page of the snippet; None if unknown."""
    is_page_estimated: bool
    """Whether the page was computed from the position in a text without page breaks."""
    correspondent: str | None = None
    document_type: str | None = None
    tags: tuple[str, ...] = ()
    """Names as Paperless last had them."""


@dataclass(frozen=True, slots=True)
class ArchiveHits:
    """One page of results, the best first."""

    hits: tuple[ArchiveHit, ...] = ()
    next: ArchiveCursor | None = None
    """Where the next page begins; None at the end."""


@dataclass(frozen=True, slots=True)
class ArchiveState:
    """How far the index of one instance is."""

    instance: str
    documents: int = 0
    excluded_tags: frozenset[str] | None = None
    """The excluded tags that its documents were last checked against; None before the first."""
    passed_at: datetime | None = None
    """When the whole archive was last compared with the index; None before the first time."""
    scope: str = ""
    """Which documents that comparison was for."""
    newest_modified: datetime | None = None
    """The newest `modified` among its documents."""
