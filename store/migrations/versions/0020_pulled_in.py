"""Add columns that record whether a time planned by a wrong clock was corrected."""

import sqlalchemy as sa
from alembic import op

from store.columns import UtcTime

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    for table in ("jobs", "holds"):
        op.add_column(table, sa.Column("pulled_in_at", UtcTime(), nullable=True))
