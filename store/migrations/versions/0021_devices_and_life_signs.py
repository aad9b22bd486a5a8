"""Add known devices, and the times at which the parts of a process last reported."""

import sqlalchemy as sa
from alembic import op

from store.columns import CleanText, UtcTime

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.create_table(
        "login_devices",
        sa.Column("token_hash", CleanText(), primary_key=True),
        sa.Column("seen_at", UtcTime(), nullable=False),
    )
    op.add_column("login_attempts", sa.Column("device", CleanText(), nullable=True))
    for column in ("processor_at", "scheduler_at", "web_at"):
        op.add_column("workers", sa.Column(column, UtcTime(), nullable=True))
