"""A time that a clock which was ahead has planned is corrected once."""

import sqlalchemy as sa
from alembic import op

from store.columns import UtcTime

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    for table in ("jobs", "holds"):
        op.add_column(table, sa.Column("pulled_in_at", UtcTime(), nullable=True))
