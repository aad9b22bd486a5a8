"""Add a column to restore changes that `ignore` rejected."""

import sqlalchemy as sa
from alembic import op

from store.columns import Json

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.add_column("changes", sa.Column("before_ignored", Json(), nullable=True))
