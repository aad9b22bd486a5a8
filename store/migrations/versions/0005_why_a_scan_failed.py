"""Why a scan failed: not only words, but also the code and what can be done, as with a job.

And when an instance was last scanned: a scan that failed does not count.
"""

import sqlalchemy as sa
from alembic import op

from store.columns import CleanText, Json, UtcTime

revision = "0005"
down_revision = "0004"

_COUNTS_ON = {"sqlite_autoincrement": True}
_INTERRUPTED = "interrupted"


def upgrade() -> None:
    words = _words()
    with op.batch_alter_table("scans", table_kwargs=_COUNTS_ON) as scans:
        scans.drop_column("problem")
    with op.batch_alter_table("scans", table_kwargs=_COUNTS_ON) as scans:
        scans.add_column(sa.Column("problem", Json()))
    _tell(words)
    _recount_last_scans()


def _words() -> dict[int, str]:
    """Return of each scan that failed the words that were kept."""
    scans = sa.table("scans", sa.column("id", sa.Integer), sa.column("problem", CleanText))
    failed = sa.select(scans.c.id, scans.c.problem).where(scans.c.problem.is_not(None))
    return {row.id: row.problem for row in op.get_bind().execute(failed)}


def _tell(problems: dict[int, str]) -> None:
    scans = sa.table("scans", sa.column("id", sa.Integer), sa.column("problem", Json))
    for number, words in problems.items():
        # What was to be done about it nobody knows any more.
        code = _INTERRUPTED if words == _INTERRUPTED else "unexpected"
        problem = {"code": code, "message": words, "user_message": "", "hint": ""}
        op.execute(sa.update(scans).where(scans.c.id == number).values(problem=problem))


def _recount_last_scans() -> None:
    scans = sa.table(
        "scans",
        sa.column("instance", CleanText),
        sa.column("started_at", UtcTime),
        sa.column("finished_at", UtcTime),
        sa.column("problem", Json),
    )
    instances = sa.table(
        "instances", sa.column("name", CleanText), sa.column("last_scan_at", UtcTime)
    )
    good = sa.select(sa.func.max(scans.c.finished_at)).where(
        scans.c.instance == instances.c.name,
        scans.c.started_at.is_not(None),
        scans.c.problem.is_(sa.null()),
    )
    op.execute(sa.update(instances).values(last_scan_at=good.scalar_subquery()))
