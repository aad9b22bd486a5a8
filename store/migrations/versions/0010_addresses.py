"""Lists stay quick, however much there is, and the address of a deleted result stays known."""

import sqlalchemy as sa
from alembic import op

from store.columns import BigId, CleanText, UtcTime

revision = "0010"
down_revision = "0009"

_ENDED = sa.text("finished_at IS NOT NULL")
_WRITTEN = sa.text("state IN ('applied', 'undone', 'overridden')")


def upgrade() -> None:
    # It drew the claim away from the index that was made for it.
    op.drop_index("ix_jobs_listed", "jobs")
    op.create_index(
        "ix_jobs_ended",
        "jobs",
        ["status", "id"],
        sqlite_where=_ENDED,
        postgresql_where=_ENDED,
    )
    op.create_index("ix_jobs_finished", "jobs", ["finished_at"])
    op.create_index("ix_documents_state", "documents", ["state", "instance", "document_id"])
    op.create_index(
        "ix_changes_written",
        "changes",
        ["instance", "id"],
        sqlite_where=_WRITTEN,
        postgresql_where=_WRITTEN,
    )
    op.create_table(
        "deleted_results",
        sa.Column("result_id", BigId, primary_key=True, autoincrement=False),
        sa.Column("instance", CleanText(), nullable=False),
        sa.Column("deleted_at", UtcTime(), nullable=False),
    )
