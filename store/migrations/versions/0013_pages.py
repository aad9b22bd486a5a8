"""Pages stay quick, however long the past is."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

_ENDED = sa.text("finished_at IS NOT NULL")
_WAITS = sa.text("state IN ('proposed', 'conflict')")
_WRITTEN = sa.text("state IN ('applied', 'undone', 'overridden')")


def upgrade() -> None:
    # Each instance's part of the next index has the same order.
    op.drop_index("ix_jobs_ended", "jobs")
    _replace("ix_jobs_status", "jobs", "instance", "status", "id")
    _replace("ix_jobs_finished", "jobs", "finished_at", "status", "kind", "instance", where=_ENDED)
    _replace(
        "ix_model_calls_instance",
        "model_calls",
        *("instance", "at", "job_id", "model", "tokens_in", "tokens_out", "cost"),
    )
    waiting = ("instance", "document_id", "id", "state")
    _replace("ix_changes_waiting", "changes", *waiting, where=_WAITS)
    _replace("ix_changes_written", "changes", "instance", "settled_at", "id", where=_WRITTEN)


def _replace(name: str, table: str, *columns: str, where: sa.TextClause | None = None) -> None:
    op.drop_index(name, table)
    op.create_index(name, table, list(columns), sqlite_where=where, postgresql_where=where)
