"""Keep the address whose documents are known, and a fingerprint of each process's settings."""

import sqlalchemy as sa
from alembic import op

from store.columns import CleanText

revision = "0041"
down_revision = "0040"


def upgrade() -> None:
    op.add_column("instances", sa.Column("url", CleanText(), nullable=True))
    op.add_column("workers", sa.Column("settings", CleanText(), nullable=True))
