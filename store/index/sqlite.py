"""The full text index on SQLite: FTS5 without a copy of the text, and a trigram index of its words.

A word such as "mietvertrag" is looked up in the vocabulary first, where it is found inside
"wohnungsmietvertrag". The vocabulary is small, so this costs little, while trigrams of all texts
would take as much space as the texts. The file is created when it is first written to.
"""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress

from sqlalchemy import Connection, TextClause, exists, select, text
from sqlalchemy.exc import DatabaseError

from core.private_files import make_private_file
from store.engine import Engines, checkpoint_wal
from store.index.tables import (
    CHUNK_BITS,
    LONG,
    ROW_MASK,
    archive_chunks,
    index_metadata,
    numbered_chunk_id,
)
from store.index.text import VERSION, ChunkWords, TermGroup

MERGE_PAGES = 64
"""Pages of the index that one transaction merges; this takes a few milliseconds."""
_FIRST_VERSION = (3, 34)
"""The first SQLite with trigrams."""
_SECURE_DELETE = (3, 42)
"""The first SQLite whose FTS5 removes words at once instead of when it merges."""

_CREATE = (
    """
    CREATE VIRTUAL TABLE chunk_index USING fts5(
        words, title, content='', tokenize="unicode61 remove_diacritics 0"
    )
    """,
    # Merging is done in steps of our own: FTS5 would do it in the middle of an insert.
    "INSERT INTO chunk_index (chunk_index, rank) VALUES ('automerge', 0)",
    "INSERT INTO chunk_index (chunk_index, rank) VALUES ('crisismerge', 1999)",
    # Parts of the index that are merged into one: the more, the less often a document is rewritten.
    "INSERT INTO chunk_index (chunk_index, rank) VALUES ('usermerge', 8)",
    "INSERT INTO chunk_index (chunk_index, rank) VALUES ('rank', 'bm25(1.0, 4.0)')",
    """
    CREATE VIRTUAL TABLE word_index USING fts5(
        word, content='archive_words', content_rowid='id', columnsize=0,
        tokenize='trigram case_sensitive 1'
    )
    """,
    """
    CREATE TRIGGER word_inserted AFTER INSERT ON archive_words
    BEGIN
        INSERT INTO word_index (rowid, word) VALUES (new.id, new.word);
    END
    """,
    """
    CREATE TRIGGER word_deleted AFTER DELETE ON archive_words
    BEGIN
        INSERT INTO word_index (word_index, rowid, word) VALUES ('delete', old.id, old.word);
    END
    """,
)
_REMOVE_AT_ONCE = (
    text("INSERT INTO chunk_index (chunk_index, rank) VALUES ('secure-delete', 1)"),
    text("INSERT INTO word_index (word_index, rank) VALUES ('secure-delete', 1)"),
)
_MERGE = (
    text("INSERT INTO chunk_index (chunk_index, rank) VALUES ('merge', :pages)"),
    text("INSERT INTO word_index (word_index, rank) VALUES ('merge', :pages)"),
)

_LONG_ROW = f"((rowid & {ROW_MASK}) >> {CHUNK_BITS})"
"""The row of a long document, by one of its chunks; see `chunk_id`."""
_ROW = f"CASE WHEN rowid < {LONG} THEN rowid ELSE {_LONG_ROW} END"
_HAS_LONG = select(exists().where(archive_chunks.c.id >= LONG))

_INSERT = text("INSERT INTO chunk_index (rowid, title, words) VALUES (:id, :title, :words)")
_DELETE = text(
    "INSERT INTO chunk_index (chunk_index, rowid, title, words)"
    " VALUES ('delete', :id, :title, :words)"
)
# As one JSON value: handing over a row for each word takes longer than all the rest.
_ADD_WORDS = text(
    "INSERT INTO archive_words (word, chunks) SELECT value, 0 FROM json_each(:words) WHERE true"
    " ON CONFLICT (word) DO NOTHING"
)
_COUNT_WORDS = text(
    "UPDATE archive_words SET chunks = chunks + :count"
    " WHERE word IN (SELECT value FROM json_each(:words))"
)
_DROP_WORDS = text(
    "DELETE FROM archive_words WHERE word IN (SELECT value FROM json_each(:words)) AND NOT EXISTS"
    " (SELECT 1 FROM chunk_index WHERE chunk_index MATCH '\"' || archive_words.word || '\"')"
)
_FIND_WORDS = text(
    "SELECT word FROM archive_words WHERE id IN"
    " (SELECT rowid FROM word_index WHERE word_index MATCH :phrase)"
    " ORDER BY chunks DESC, word LIMIT :limit"
)


