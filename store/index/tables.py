"""The tables of the archive index, and what differs by engine: the full text index."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    UniqueConstraint,
)

from store.columns import BigId, CleanText, CompactTime, UtcTime
from store.index.text import ChunkWords, TermGroup

index_metadata = MetaData()

CHUNK_BITS = 12
"""The lowest bits of an id that contains the number of a chunk."""
LONG = 1 << 50
"""Added to the id of a chunk whose document has others, so that FTS5 can search them apart."""
ROW_MASK = LONG - 1

archive_documents = Table(
    "archive_documents",
    index_metadata,
    Column("id", BigId, primary_key=True),
    Column("instance", CleanText, nullable=False),
    Column("document_id", BigId, nullable=False),
    Column("title", CleanText, nullable=False),
    Column("correspondent", BigId),
    Column("document_type", BigId),
    # Ids between commas, also at both ends: ",3,17,".
    Column("tags", CleanText, nullable=False),
    # ISO dates sort like the days.
    Column("created", CleanText, nullable=False),
    Column("added", CompactTime, nullable=False),
    Column("modified", CompactTime, nullable=False),
    Column("original_file_name", CleanText),
    Column("page_count", Integer),
    # The beginning of the hash; rows of earlier versions on PostgreSQL have the whole hash.
    Column("content_hash", CleanText, nullable=False),
    Column("length", BigId, nullable=False),
    Column("chunks", Integer, nullable=False),
    # False while the chunks of a long text are being written.
    Column("complete", Boolean, nullable=False),
    UniqueConstraint("instance", "document_id", name="uq_archive_documents_ref"),
)
archive_chunks = Table(
    "archive_chunks",
    index_metadata,
    Column("id", BigId, primary_key=True, autoincrement=False),
    Column(
        "document",
        BigId,
        ForeignKey("archive_documents.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("page", Integer, nullable=False),
    Column("position", BigId, nullable=False),
    Column("text", LargeBinary, nullable=False),
)
archive_words = Table(
    "archive_words",
    index_metadata,
    Column("id", BigId, primary_key=True),
    Column("word", CleanText, nullable=False, unique=True),
    # In how many of the counted chunks it occurs; see `text.is_counted`.
    Column("chunks", Integer, nullable=False),
)
archive_names = Table(
    "archive_names",
    index_metadata,
    Column("instance", CleanText, primary_key=True),
    Column("kind", CleanText, primary_key=True),
    Column("name_id", BigId, primary_key=True, autoincrement=False),
    Column("name", CleanText, nullable=False),
)
archive_states = Table(
    "archive_states",
    index_metadata,
    Column("instance", CleanText, primary_key=True),
    # JSON list of names; NULL before the first check.
    Column("excluded_tags", CleanText),
    Column("passed_at", UtcTime),
    Column("scope", CleanText),
)


class FullTextEngine(Protocol):
    """What differs between the engines; see the modules `sqlite` and `postgres`."""

    def is_supported(self, connection: Connection) -> bool: ...
    def chunk_id(self, row: int, number: int, *, is_long: bool) -> int: ...
    def add_chunks(self, connection: Connection, chunks: Iterable[ChunkWords]) -> None: ...
    def remove_chunk(self, connection: Connection, chunk: ChunkWords) -> None: ...
    def add_words(self, connection: Connection, words: Sequence[str]) -> None: ...
    def count_words(self, connection: Connection, words: Sequence[str], count: int) -> None: ...
    def drop_words(self, connection: Connection, words: Sequence[str]) -> None: ...
    def find_words(self, connection: Connection, part: str, limit: int) -> Sequence[str]: ...
    def hits_query(
        self, connection: Connection, groups: Sequence[TermGroup]
    ) -> tuple[str, dict[str, object]]: ...
    def similar_query(self, words: Sequence[str]) -> tuple[str, dict[str, object]]: ...
    def merge_step(self, connection: Connection) -> bool: ...
    def begin_purge(self, connection: Connection) -> None: ...


def numbered_chunk_id(row: int, number: int) -> int:
    """Return an id for a chunk that contains the row of its document and the chunk's number."""
    return row << CHUNK_BITS | number
