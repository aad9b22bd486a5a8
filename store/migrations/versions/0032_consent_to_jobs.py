"""Keep who consented to the estimated cost of jobs that a person started."""

import sqlalchemy as sa
from alembic import op

from store.columns import CleanText, Money, UtcTime

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    op.add_column("jobs", sa.Column("consented_by", CleanText(), nullable=True))
    op.add_column("jobs", sa.Column("consented_at", UtcTime(), nullable=True))
    op.add_column("jobs", sa.Column("consented_cost", Money(), nullable=True))
