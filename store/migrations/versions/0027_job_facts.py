"""Add when an attempt started, what last changed, who cancelled, and the request of a job."""

import sqlalchemy as sa
from alembic import op

from store.columns import CleanText, UtcTime

revision = "0027"
down_revision = "0026"

_CANCELLATION = ("cancel_actor", "cancel_by", "cancel_why")


def upgrade() -> None:
    for name in _CANCELLATION:
        op.add_column("jobs", sa.Column(name, CleanText(), nullable=True))
    for name in ("started_at", "updated_at"):
        op.add_column("jobs", sa.Column(name, UtcTime(), nullable=True))
    op.add_column("jobs", sa.Column("request_id", CleanText(), nullable=True))
    op.create_index("ix_events_name", "events", ["name", "at"])
