"""The first tables."""

import sqlalchemy as sa
from alembic import op

from store.columns import BigId, CleanText, Json, UtcTime

revision = "0001"
down_revision = None


def upgrade() -> None:
    _instances()
    _documents()
    _scans()
    _jobs()
    _events()
    _model_calls()
    _results()
    _changes()
    _holds()
    _capabilities()


def _instances() -> None:
    op.create_table(
        "instances",
        sa.Column("name", CleanText(), nullable=False),
        sa.Column("endpoint", CleanText(), nullable=False),
        sa.Column("first_started_at", UtcTime(), nullable=False),
        sa.Column("last_scan_at", UtcTime()),
        sa.PrimaryKeyConstraint("name"),
    )


def _documents() -> None:
    op.create_table(
        "documents",
        sa.Column("id", BigId, nullable=False),
        sa.Column("instance", CleanText(), nullable=False),
        sa.Column("document_id", BigId, nullable=False),
        sa.Column("state", CleanText(), nullable=False),
        sa.Column("state_before_ignored", CleanText()),
        sa.Column("title", CleanText(), nullable=False),
        sa.Column("content_hash", CleanText()),
        sa.Column("trigger_removed", sa.Boolean(), nullable=False),
        sa.Column("first_seen_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("instance", "document_id", name="uq_documents_ref"),
    )


def _scans() -> None:
    op.create_table(
        "scans",
        sa.Column("id", BigId, nullable=False),
        sa.Column("instance", CleanText(), nullable=False),
        sa.Column("asked_by", CleanText(), nullable=False),
        sa.Column("started_at", UtcTime(), nullable=False),
        sa.Column("finished_at", UtcTime()),
        sa.Column("seen", sa.Integer(), nullable=False),
        sa.Column("enqueued", sa.Integer(), nullable=False),
        sa.Column("skipped", Json(), nullable=False),
        sa.Column("problem", CleanText()),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_scans_instance", "scans", ["instance", "id"])


def _jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", BigId, nullable=False),
        sa.Column("instance", CleanText(), nullable=False),
        sa.Column("document_id", BigId, nullable=False),
        sa.Column("kind", CleanText(), nullable=False),
        sa.Column("status", CleanText(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("claim", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("max_attempts", sa.Integer(), nullable=False),
        sa.Column("give_backs", sa.Integer(), nullable=False),
        sa.Column("recovered", sa.Boolean(), nullable=False),
        sa.Column("scheduled_for", UtcTime(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("asked_by", CleanText(), nullable=False),
        sa.Column("scan_id", BigId),
        sa.Column("payload", Json(), nullable=False),
        sa.Column("stage", CleanText()),
        sa.Column("progress", sa.Integer(), nullable=False),
        sa.Column("worker", CleanText()),
        sa.Column("trace", CleanText()),
        sa.Column("heartbeat_at", UtcTime()),
        sa.Column("finished_at", UtcTime()),
        sa.Column("problem", Json()),
        sa.Column("cancel_requested", CleanText()),
        sa.PrimaryKeyConstraint("id"),
        sa.ForeignKeyConstraint(["scan_id"], ["scans.id"]),
        sqlite_autoincrement=True,
    )
    live = "status IN ('pending', 'processing')"
    _partial_index("uq_jobs_live", "jobs", ["instance", "document_id", "kind"], live, unique=True)
    _partial_index(
        "uq_jobs_processing",
        "jobs",
        ["instance", "document_id"],
        "status = 'processing'",
        unique=True,
    )
    order: list[str | sa.TextClause] = [sa.text("priority DESC"), "id", "scheduled_for"]
    _partial_index("ix_jobs_claim", "jobs", order, "status = 'pending'")
    _partial_index("ix_jobs_due", "jobs", ["scheduled_for"], "status = 'pending'")
    op.create_index("ix_jobs_document", "jobs", ["instance", "document_id"])
    op.create_index("ix_jobs_status", "jobs", ["instance", "status"])
    op.create_index("ix_jobs_scan", "jobs", ["scan_id"])


def _events() -> None:
    op.create_table(
        "events",
        sa.Column("id", BigId, nullable=False),
        sa.Column("job_id", BigId, nullable=False),
        sa.Column("name", CleanText(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("trace", CleanText()),
        sa.Column("data", Json(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], ondelete="CASCADE"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_job", "events", ["job_id", "id"])


def _model_calls() -> None:
    op.create_table(
        "model_calls",
        sa.Column("id", BigId, nullable=False),
        sa.Column("instance", CleanText(), nullable=False),
        sa.Column("job_id", BigId),
        sa.Column("endpoint", CleanText(), nullable=False),
        sa.Column("model", CleanText(), nullable=False),
        sa.Column("mode", CleanText(), nullable=False),
        sa.Column("outcome", CleanText(), nullable=False),
        sa.Column("tokens_in", sa.Integer(), nullable=False),
        sa.Column("tokens_out", sa.Integer(), nullable=False),
        sa.Column("took_ms", sa.Integer(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], ondelete="SET NULL"),
    )
    op.create_index("ix_model_calls_job", "model_calls", ["job_id"])


def _results() -> None:
    op.create_table(
        "results",
        sa.Column("id", BigId, nullable=False),
        sa.Column("job_id", BigId, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", CleanText(), nullable=False),
        sa.Column("instance", CleanText(), nullable=False),
        sa.Column("document_id", BigId, nullable=False),
        sa.Column("content_hash", CleanText(), nullable=False),
        sa.Column("prompt_version", CleanText(), nullable=False),
        sa.Column("model", CleanText(), nullable=False),
        sa.Column("tokens_in", sa.Integer(), nullable=False),
        sa.Column("tokens_out", sa.Integer(), nullable=False),
        sa.Column("schema_version", sa.Integer(), nullable=False),
        sa.Column("suggestions", Json(), nullable=False),
        sa.Column("reused_from", BigId),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["reused_from"], ["results.id"], ondelete="SET NULL"),
        sa.UniqueConstraint("job_id", "number", name="uq_results_number"),
        sqlite_autoincrement=True,
    )
    _partial_index("uq_results_final", "results", ["job_id"], "kind = 'final'", unique=True)
    op.create_index("ix_results_document", "results", ["instance", "document_id", "id"])


def _changes() -> None:
    op.create_table(
        "changes",
        sa.Column("id", BigId, nullable=False),
        sa.Column("instance", CleanText(), nullable=False),
        sa.Column("document_id", BigId, nullable=False),
        sa.Column("job_id", BigId, nullable=False),
        sa.Column("field", CleanText(), nullable=False),
        sa.Column("before", Json()),
        sa.Column("after", Json()),
        sa.Column("state", CleanText(), nullable=False),
        sa.Column("evidence", CleanText(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("reasons", Json(), nullable=False),
        sa.Column("found", Json()),
        sa.Column("decided_by", CleanText(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("settled_at", UtcTime()),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_changes_document", "changes", ["instance", "document_id", "state"])
    op.create_index("ix_changes_job", "changes", ["job_id"])
    waits = "state IN ('proposed', 'conflict')"
    _partial_index("ix_changes_waiting", "changes", ["instance", "id"], waits)


def _holds() -> None:
    op.create_table(
        "holds",
        sa.Column("target", CleanText(), nullable=False),
        sa.Column("cause", CleanText(), nullable=False),
        sa.Column("since", UtcTime(), nullable=False),
        sa.Column("next_probe_at", UtcTime(), nullable=False),
        sa.Column("probes", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("target"),
    )


def _capabilities() -> None:
    op.create_table(
        "capabilities",
        sa.Column("endpoint", CleanText(), nullable=False),
        sa.Column("model", CleanText(), nullable=False),
        sa.Column("mode", CleanText(), nullable=False),
        sa.Column("token_parameter", CleanText(), nullable=False),
        sa.Column("temperature", sa.Boolean(), nullable=False),
        sa.Column("learned_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("endpoint", "model"),
    )


def _partial_index(
    name: str, table: str, columns: list[str | sa.TextClause], where: str, *, unique: bool = False
) -> None:
    condition = sa.text(where)
    op.create_index(
        name, table, columns, unique=unique, sqlite_where=condition, postgresql_where=condition
    )
