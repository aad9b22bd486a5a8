"""Documents are found by their titles, however many there are."""

import unicodedata

import sqlalchemy as sa
from alembic import op

from store.columns import CleanText

revision = "0015"
down_revision = "0014"

_CHUNK = 10_000

# On SQLite it depends on the library what can be had, so it is seen to when a file is opened.
_POSTGRES = (
    """
    CREATE TABLE title_index (
        rowid bigint PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
        title_key text NOT NULL,
        trigrams text[] NOT NULL
    )
    """,
    """
    CREATE FUNCTION trigrams_of(words text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
        SELECT ARRAY(
            SELECT DISTINCT substr(words, n, 3) FROM generate_series(1, length(words) - 2) AS n
        )
    $$
    """,
    """
    INSERT INTO title_index
        SELECT id, title_key, trigrams_of(title_key) FROM documents WHERE title_key <> ''
    """,
    # Titles change seldom. Put off, what is new would be read through by each search until then.
    "CREATE INDEX title_index_trigrams ON title_index USING gin (trigrams) WITH (fastupdate = off)",
    """
    CREATE FUNCTION keep_title_index() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO title_index VALUES (new.id, new.title_key, trigrams_of(new.title_key))
            ON CONFLICT (rowid) DO UPDATE
            SET title_key = excluded.title_key, trigrams = excluded.trigrams;
        RETURN NULL;
    END
    $$
    """,
    """
    CREATE TRIGGER title_index_inserted AFTER INSERT ON documents
        FOR EACH ROW WHEN (new.title_key <> '') EXECUTE FUNCTION keep_title_index()
    """,
    """
    CREATE TRIGGER title_index_updated AFTER UPDATE OF title_key ON documents
        FOR EACH ROW WHEN (new.title_key <> old.title_key) EXECUTE FUNCTION keep_title_index()
    """,
)


def upgrade() -> None:
    op.add_column(
        "documents", sa.Column("title_key", CleanText(), nullable=False, server_default="")
    )
    _fold_titles(op.get_bind())
    if op.get_context().dialect.name == "postgresql":
        for statement in _POSTGRES:
            op.execute(statement)


def _fold_titles(connection: sa.Connection) -> None:
    documents = sa.table("documents", sa.column("id"), sa.column("title"), sa.column("title_key"))
    fold = (
        sa.update(documents)
        .where(documents.c.id == sa.bindparam("row"))
        .values(title_key=sa.bindparam("key"))
    )
    titles = sa.select(documents.c.id, documents.c.title).order_by(documents.c.id).limit(_CHUNK)
    last = 0
    while rows := connection.execute(titles.where(documents.c.id > last)).all():
        connection.execute(fold, [{"row": row.id, "key": _folded(row.title)} for row in rows])
        last = rows[-1].id


def _folded(title: str) -> str:
    return unicodedata.normalize("NFC", title.casefold())
