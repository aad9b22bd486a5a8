"""Which pass of a long document a result is about, and what was not read."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column("results", sa.Column("part", sa.Integer()))
    op.add_column("results", sa.Column("parts", sa.Integer()))
    unread = sa.Column("unread", sa.BigInteger(), nullable=False, server_default="0")
    op.add_column("results", unread)
