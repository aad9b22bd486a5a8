"""Names that we make: the intent before the deed, and what came of it."""

import sqlalchemy as sa
from alembic import op

from store.columns import BigId, CleanText, UtcTime

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "made_names",
        sa.Column("id", BigId, nullable=False),
        sa.Column("instance", CleanText(), nullable=False),
        sa.Column("field", CleanText(), nullable=False),
        sa.Column("key", CleanText(), nullable=False),
        sa.Column("name", CleanText(), nullable=False),
        sa.Column("name_id", BigId),
        sa.Column("document_id", BigId, nullable=False),
        sa.Column("change_id", BigId, nullable=False),
        sa.Column("job_id", BigId, nullable=False),
        sa.Column("claim", sa.Integer(), nullable=False),
        sa.Column("intended_at", UtcTime(), nullable=False),
        sa.Column("made_at", UtcTime()),
        sa.Column("removed_at", UtcTime()),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_made_names_instance", "made_names", ["instance", "field"])
    unmade = sa.text("made_at IS NULL")
    op.create_index(
        "uq_made_names_open",
        "made_names",
        ["instance", "field", "key"],
        unique=True,
        sqlite_where=unmade,
        postgresql_where=unmade,
    )