class IndexFile:
    """A file that is created when it is first written to; all methods are for the writer thread."""

    def __init__(self, engines: Engines) -> None:
        assert engines.file is not None
        self._engines = engines
        self._path = engines.file
        self._is_ready = False
        self._is_supported = False

    @property
    def is_supported(self) -> bool:
        """Return whether this SQLite supports the index, once the file was created."""
        return self._is_supported

    def is_ready(self) -> bool:
        """Return whether our connections have the file open."""
        return self._is_ready and self.exists()

    def exists(self) -> bool:
        """Return whether there is a file; an empty one was never finished."""
        return self._path.exists() and self._path.stat().st_size > 0

    def create(self) -> bool:
        """Create the file if needed; return whether this SQLite supports the index."""
        if self.is_ready():
            return self._is_supported
        # The file may have been deleted, and our connections still have it open.
        self._engines.dispose()
        if not self._try_to_create_tables():
            # A file of another version is not migrated: the index can always be built anew.
            self.delete()
            self._create_tables()
        self._is_ready = True
        return self._is_supported

    def delete(self) -> None:
        """Delete the file and its logs."""
        self._is_ready = False
        self._engines.dispose()
        for ending in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)

    def checkpoint(self) -> None:
        """Copy the write-ahead log into the file; on failure, the next call does it."""
        writer = self._engines.writer
        with suppress(writer.dialect.loaded_dbapi.Error):
            checkpoint_wal(writer)

    def truncate_log(self) -> None:
        """Remove deleted text from the write-ahead log."""
        connection = self._engines.writer.raw_connection()
        try:
            connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            connection.close()

    def _try_to_create_tables(self) -> bool:
        """Create the tables; return False if the file has other tables, or is damaged."""
        try:
            return self._create_tables()
        except DatabaseError as error:
            # Subclasses are about locks and disks, which are no reason to delete anything.
            if type(error) is not DatabaseError:
                raise
            return False

    def _create_tables(self) -> bool:
        """Create the tables; return False if the file has other tables."""
        make_private_file(self._path)
        with self._engines.writer.begin() as connection:
            self._is_supported = is_supported(connection)
            if not self._is_supported or is_current(connection):
                return True
            if connection.scalar(text("SELECT count(*) FROM sqlite_master")):
                return False
            index_metadata.create_all(connection)
            _create_full_text_index(connection)
            connection.execute(text(f"PRAGMA user_version = {VERSION}"))
            return True


def is_current(connection: Connection) -> bool:
    """Return whether a file was written by this version of the index."""
    return bool(connection.scalar(text("PRAGMA user_version")) == VERSION)


def is_supported(connection: Connection) -> bool:
    """Return whether this SQLite has what the index needs."""
    version = connection.dialect.server_version_info or ()
    fts5 = text("SELECT count(*) FROM pragma_module_list WHERE name = 'fts5'")
    return version >= _FIRST_VERSION and bool(connection.scalar(fts5))


def chunk_id(row: int, number: int, *, is_long: bool) -> int:
    """Return the id of a chunk: for a document of one chunk its row.

    FTS5 stores the differences between the ids of a word's chunks: one byte if they are small.
    """
    return numbered_chunk_id(row, number) + LONG if is_long else row


def add_chunks(connection: Connection, chunks: Iterable[ChunkWords]) -> None:
    """Index the words of chunks; SQLite has no stemming by language."""
    connection.execute(_INSERT, [_build_values(chunk) for chunk in chunks])


def remove_chunk(connection: Connection, chunk: ChunkWords) -> None:
    """Remove a chunk; title and words must be those it was indexed with."""
    connection.execute(_DELETE, _build_values(chunk))


def add_words(connection: Connection, words: Sequence[str]) -> None:
    """Add words to the vocabulary; those that are there are not written again."""
    connection.execute(_ADD_WORDS, {"words": json.dumps(words)})


