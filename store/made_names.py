"""Names that we make: one job at a time has the right to, and what came of it is kept."""

from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    and_,
    delete,
    insert,
    select,
    text,
    update,
)

from core.fields import Name
from core.jobs import Job
from core.names import Intent, MadeName, WantedName
from store import aliases
from store.name_tables import UNMADE, made_names
from store.queue.fence import require_ours
from store.rows import Values, made_name_of
from store.tables import PROCESSING, jobs


def intend(connection: Connection, wanted: WantedName, job: Job, now: datetime) -> Intent | None:
    """Give the job the right to make a name; None while another has it. Raise NotOurs."""
    require_ours(connection, job)
    right: Values = {
        "job_id": job.id,
        "claim": job.claim,
        "change_id": wanted.change_id,
        "document_id": job.document.id,
    }
    open_ = _open(connection, wanted, job)
    if open_ is None:
        row = _new(wanted, job, now) | right
        made = insert(made_names).values(row).returning(made_names.c.id)
        return Intent(connection.scalars(made).one(), is_inherited=False)
    if _is_held(connection, open_):
        return None
    connection.execute(update(made_names).where(made_names.c.id == open_["id"]).values(right))
    return Intent(open_["id"], is_inherited=True)


def made(connection: Connection, intent: Intent, name: Name, now: datetime) -> None:
    """Store that the name is there; an alias that was waiting for it leads to it now."""
    values = {"name_id": name.id, "name": name.name, "made_at": now, "removed_at": None}
    this = update(made_names).where(_is(intent.id)).values(values).returning(made_names)
    row = connection.execute(this).mappings().one()
    aliases.lead_to(connection, row["instance"], made_name_of(row).field, name)


def drop(connection: Connection, intent: Intent) -> None:
    """Give the right back: the name was not made, or not by us."""
    connection.execute(delete(made_names).where(_is(intent.id), text(UNMADE)))


def removed(connection: Connection, number: int, now: datetime) -> None:
    connection.execute(update(made_names).where(_is(number)).values(removed_at=now))


def standing(connection: Connection, instance: str) -> tuple[MadeName, ...]:
    """List what we made, or may have made, and did not remove; the oldest first."""
    ours = (made_names.c.instance == instance, made_names.c.removed_at.is_(None))
    found = connection.execute(select(made_names).where(*ours).order_by(made_names.c.id)).mappings()
    return tuple(made_name_of(row) for row in found if not _is_held(connection, row))


def _open(connection: Connection, wanted: WantedName, job: Job) -> RowMapping | None:
    same = (
        made_names.c.instance == job.document.instance,
        made_names.c.field == wanted.field.value,
        made_names.c.key == wanted.key,
        text(UNMADE),
    )
    return connection.execute(select(made_names).where(*same)).mappings().first()


def _is_held(connection: Connection, row: RowMapping) -> bool:
    """Tell whether the job that has the right is still at work."""
    if row["made_at"] is not None:
        return False
    at_work = and_(
        jobs.c.id == row["job_id"], jobs.c.claim == row["claim"], jobs.c.status == PROCESSING
    )
    return connection.execute(select(jobs.c.id).where(at_work)).first() is not None


def _new(wanted: WantedName, job: Job, now: datetime) -> Values:
    return {
        "instance": job.document.instance,
        "field": wanted.field.value,
        "key": wanted.key,
        "name": wanted.name,
        "intended_at": now,
    }


def _is(number: int) -> ColumnElement[bool]:
    return made_names.c.id == number
