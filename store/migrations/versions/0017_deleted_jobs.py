"""Jobs that retention deleted, so that their pages can say so."""

import sqlalchemy as sa
from alembic import op

from store.columns import BigId, CleanText, UtcTime

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.create_table(
        "deleted_jobs",
        sa.Column("job_id", BigId, primary_key=True, autoincrement=False),
        sa.Column("instance", CleanText(), nullable=False),
        sa.Column("document_id", BigId, nullable=False),
        sa.Column("deleted_at", UtcTime(), nullable=False),
    )
