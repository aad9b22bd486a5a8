"""Lists of documents for pages, search by title, and the index of titles."""

from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Integer,
    Select,
    Subquery,
    Table,
    TextClause,
    bindparam,
    column,
    func,
    select,
    table,
    text,
    tuple_,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY, TEXT

from core.documents import DocumentFilter, FoundDocuments, KnownDocument
from store.columns import CleanText, folded
from store.rows import document_of
from store.tables import documents

NEWEST = 5_000
"""Number of the newest documents that are searched for words too short for a trigram."""
_MAX_NUMBER_LENGTH = 18
"""A longer number is no document id, and would overflow in the database."""
ANY_DOCUMENT = DocumentFilter()

MIN_WORD_LENGTH = 3
"""Shorter words contain no trigram."""
MANY = 500
"""If more titles match, scanning from the newest on is faster than the index."""
_MAX_QUERY_LENGTH = 64
"""The index is searched for this many characters; more would not narrow the result."""

_INDEX = table("title_index", column("rowid", Integer), column("title_key", CleanText))
"""The same on both engines; a row has the id of its document's row."""
_MATCHES = text("title_index MATCH :phrase")
_HAS_ALL = text("title_index.trigrams @> :trigrams").bindparams(
    bindparam("trigrams", type_=ARRAY(TEXT))
)
# Also for documents without a title: FTS5 cannot remove a row that it never had.
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
_FIRST_VERSION = (3, 34)
_REQUIREMENTS = text(
    "SELECT (SELECT count(*) FROM pragma_module_list WHERE name = 'fts5')"
    " + (SELECT count(*) FROM pragma_table_info('documents') WHERE name = 'title_key')"
)
_CREATE_TABLE = """
    CREATE VIRTUAL TABLE title_index USING fts5(
        title_key, content='documents', content_rowid='id', columnsize=0,
        tokenize='trigram case_sensitive 1'
    )"""


def list_documents(
    connection: Connection, wanted: DocumentFilter = ANY_DOCUMENT, limit: int = 100
) -> tuple[KnownDocument, ...]:
    """List documents by instance and id, the greatest first; all titles are searched."""
    source = _with_title(connection, folded(wanted.title))
    order = (source.c.instance.desc(), source.c.document_id.desc())
    return _list_where(connection, source, tuple(_conditions(source, wanted)), order, limit)


def find(
    connection: Connection, instances: Sequence[str], words: str, *, limit: int
) -> FoundDocuments:
    """Find documents by id or by a part of their title; the one with the id first, then the newest.

    For words too short for the index only the newest documents are searched.
    """
    numbered, key = _find_by_id(connection, instances, words), folded(words)
    last_excluded = _find_search_limit(connection) if 0 < len(key) < MIN_WORD_LENGTH else None
    titled = _find_by_title(connection, instances, key, last_excluded, limit) if key else ()
    found = (*numbered, *(document for document in titled if document not in numbered))
    among = NEWEST if last_excluded is not None and len(found) < limit else None
    return FoundDocuments(found[:limit], among)


def _find_by_id(
    connection: Connection, instances: Sequence[str], words: str
) -> tuple[KnownDocument, ...]:
    if not words.isdecimal() or len(words) >= _MAX_NUMBER_LENGTH:
        return ()
    of_number = (documents.c.instance.in_(instances), documents.c.document_id == int(words))
    return _list_where(connection, documents, of_number, (documents.c.instance,), len(instances))


def _find_search_limit(connection: Connection) -> int | None:
    """Return the newest row that is too old to be searched; None if there are fewer."""
    newest = select(documents.c.id).order_by(documents.c.id.desc())
    return connection.scalar(newest.offset(NEWEST).limit(1))


def _find_by_title(
    connection: Connection,
    instances: Sequence[str],
    key: str,
    last_excluded: int | None,
    limit: int,
) -> tuple[KnownDocument, ...]:
    source = _with_title(connection, key)
    # Wrapped, so that SQLite does not read and sort all documents by the index of instances:
    # reading from the newest on, enough are usually found soon.
    where: list[ColumnElement[bool]] = [func.coalesce(source.c.instance, "").in_(instances)]
    if last_excluded is not None:
        where.append(source.c.id > last_excluded)
    return _list_where(connection, source, where, (source.c.id.desc(),), limit)


def _with_title(connection: Connection, key: str) -> FromClause:
    """Return the documents with `key` in their title; all documents if it is empty."""
    if not key:
        return documents
    rows = find_rows(connection, key)
    if rows is None:
        return select(documents).where(title_contains(key)).subquery()
    # With a limit: otherwise SQLite would read all documents in their order.
    return select(documents).where(documents.c.id.in_(rows)).limit(len(rows)).subquery()


