"""Which documents have some words in their title, by an index of trigrams.

Both engines keep it beside the documents, by triggers that act only when a title changes: a row
changes with each move of its job, and the queue must not pay for the search. On SQLite it is an
FTS5 table, on PostgreSQL a table with a GIN index, made by a migration and without an extension.

The index only proposes: what has the same trigrams is compared as if there were no index.
"""

from collections.abc import Sequence

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    TextClause,
    bindparam,
    column,
    select,
    table,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, TEXT

from store.columns import Words
from store.tables import documents

SHORTEST = 3
"""Fewer characters are in no trigram."""
MANY = 500
"""Of words that more titles have, enough are found without the index, from the newest on."""
_ENOUGH = 64
"""So many characters are asked of the index; in more of them nothing else would be found."""

_INDEX = table("title_index", column("rowid", Integer), column("title_key", Words))
"""Alike on both engines, as far as both are asked; a row has the number of its document's."""
_MATCHES = text("title_index MATCH :phrase")
_HAS_ALL = text("title_index.trigrams @> :trigrams").bindparams(
    bindparam("trigrams", type_=ARRAY(TEXT))
)
# Also of documents without a title: FTS5 counts its rows, and takes back none that it never had.
_TRIGGERS = {
    "title_index_inserted": """
        AFTER INSERT ON documents
        BEGIN
            INSERT INTO title_index (rowid, title_key) VALUES (new.id, new.title_key);
        END""",
    "title_index_updated": """
        AFTER UPDATE OF title_key ON documents WHEN new.title_key <> old.title_key
        BEGIN
            INSERT INTO title_index (title_index, rowid, title_key)
                VALUES ('delete', old.id, old.title_key);
            INSERT INTO title_index (rowid, title_key) VALUES (new.id, new.title_key);
        END""",
    "title_index_deleted": """
        AFTER DELETE ON documents
        BEGIN
            INSERT INTO title_index (title_index, rowid, title_key)
                VALUES ('delete', old.id, old.title_key);
        END""",
}
_WITH_TRIGRAMS = (3, 34)
_MADE_OF = text(
    "SELECT (SELECT count(*) FROM pragma_module_list WHERE name = 'fts5')"
    " + (SELECT count(*) FROM pragma_table_info('documents') WHERE name = 'title_key')"
)
_TABLE = """
    CREATE VIRTUAL TABLE title_index USING fts5(
        title_key, content='documents', content_rowid='id', columnsize=0,
        tokenize='trigram case_sensitive 1'
    )"""


def has_words(key: str) -> ColumnElement[bool]:
    """Compare title by title with folded words; every character means itself."""
    return _has_words(documents.c.title_key, key)


def rows_with(connection: Connection, key: str) -> Sequence[int] | None:
    """Return the rows of documents whose title has this in it.

    None if they are too many to name, or if there is no index to ask.
    """
    if len(key) < SHORTEST or not _is_kept(connection):
        return None
    asked, values = _asked(connection, key[:_ENOUGH])
    there = select(_INDEX.c.rowid).where(asked, _has_words(_INDEX.c.title_key, key))
    found = connection.scalars(there.limit(MANY + 1), values).all()
    return found if len(found) <= MANY else None


def can_be_kept(connection: Connection) -> bool:
    """Tell whether this SQLite, and the schema of this file, have what the index is made of."""
    version = connection.dialect.server_version_info or ()
    there = connection.scalar(_MADE_OF)
    return version >= _WITH_TRIGRAMS and there == 2


def fits(connection: Connection) -> bool:
    """Tell whether this SQLite has the index if it can keep it, and else has none."""
    return can_be_kept(connection) == _is_kept(connection)


def fit(connection: Connection, *, able: bool) -> None:
    """Make the index of a SQLite file, or let go of one that this SQLite cannot keep.

    No matter of migrations: a file may come to a machine with another SQLite at any time. Without
    its triggers an index is not asked, and is made anew where it can be kept again.
    """
    if able == _is_kept(connection):
        return
    for name in _TRIGGERS:
        connection.execute(text(f"DROP TRIGGER IF EXISTS {name}"))
    if able:
        connection.execute(text("DROP TABLE IF EXISTS title_index"))
        connection.execute(text(_TABLE))
        connection.execute(text("INSERT INTO title_index (title_index) VALUES ('rebuild')"))
        for name, words in _TRIGGERS.items():
            connection.execute(text(f"CREATE TRIGGER {name} {words}"))


def _is_kept(connection: Connection) -> bool:
    if connection.dialect.name != "sqlite":
        return True
    triggers = text(
        "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'title/_index/_%'"
        " ESCAPE '/'"
    )
    return bool(connection.scalar(triggers) == len(_TRIGGERS))


def _asked(connection: Connection, key: str) -> tuple[TextClause, dict[str, object]]:
    if connection.dialect.name == "sqlite":
        return _MATCHES, {"phrase": '"' + key.replace('"', '""') + '"'}
    return _HAS_ALL, {"trigrams": sorted({key[n : n + 3] for n in range(len(key) - 2)})}


def _has_words(title_key: ColumnElement[str], key: str) -> ColumnElement[bool]:
    return title_key.contains(key, autoescape=True)
