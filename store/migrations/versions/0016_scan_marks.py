"""A scan goes on where the last one ended."""

import sqlalchemy as sa
from alembic import op

from store.columns import CleanText, UtcTime

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.add_column("scans", sa.Column("changed_since", UtcTime(), nullable=True))
    op.create_table(
        "scan_marks",
        sa.Column("instance", CleanText(), primary_key=True),
        sa.Column("modified", UtcTime(), nullable=False),
        sa.Column("rules", CleanText(), nullable=False),
        sa.Column("around", CleanText(), nullable=True),
        sa.Column("whole_at", UtcTime(), nullable=False),
    )
