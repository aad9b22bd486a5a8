"""Keep what a dry run would write, and the titles of documents that were only tried."""

import sqlalchemy as sa
from alembic import op

from store.columns import CleanText, Json

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    op.add_column("planned_suggestions", sa.Column("before", Json(), nullable=True))
    op.add_column(
        "planned_suggestions",
        sa.Column("for_review", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.add_column("jobs", sa.Column("title", CleanText(), nullable=True))
