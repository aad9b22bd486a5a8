"""Add columns and indexes to count documents and to compare written values with Paperless."""

import sqlalchemy as sa
from alembic import op

from store.columns import UtcTime

revision = "0019"
down_revision = "0018"

_FINISHED = sa.text("finished_at IS NOT NULL")
_UNDONE = sa.text("undone_at IS NOT NULL")


def upgrade() -> None:
    op.add_column("documents", sa.Column("checked_modified", UtcTime(), nullable=True))
    op.drop_index("ix_jobs_finished", "jobs")
    op.create_index(
        "ix_jobs_finished",
        "jobs",
        ["finished_at", "status", "kind", "instance", "document_id"],
        sqlite_where=_FINISHED,
        postgresql_where=_FINISHED,
    )
    op.drop_index("ix_model_calls_instance", "model_calls")
    op.create_index(
        "ix_model_calls_instance",
        "model_calls",
        ["instance", "at", "job_id", "model", "tokens_in", "tokens_out", "cost", "outcome"],
    )
    op.create_index(
        "ix_changes_undone",
        "changes",
        ["undone_at", "id"],
        sqlite_where=_UNDONE,
        postgresql_where=_UNDONE,
    )
