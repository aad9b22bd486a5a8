"""Keep which version of the code has read a document's facts."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"


def upgrade() -> None:
    op.add_column(
        "learnt_documents", sa.Column("version", sa.Integer(), nullable=False, server_default="0")
    )
