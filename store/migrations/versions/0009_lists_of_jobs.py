"""Jobs are listed by status, newest first, however many there are."""

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_index("ix_jobs_listed", "jobs", ["status", "id"])
