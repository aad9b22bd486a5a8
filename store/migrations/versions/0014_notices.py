"""Notifications to the owner."""

import sqlalchemy as sa
from alembic import op

from store.columns import BigId, CleanText, Json, UtcTime

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "notices",
        sa.Column("id", BigId, primary_key=True),
        sa.Column("kind", CleanText(), nullable=False),
        sa.Column("topic", CleanText(), nullable=False),
        sa.Column("key", CleanText(), nullable=False),
        sa.Column("facts", Json(), nullable=False),
        sa.Column("state", CleanText(), nullable=False),
        sa.Column("recorded_at", UtcTime(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("due_at", UtcTime(), nullable=False),
        sa.Column("begun_at", UtcTime(), nullable=True),
        sa.Column("settled_at", UtcTime(), nullable=True),
        sa.Column("problem", CleanText(), nullable=False),
    )
    op.create_index("uq_notices_key", "notices", ["key"], unique=True)
    op.create_index("ix_notices_topic", "notices", ["topic", "id"])
