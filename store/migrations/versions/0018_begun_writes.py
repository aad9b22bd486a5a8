"""Add columns for begun writes, undos, and values that were changed since."""

import sqlalchemy as sa
from alembic import op

from store.columns import BigId, CleanText, Json, UtcTime

revision = "0018"
down_revision = "0017"

_WRITTEN = sa.text("state IN ('applied', 'undone', 'overridden', 'unconfirmed')")
_BEGUN = sa.text("write_begun_at IS NOT NULL OR undo_begun_at IS NOT NULL")
_ACCEPTED = sa.text("apply_job_id IS NOT NULL")


def upgrade() -> None:
    for name, kind in (
        ("apply_job_id", BigId),
        ("write_begun_at", UtcTime()),
        ("undo_begun_at", UtcTime()),
        ("writer_job_id", BigId),
        ("undone_at", UtcTime()),
        ("undone_by", CleanText()),
        ("changed_seen_at", UtcTime()),
        ("changed_to", Json()),
    ):
        op.add_column("changes", sa.Column(name, kind, nullable=True))
    op.add_column("jobs", sa.Column("ends_as", CleanText(), nullable=True))
    op.add_column("jobs", sa.Column("reconciles", sa.Integer, nullable=False, server_default="0"))
    op.add_column("jobs", sa.Column("plan_made_from", CleanText(), nullable=True))
    _index("ix_changes_begun", "instance", "document_id", "writer_job_id", where=_BEGUN)
    _index("ix_changes_apply_job", "apply_job_id", where=_ACCEPTED)
    op.drop_index("ix_changes_written", "changes")
    _index("ix_changes_written", "instance", "settled_at", "id", where=_WRITTEN)
    _keep_known_undos()
    _name_apply_jobs()
    _doubt_unsettled_writes()


def _index(name: str, *columns: str, where: sa.TextClause) -> None:
    op.create_index(name, "changes", columns, sqlite_where=where, postgresql_where=where)


def _keep_known_undos() -> None:
    """Copy who undid a change, and when: before, this replaced who had written it."""
    op.execute(
        "UPDATE changes SET undone_at = settled_at, undone_by = decided_by WHERE state = 'undone'"
    )


def _name_apply_jobs() -> None:
    """Set the newest apply job for accepted changes that are not written yet.

    A change without a job that may have written it, or still can, returns to review.
    """
    op.execute(
        """
        UPDATE changes SET apply_job_id = (
            SELECT max(jobs.id) FROM jobs
            WHERE jobs.instance = changes.instance AND jobs.document_id = changes.document_id
            AND jobs.kind = 'apply'
        )
        WHERE state = 'intended' AND decided_by NOT IN ('', 'rule', 'superseded', 'vanished')
        """
    )
    op.execute(
        """
        UPDATE changes SET state = 'proposed', decided_by = ''
        WHERE state = 'intended' AND decided_by NOT IN ('', 'rule', 'superseded', 'vanished')
        AND NOT EXISTS (
            SELECT 1 FROM jobs WHERE jobs.id = changes.apply_job_id
            AND (jobs.status IN ('pending', 'processing')
                OR (jobs.status IN ('failed', 'cancelled') AND jobs.claim > 0))
        )
        """
    )
    # What goes with an acceptance, such as the done tag, belongs to the analysis before it.
    op.execute(
        """
        UPDATE changes SET apply_job_id = (
            SELECT max(jobs.id) FROM jobs
            WHERE jobs.instance = changes.instance AND jobs.document_id = changes.document_id
            AND jobs.kind = 'apply' AND jobs.id > changes.job_id
            AND jobs.created_at <= changes.created_at
        )
        WHERE state = 'intended' AND decided_by = 'rule' AND NOT EXISTS (
            SELECT 1 FROM jobs WHERE jobs.id = changes.job_id AND jobs.status <> 'completed'
        )
        """
    )


def _doubt_unsettled_writes() -> None:
    """Mark as begun what a job may have written before it was interrupted.

    Before, nothing stored whether a write had begun, so a job that was ever claimed counts as
    having begun it, in this attempt or an earlier one. The changes of an ended job are unconfirmed.
    """
    op.execute(
        """
        UPDATE changes SET writer_job_id = jobs.id,
            write_begun_at = coalesce(jobs.heartbeat_at, jobs.scheduled_for)
        FROM jobs WHERE jobs.id = coalesce(changes.apply_job_id, changes.job_id)
        AND changes.state = 'intended' AND jobs.claim > 0
        AND jobs.status IN ('pending', 'processing')
        """
    )
    op.execute(
        """
        UPDATE changes SET writer_job_id = jobs.id, write_begun_at = jobs.finished_at,
            settled_at = jobs.finished_at, state = 'unconfirmed'
        FROM jobs WHERE jobs.id = coalesce(changes.apply_job_id, changes.job_id)
        AND changes.state = 'intended' AND jobs.claim > 0
        AND jobs.status IN ('failed', 'cancelled')
        """
    )
