"""What a model wrote, word by word."""

import sqlalchemy as sa
from alembic import op

from store.columns import BigId, CleanText

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "answers",
        sa.Column("call_id", BigId, primary_key=True, autoincrement=False),
        sa.Column("job_id", BigId, sa.ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
        sa.Column("text", CleanText(), nullable=False),
    )
    op.create_index("ix_answers_job", "answers", ["job_id"])
