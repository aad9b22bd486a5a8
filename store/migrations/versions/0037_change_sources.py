"""Keep the pattern that made a title, and what an e-invoice says about a value."""

import sqlalchemy as sa
from alembic import op

from store.columns import CleanText, Json

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    op.add_column("changes", sa.Column("pattern", CleanText(), nullable=False, server_default=""))
    op.add_column("changes", sa.Column("e_invoice", Json(), nullable=True))
