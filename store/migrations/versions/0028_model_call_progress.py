"""Add columns for the progress of a model call, and for whether an endpoint streams."""

import sqlalchemy as sa
from alembic import op

from store.columns import Json

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    op.add_column("jobs", sa.Column("model_call", Json(), nullable=True))
    op.add_column("capabilities", sa.Column("streams", sa.Boolean(), nullable=True))
