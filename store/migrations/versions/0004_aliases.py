"""Names: what people decided that they mean, and what a new one may stand for."""

import sqlalchemy as sa
from alembic import op

from store.columns import BigId, CleanText, Json, UtcTime

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("changes", sa.Column("similar", Json(), nullable=False, server_default="[]"))
    _aliases()


def _aliases() -> None:
    op.create_table(
        "aliases",
        sa.Column("id", BigId, nullable=False),
        sa.Column("instance", CleanText(), nullable=False),
        sa.Column("field", CleanText(), nullable=False),
        sa.Column("key", CleanText(), nullable=False),
        sa.Column("spelling", CleanText(), nullable=False),
        sa.Column("target", Json()),
        sa.Column("decided_by", CleanText(), nullable=False),
        sa.Column("decided_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("instance", "field", "key", name="uq_aliases_key"),
    )
