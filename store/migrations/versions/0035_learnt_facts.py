"""What is learnt from filed documents, and what people decided about it."""

import sqlalchemy as sa
from alembic import op

from store.columns import BigId, CleanText, UtcTime

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    _create_facts()
    _create_counts()
    _create_decisions()


def _create_facts() -> None:
    op.create_table(
        "learnt_documents",
        sa.Column("id", BigId, primary_key=True),
        sa.Column("instance", CleanText(), nullable=False),
        sa.Column("document_id", BigId, nullable=False),
        sa.Column("correspondent", BigId),
        sa.Column("by_person", sa.Boolean(), nullable=False),
        sa.Column("written", BigId),
        sa.Column("modified", UtcTime()),
        sa.UniqueConstraint("instance", "document_id", name="uq_learnt_documents_ref"),
    )
    op.create_table(
        "learnt_facts",
        sa.Column("id", BigId, primary_key=True),
        sa.Column(
            "document",
            BigId,
            sa.ForeignKey("learnt_documents.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("kind", CleanText(), nullable=False),
        sa.Column("value", CleanText(), nullable=False),
        sa.Column("spelling", CleanText(), nullable=False),
    )
    op.create_index("ix_learnt_facts_value", "learnt_facts", ["kind", "value"])
    op.create_index("ix_learnt_facts_document", "learnt_facts", ["document"])


def _create_counts() -> None:
    op.create_table(
        "learnt_counts",
        *_key_columns(),
        sa.Column("spelling", CleanText(), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("counted_at", UtcTime(), nullable=False),
    )


def _create_decisions() -> None:
    op.create_table(
        "learnt_decisions",
        *_key_columns(),
        sa.Column("spelling", CleanText(), nullable=False),
        sa.Column("approval", CleanText(), nullable=False),
        sa.Column("decided_by", CleanText(), nullable=False),
        sa.Column("decided_at", UtcTime(), nullable=False),
    )


def _key_columns() -> list[sa.Column[object]]:
    return [
        sa.Column("instance", CleanText(), primary_key=True),
        sa.Column("kind", CleanText(), primary_key=True),
        sa.Column("value", CleanText(), primary_key=True),
        sa.Column("correspondent", BigId, primary_key=True, autoincrement=False),
    ]
