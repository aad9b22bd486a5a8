"""Keep how documents were filed, and which accepted suggestions were edited."""

import sqlalchemy as sa
from alembic import op

from store.columns import CleanText

revision = "0038"
down_revision = "0037"

_PERSON = "decided_by NOT IN ('', 'rule', 'superseded', 'vanished', 'unwritten')"
_WRITTEN = "state IN ('applied', 'undone', 'overridden', 'unconfirmed')"
_FINISHED = ("finished_at", "status", "kind", "instance", "document_id")


# An edited value has lost its evidence, and its confidence is 1.
_MARK_EDITED = f"""
    UPDATE changes SET is_edited = (evidence = '' AND confidence = 1.0)
    WHERE apply_job_id IS NOT NULL AND {_WRITTEN} AND {_PERSON}
"""  # noqa: S608 - no input
_MARK_AUTOMATIC = f"""
    UPDATE jobs SET outcome = 'automatic'
    WHERE kind = 'analyze' AND status = 'completed'
    AND EXISTS (SELECT 1 FROM changes WHERE job_id = jobs.id AND decided_by = 'rule' AND {_WRITTEN})
    AND NOT EXISTS (
        SELECT 1 FROM changes WHERE job_id = jobs.id
        AND (apply_job_id IS NOT NULL OR state IN ('proposed', 'conflict') OR {_PERSON})
    )
"""  # noqa: S608 - no input
_MARK_DECIDED = """
    UPDATE jobs SET outcome = CASE
        WHEN NOT EXISTS (SELECT 1 FROM changes WHERE apply_job_id = jobs.id) THEN 'rejected'
        WHEN EXISTS (SELECT 1 FROM changes WHERE apply_job_id = jobs.id AND is_edited) THEN 'edited'
        ELSE 'accepted'
    END
    WHERE kind = 'apply' AND status = 'completed'
"""


def upgrade() -> None:
    op.add_column("jobs", sa.Column("outcome", CleanText(), nullable=True))
    op.add_column("changes", sa.Column("is_edited", sa.Boolean(), nullable=True))
    for statement in (_MARK_EDITED, _MARK_AUTOMATIC, _MARK_DECIDED):
        op.execute(statement)
    op.drop_index("ix_jobs_finished", "jobs")
    _create_partial("ix_jobs_finished", "jobs", (*_FINISHED, "outcome"), "finished_at IS NOT NULL")
    decided = ("settled_at", "instance", "field", "state", "is_edited")
    _create_partial(
        "ix_changes_decided", "changes", decided, f"settled_at IS NOT NULL AND {_PERSON}"
    )


def _create_partial(name: str, table: str, columns: tuple[str, ...], where: str) -> None:
    condition = sa.text(where)
    op.create_index(name, table, list(columns), sqlite_where=condition, postgresql_where=condition)
