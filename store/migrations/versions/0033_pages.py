"""Keep the pages of a job's document, and why a notification was not delivered.

The pages are kept with the model calls, too, because those outlive their jobs.
"""

import sqlalchemy as sa
from alembic import op

from store.columns import Json

revision = "0033"
down_revision = "0032"

_SUMMED = ("job_id", "model", "tokens_in", "tokens_out", "cost", "outcome", "pages")


def upgrade() -> None:
    op.add_column("jobs", sa.Column("pages", sa.Integer(), nullable=True))
    op.add_column("model_calls", sa.Column("pages", sa.Integer(), nullable=True))
    op.drop_index("ix_model_calls_instance", "model_calls")
    op.create_index("ix_model_calls_instance", "model_calls", ["instance", "at", *_SUMMED])
    op.add_column("notice_deliveries", sa.Column("problem_message", Json(), nullable=True))
