"""Keep who consented to the estimated cost of a scan."""

import sqlalchemy as sa
from alembic import op

from store.columns import CleanText, Money, UtcTime

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    op.add_column("scans", sa.Column("consented_by", CleanText(), nullable=True))
    op.add_column("scans", sa.Column("consented_at", UtcTime(), nullable=True))
    op.add_column("scans", sa.Column("consented_cost", Money(), nullable=True))
