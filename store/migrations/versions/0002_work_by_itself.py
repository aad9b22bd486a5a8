"""What the clerk needs to work by itself: planned scans, scans asked for, holds by hand, costs."""

import sqlalchemy as sa
from alembic import op

from store.columns import BigId, CleanText, Money, UtcTime

revision = "0002"
down_revision = "0001"

# A copied table must count on where it was: a number that was given away is never given again.
_COUNTS_ON = {"sqlite_autoincrement": True}


def upgrade() -> None:
    _instances()
    _scans()
    _jobs()
    _model_calls()
    _results()
    _changes()
    _holds()
    _workers()


def _instances() -> None:
    with op.batch_alter_table("instances") as instances:
        instances.add_column(sa.Column("cron", CleanText()))
        instances.add_column(sa.Column("next_scan_at", UtcTime()))


def _scans() -> None:
    with op.batch_alter_table("scans", table_kwargs=_COUNTS_ON) as scans:
        scans.alter_column("started_at", existing_type=UtcTime(), nullable=True)
        scans.add_column(sa.Column("requested_at", UtcTime()))
        scans.add_column(sa.Column("kind", CleanText()))
        scans.add_column(sa.Column("limit", sa.Integer()))
    op.execute("UPDATE scans SET requested_at = started_at")
    op.execute(
        "UPDATE scans SET kind = coalesce("
        "(SELECT min(jobs.kind) FROM jobs WHERE jobs.scan_id = scans.id), 'analyze')"
    )
    # From now on at most one scan of an instance is unfinished. What is so yet was interrupted.
    op.execute(
        "UPDATE scans SET finished_at = started_at, problem = 'interrupted'"
        " WHERE finished_at IS NULL"
    )
    with op.batch_alter_table("scans", table_kwargs=_COUNTS_ON) as scans:
        scans.alter_column("requested_at", existing_type=UtcTime(), nullable=False)
        scans.alter_column("kind", existing_type=CleanText(), nullable=False)
    _partial_index("uq_scans_unfinished", "scans", ["instance"], "finished_at IS NULL", unique=True)


def _jobs() -> None:
    turn: list[str | sa.TextClause] = ["instance", sa.text("priority DESC"), "id", "scheduled_for"]
    _partial_index("ix_jobs_turn", "jobs", turn, "status = 'pending'")


def _model_calls() -> None:
    # The first schema left the naming of its foreign key to the engine; SQLite gives none.
    names = {"fk": "%(table_name)s_%(column_0_name)s_fkey"}
    with op.batch_alter_table("model_calls", naming_convention=names) as calls:
        calls.drop_constraint("model_calls_job_id_fkey", type_="foreignkey")
        calls.add_column(sa.Column("cost", Money(), nullable=False, server_default="0"))
    op.create_index("ix_model_calls_instance", "model_calls", ["instance", "at"])


def _results() -> None:
    op.create_index("ix_results_source", "results", ["reused_from"])


def _changes() -> None:
    with op.batch_alter_table("changes") as changes:
        changes.add_column(sa.Column("scan_id", BigId))
    op.execute(
        "UPDATE changes SET scan_id ="
        " (SELECT jobs.scan_id FROM jobs WHERE jobs.id = changes.job_id)"
    )
    op.create_index("ix_changes_scan", "changes", ["scan_id"])


def _holds() -> None:
    with op.batch_alter_table("holds") as holds:
        holds.alter_column("next_probe_at", existing_type=UtcTime(), nullable=True)
        holds.add_column(sa.Column("instance", CleanText()))
        holds.add_column(sa.Column("document_id", BigId))
        holds.add_column(sa.Column("lifted_at", UtcTime()))


def _workers() -> None:
    op.create_table(
        "workers",
        sa.Column("name", CleanText(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("host", CleanText(), nullable=False),
        sa.Column("role", CleanText(), nullable=False),
        sa.Column("started_at", UtcTime(), nullable=False),
        sa.Column("beat_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )


def _partial_index(
    name: str, table: str, columns: list[str | sa.TextClause], where: str, *, unique: bool = False
) -> None:
    condition = sa.text(where)
    op.create_index(
        name, table, columns, unique=unique, sqlite_where=condition, postgresql_where=condition
    )
