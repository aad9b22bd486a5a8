"""Keep what a person decided about, so that a decision can be taken back before it is written."""

import sqlalchemy as sa
from alembic import op

from store.columns import Json

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    op.add_column("changes", sa.Column("before_decision", Json(), nullable=True))
