"""Add columns for the daily pass, and a table for broken searches for similar documents."""

import sqlalchemy as sa
from alembic import op

from store.columns import BigId, CleanText, UtcTime

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.add_column("scan_marks", sa.Column("passed_at", UtcTime(), nullable=True))
    op.add_column("scan_marks", sa.Column("documents", sa.Integer(), nullable=True))
    op.add_column("scan_marks", sa.Column("newest_id", BigId, nullable=True))
    op.create_table(
        "search_faults",
        sa.Column("instance", CleanText(), primary_key=True),
        sa.Column("document_id", BigId, nullable=False),
        sa.Column("noticed_at", UtcTime(), nullable=False),
    )
