"""A person may say why a change is rejected."""

import sqlalchemy as sa
from alembic import op

from store.columns import CleanText

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.add_column("changes", sa.Column("why", CleanText(), nullable=False, server_default=""))
