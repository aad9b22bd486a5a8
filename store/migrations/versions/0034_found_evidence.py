"""Keep whether the evidence of a change was found by us, not quoted by the model."""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    op.add_column(
        "changes",
        sa.Column("evidence_found", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