def _list_where(
    connection: Connection,
    source: FromClause,
    conditions: Sequence[ColumnElement[bool]],
    order: Sequence[ColumnElement[object]],
    limit: int,
) -> tuple[KnownDocument, ...]:
    found = select(source).where(*conditions).order_by(*order).limit(limit)
    return tuple(document_of(row) for row in connection.execute(found).mappings())


def _conditions(source: FromClause, wanted: DocumentFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.state is not None:
        yield source.c.state == wanted.state.value
    if wanted.instances is not None:
        yield source.c.instance.in_(wanted.instances)
    if wanted.before is not None:
        reached = tuple_(source.c.instance, source.c.document_id)
        yield reached < (wanted.before.instance, wanted.before.id)


def title_contains(key: str) -> ColumnElement[bool]:
    """Build the condition that a title contains folded words; no character is a wildcard."""
    return _contains(documents.c.title_key, key)


def find_rows(connection: Connection, key: str) -> Sequence[int] | None:
    """Return the ids of the rows of documents whose title contains `key`.

    None if there are too many, or if there is no index.
    """
    if len(key) < MIN_WORD_LENGTH or not _has_index(connection):
        return None
    match, values = _build_match(connection, key[:_MAX_QUERY_LENGTH])
    matching = select(_INDEX.c.rowid).where(match, _contains(_INDEX.c.title_key, key))
    found = connection.scalars(matching.limit(MANY + 1), values).all()
    return found if len(found) <= MANY else None


def can_have_index(connection: Connection) -> bool:
    """Return whether this SQLite and the schema of this file support the index."""
    version = connection.dialect.server_version_info or ()
    return version >= _FIRST_VERSION and connection.scalar(_REQUIREMENTS) == 2


def is_index_current(connection: Connection) -> bool:
    """Return whether the index exists if and only if this SQLite supports it."""
    return can_have_index(connection) == _has_index(connection)


def update_index(connection: Connection, *, able: bool) -> None:
    """Create the index of a SQLite file, or disable it if this SQLite does not support it.

    This is no migration: a file may be moved to a machine with another SQLite at any time. Without
    its triggers the index is not used; it is created again where it is supported.
    """
    if able == _has_index(connection):
        return
    for name in _TRIGGERS:
        connection.execute(text(f"DROP TRIGGER IF EXISTS {name}"))
    if able:
        connection.execute(text("DROP TABLE IF EXISTS title_index"))
        connection.execute(text(_CREATE_TABLE))
        connection.execute(text("INSERT INTO title_index (title_index) VALUES ('rebuild')"))
        for name, words in _TRIGGERS.items():
            connection.execute(text(f"CREATE TRIGGER {name} {words}"))


def _has_index(connection: Connection) -> bool:
    if connection.dialect.name != "sqlite":
        return True
    triggers = text(
        "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'title/_index/_%'"
        " ESCAPE '/'"
    )
    return bool(connection.scalar(triggers) == len(_TRIGGERS))


def _build_match(connection: Connection, key: str) -> tuple[TextClause, dict[str, object]]:
    if connection.dialect.name == "sqlite":
        return _MATCHES, {"phrase": '"' + key.replace('"', '""') + '"'}
    return _HAS_ALL, {"trigrams": sorted({key[n : n + 3] for n in range(len(key) - 2)})}


def _contains(title_key: ColumnElement[str], key: str) -> ColumnElement[bool]:
    return title_key.contains(key, autoescape=True)


def ids_of_heads(heads: Iterable[Select[tuple[int]]]) -> Subquery | None:
    """Combine queries for ids, each with order and limit; None if there are none."""
    parts = [head.subquery() for head in heads]
    return union_all(*(select(part.c.id) for part in parts)).subquery() if parts else None


def list_instances(connection: Connection, table: Table) -> Sequence[str]:
    """Return the instances in a table; the recursion reads one index entry for each."""
    name = table.c.instance
    names = select(func.min(name).label("name")).cte("names", recursive=True)
    following = select(func.min(name)).where(name > names.c.name).scalar_subquery()
    names = names.union_all(select(following).where(names.c.name.is_not(None)))
    found: Sequence[str] = connection.scalars(
        select(names.c.name).where(names.c.name.is_not(None))
    ).all()
    return found


def filter_instances(
    connection: Connection, table: Table, *allowed_sets: Iterable[str] | None
) -> Sequence[str]:
    """Return the instances that all filters allow; None allows any."""
    sets = [frozenset(allowed) for allowed in allowed_sets if allowed is not None]
    if not sets:
        return list_instances(connection, table)
    return sorted(frozenset.intersection(*sets))
