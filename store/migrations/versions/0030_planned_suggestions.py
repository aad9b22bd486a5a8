"""Keep the suggestions of a plan, with their checks, as long as the result."""

import sqlalchemy as sa
from alembic import op

from store.columns import BigId, CleanText, Json

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.create_table(
        "planned_suggestions",
        sa.Column("id", BigId, primary_key=True),
        sa.Column("job_id", BigId, sa.ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
        sa.Column("field", CleanText(), nullable=False),
        sa.Column("value", Json(), nullable=True),
        sa.Column("left_out", sa.Boolean(), nullable=False),
        sa.Column("reasons", Json(), nullable=False),
        sa.Column("passed", Json(), nullable=False),
        sa.Column("failed", Json(), nullable=False),
    )
    op.create_index("ix_planned_suggestions_job", "planned_suggestions", ["job_id", "id"])
