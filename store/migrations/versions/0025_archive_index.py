"""Remember whether the whole archive may be indexed; on PostgreSQL, create the archive index.

On SQLite the index is a file of its own, which is created when it is first needed.
"""

import sqlalchemy as sa
from alembic import op

from store.columns import CleanText

revision = "0025"
down_revision = "0024"

_POSTGRES = (
    """
    CREATE TABLE archive_documents (
        id bigserial PRIMARY KEY,
        instance text NOT NULL,
        document_id bigint NOT NULL,
        title text NOT NULL,
        correspondent bigint,
        document_type bigint,
        tags text NOT NULL,
        created text NOT NULL,
        added timestamptz NOT NULL,
        modified timestamptz NOT NULL,
        original_file_name text,
        page_count integer,
        content_hash text NOT NULL,
        length bigint NOT NULL,
        chunks integer NOT NULL,
        complete boolean NOT NULL,
        CONSTRAINT uq_archive_documents_ref UNIQUE (instance, document_id)
    )
    """,
    """
    CREATE TABLE archive_chunks (
        id bigint PRIMARY KEY,
        document bigint NOT NULL REFERENCES archive_documents (id) ON DELETE CASCADE,
        page integer NOT NULL,
        position bigint NOT NULL,
        text bytea NOT NULL,
        words tsvector
    )
    """,
    "CREATE INDEX ix_archive_chunks_document ON archive_chunks (document)",
    "CREATE INDEX ix_archive_chunks_words ON archive_chunks USING gin (words)",
    # The text is compressed already.
    "ALTER TABLE archive_chunks ALTER COLUMN text SET STORAGE EXTERNAL",
    """
    CREATE TABLE archive_words (
        id bigserial PRIMARY KEY,
        word text NOT NULL UNIQUE,
        chunks integer NOT NULL,
        trigrams text[] GENERATED ALWAYS AS (trigrams_of(word)) STORED
    )
    """,
    "CREATE INDEX ix_archive_words_trigrams ON archive_words USING gin (trigrams)",
    """
    CREATE TABLE archive_names (
        instance text NOT NULL,
        kind text NOT NULL,
        name_id bigint NOT NULL,
        name text NOT NULL,
        PRIMARY KEY (instance, kind, name_id)
    )
    """,
    """
    CREATE TABLE archive_states (
        instance text PRIMARY KEY,
        excluded_tags text,
        passed_at timestamptz,
        scope text
    )
    """,
)


def upgrade() -> None:
    op.add_column("instances", sa.Column("index_choice", CleanText(), nullable=True))
    # Who set these instances up did not know of an index, so they are asked.
    instances = sa.table("instances", sa.column("index_choice"))
    op.execute(sa.update(instances).values(index_choice="ask"))
    if op.get_context().dialect.name == "postgresql":
        for statement in _POSTGRES:
            op.execute(statement)
