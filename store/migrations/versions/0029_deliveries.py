"""Keep the delivery of a notification by channel, and whether it was read."""

import sqlalchemy as sa
from alembic import op

from store.columns import BigId, CleanText, UtcTime

revision = "0029"
down_revision = "0028"

_UNREAD = sa.text("read_at IS NULL")
_UNSETTLED = sa.text("settled_at IS NULL")
_COLUMNS = "notice_id, channel, state, tries, due_at, begun_at, settled_at, problem"
_MOVED = ("state", "tries", "due_at", "begun_at", "settled_at", "problem")


def upgrade() -> None:
    op.create_table(
        "notice_deliveries",
        sa.Column("id", BigId, primary_key=True),
        sa.Column(
            "notice_id", BigId, sa.ForeignKey("notices.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("channel", CleanText(), nullable=False),
        sa.Column("state", CleanText(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("due_at", UtcTime(), nullable=False),
        sa.Column("begun_at", UtcTime(), nullable=True),
        sa.Column("settled_at", UtcTime(), nullable=True),
        sa.Column("problem", CleanText(), nullable=False),
        sa.UniqueConstraint("notice_id", "channel", name="uq_notice_deliveries_channel"),
    )
    op.add_column(
        "notices", sa.Column("silent", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.add_column("notices", sa.Column("read_at", UtcTime(), nullable=True))
    _move_deliveries()
    for name in _MOVED:
        op.drop_column("notices", name)
    op.create_index(
        "ix_notices_unread",
        "notices",
        ["id"],
        sqlite_where=_UNREAD,
        postgresql_where=_UNREAD,
    )
    op.create_index(
        "ix_notice_deliveries_unsettled",
        "notice_deliveries",
        ["due_at"],
        sqlite_where=_UNSETTLED,
        postgresql_where=_UNSETTLED,
    )


def _move_deliveries() -> None:
    """Move what is known of each notification; until now it was sent to all addresses together.

    One that still waits is given up, and is unread in the list of the dashboard: nobody knows
    which of the addresses has it.
    """
    op.execute(
        f"INSERT INTO notice_deliveries ({_COLUMNS})"  # noqa: S608 - no value from outside
        " SELECT id, 'in_app', 'sent', 1, recorded_at, NULL, recorded_at, ''"
        " FROM notices WHERE state <> 'silent'"
    )
    op.execute(
        f"INSERT INTO notice_deliveries ({_COLUMNS})"  # noqa: S608 - no value from outside
        " SELECT id, 'apprise', CASE WHEN state = 'sent' THEN 'sent' ELSE 'lost' END, tries,"
        " due_at, begun_at, coalesce(settled_at, recorded_at), problem"
        " FROM notices WHERE state <> 'silent'"
    )
    op.execute("UPDATE notices SET silent = (state = 'silent')")
    op.execute("UPDATE notices SET read_at = recorded_at WHERE settled_at IS NOT NULL")