def count_words(connection: Connection, words: Sequence[str], count: int) -> None:
    """Add `count` to the number of chunks that each word is known to occur in."""
    connection.execute(_COUNT_WORDS, {"words": json.dumps(words), "count": count})


def drop_words(connection: Connection, words: Sequence[str]) -> None:
    """Delete the words that occur in no chunk any more."""
    connection.execute(_DROP_WORDS, {"words": json.dumps(words)})


def find_words(connection: Connection, part: str, limit: int) -> Sequence[str]:
    """Return the indexed words that contain `part`, the most frequent first."""
    return connection.scalars(_FIND_WORDS, {"phrase": f'"{part}"', "limit": limit}).all()


def hits_query(
    connection: Connection, groups: Sequence[TermGroup]
) -> tuple[str, dict[str, object]]:
    """Build the query for the best chunk of each document that has a word of every group."""
    expressions = [_expression(group) for group in groups]
    query = f"""
        SELECT rowid AS document, rowid AS chunk, rank AS score
        FROM chunk_index WHERE chunk_index MATCH :every AND rowid < {LONG}
    """  # noqa: S608 - numbers and a parameter alone
    values: dict[str, object] = {"every": " AND ".join(f"({part})" for part in expressions)}
    if not connection.scalar(_HAS_LONG):
        return query, values
    # The words of a long document may be in different chunks.
    has_all = " INTERSECT ".join(
        f"SELECT {_LONG_ROW} FROM chunk_index"  # noqa: S608
        f" WHERE chunk_index MATCH :group_{n} AND rowid >= {LONG}"
        for n in range(len(groups))
    )
    long = f"""
        UNION ALL
        SELECT {_LONG_ROW} AS document, rowid AS chunk, min(rank) AS score
        FROM chunk_index
        WHERE chunk_index MATCH :any AND rowid >= {LONG} AND {_LONG_ROW} IN ({has_all})
        GROUP BY 1
    """  # noqa: S608 - numbers and parameters alone
    values |= {f"group_{n}": part for n, part in enumerate(expressions)}
    return query + long, {**values, "any": " OR ".join(expressions)}


def similar_query(words: Sequence[str]) -> tuple[str, dict[str, object]]:
    """Build the query for the documents that share most of these words."""
    query = f"""
        SELECT {_ROW} AS document, min(rank) AS score
        FROM chunk_index WHERE chunk_index MATCH :any GROUP BY 1
    """  # noqa: S608 - numbers and a parameter alone
    return query, {"any": " OR ".join(f'"{word}"' for word in words)}


def merge_step(connection: Connection) -> bool:
    """Merge a few pages of the indexes; return whether there was anything to merge."""
    merged = [_merge(connection, statement, MERGE_PAGES) for statement in _MERGE]
    return any(merged)


def begin_purge(connection: Connection) -> None:
    """Schedule a rewrite of the whole index by the next merges, to delete removed words."""
    if not _removes_at_once(connection):
        for statement in _MERGE:
            # A negative number puts all of the index on one level, to be merged.
            _merge(connection, statement, -MERGE_PAGES)


def _create_full_text_index(connection: Connection) -> None:
    """Create the full text index of an empty file."""
    for statement in _CREATE:
        connection.execute(text(statement))
    if _removes_at_once(connection):
        for setting in _REMOVE_AT_ONCE:
            connection.execute(setting)


def _build_values(chunk: ChunkWords) -> dict[str, object]:
    return {"id": chunk.id, "title": " ".join(chunk.title), "words": chunk.spelled_out}


def _merge(connection: Connection, statement: TextClause, pages: int) -> bool:
    before = _count_changes(connection)
    connection.execute(statement, {"pages": pages})
    # The statement itself counts as one change.
    return _count_changes(connection) - before >= 2


def _count_changes(connection: Connection) -> int:
    return int(connection.scalar(text("SELECT total_changes()")) or 0)


def _removes_at_once(connection: Connection) -> bool:
    return (connection.dialect.server_version_info or ()) >= _SECURE_DELETE


def _expression(group: TermGroup) -> str:
    """Build the FTS5 expression for one word: itself, the words that contain it, or a prefix."""
    terms = [f'"{word}"' for word in group.words]
    if group.prefix:
        terms.append(f'"{group.prefix}"*')
    return " OR ".join(terms)
