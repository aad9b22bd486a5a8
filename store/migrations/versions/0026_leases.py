"""Add leases, and the term in which a scan was started."""

import sqlalchemy as sa
from alembic import op

from store.columns import BigId, CleanText, UtcTime

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.create_table(
        "leases",
        sa.Column("name", CleanText(), primary_key=True),
        sa.Column("holder", CleanText(), nullable=False),
        sa.Column("term", BigId, nullable=False),
        sa.Column("expires_at", UtcTime(), nullable=False),
    )
    op.add_column("scans", sa.Column("term", BigId, nullable=True))
