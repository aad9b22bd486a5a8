"""Keep template and values beside stored texts, and as facts what was read off the texts before.

Rows from before have their text alone.
"""

import sqlalchemy as sa
from alembic import op

from store.columns import CleanText, Json

revision = "0024"
down_revision = "0023"

_GONE = "the document is gone from Paperless"
_LIMITS = ("documents_per_day", "cost_per_month")


def upgrade() -> None:
    op.add_column("events", sa.Column("messages", Json(), nullable=True))
    op.add_column("jobs", sa.Column("cancel_message", Json(), nullable=True))
    op.add_column("jobs", sa.Column("cancel_code", CleanText(), nullable=True))
    op.add_column("holds", sa.Column("cause_message", Json(), nullable=True))
    op.add_column("holds", sa.Column("limit_kind", CleanText(), nullable=True))
    for flag in ("is_daily_quota", "needs_answer"):
        op.add_column(
            "holds", sa.Column(flag, sa.Boolean(), nullable=False, server_default=sa.false())
        )
    _read_facts_off_texts()


def _read_facts_off_texts() -> None:
    """Set the facts of existing rows: the version before had only the texts to decide by."""
    jobs = sa.table("jobs", sa.column("cancel_requested"), sa.column("cancel_code"))
    gone = sa.update(jobs).where(jobs.c.cancel_requested == _GONE)
    op.execute(gone.values(cancel_code="gone"))
    names = ("cause", "limit_kind", "is_daily_quota", "needs_answer")
    holds = sa.table("holds", *(sa.column(name) for name in names))
    for limit in _LIMITS:
        reached = sa.update(holds).where(holds.c.cause.startswith(limit, autoescape=True))
        op.execute(reached.values(limit_kind=limit))
    daily = sa.update(holds).where(holds.c.cause.contains("(daily quota)"))
    op.execute(daily.values(is_daily_quota=sa.true()))
    unanswered = sa.update(holds).where(holds.c.cause.startswith("no question is answered: "))
    op.execute(unanswered.values(needs_answer=sa.true()))
