"""Which documents a model was shown as examples."""

import sqlalchemy as sa
from alembic import op

from store.columns import Json

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    # No rebuilding of the table: SQLite adds a column with a constant default by itself.
    op.add_column("results", sa.Column("examples", Json(), nullable=False, server_default="[]"))
