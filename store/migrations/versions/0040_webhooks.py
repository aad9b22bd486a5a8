"""Keep the webhook of each instance: the hash of its secret, and when it was last received."""

import sqlalchemy as sa
from alembic import op

from store.columns import BigId, CleanText, UtcTime

revision = "0040"
down_revision = "0039"


def upgrade() -> None:
    op.create_table(
        "webhooks",
        sa.Column("instance", CleanText(), primary_key=True),
        sa.Column("secret_hash", CleanText(), nullable=False),
        sa.Column("workflow", BigId, nullable=True),
        sa.Column("installed_at", UtcTime(), nullable=False),
        sa.Column("received_at", UtcTime(), nullable=True),
    )
