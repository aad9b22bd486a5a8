"""Names: aliases that people decided on, and names that Paperclerk created."""

from dataclasses import replace
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    Index,
    RowMapping,
    UniqueConstraint,
    and_,
    delete,
    insert,
    select,
    text,
    update,
)
from sqlmodel import Field, SQLModel

from core.fields import FieldName, Name, value_from_json, value_to_json
from core.jobs import Job
from core.names import Alias, AliasRule, CreatedName, NameReservation, WantedName
from store.columns import BigId, CleanText, Json, UtcTime
from store.database import Database
from store.engine import insert_into
from store.queue.claims import require_claim
from store.rows import Values, ref_of
from store.tables import PROCESSING, jobs, table_of, unique_partial

UNMADE = "made_at IS NULL"


class AliasRow(SQLModel, table=True):
    """The name that a spelling stands for; without a target it is never suggested."""

    __tablename__ = "aliases"
    __table_args__ = (UniqueConstraint("instance", "field", "key", name="uq_aliases_key"),)

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    instance: str = Field(sa_type=CleanText)
    field: str = Field(sa_type=CleanText)
    key: str = Field(sa_type=CleanText)
    spelling: str = Field(sa_type=CleanText)
    target: dict[str, object] | None = Field(default=None, sa_type=Json, nullable=True)
    decided_by: str = Field(sa_type=CleanText)
    decided_at: datetime = Field(sa_type=UtcTime)


class MadeNameRow(SQLModel, table=True):
    """A name that is being created, or was; it outlives its job and change."""

    __tablename__ = "made_names"
    __table_args__ = (
        unique_partial("uq_made_names_open", "instance", "field", "key", where=UNMADE),
        Index("ix_made_names_instance", "instance", "field"),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    instance: str = Field(sa_type=CleanText)
    field: str = Field(sa_type=CleanText)
    key: str = Field(sa_type=CleanText)
    name: str = Field(sa_type=CleanText)
    name_id: int | None = Field(default=None, sa_type=BigId)
    document_id: int = Field(sa_type=BigId)
    change_id: int = Field(sa_type=BigId)
    job_id: int = Field(sa_type=BigId)
    claim: int
    intended_at: datetime = Field(sa_type=UtcTime)
    made_at: datetime | None = Field(default=None, sa_type=UtcTime)
    removed_at: datetime | None = Field(default=None, sa_type=UtcTime)


aliases = table_of(AliasRow)
made_names = table_of(MadeNameRow)


class Names:
    """Aliases and created names. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.save_alias = write(save_alias)
        self.delete_alias = write(delete_alias)
        self.list_aliases = read(list_aliases)
        self.reserve_name = write(reserve_name)
        self.mark_created = write(mark_created)
        self.release_reservation = write(release_reservation)
        self.list_created_names = read(list_created_names)
        self.mark_removed = write(mark_removed)


def save_alias(
    connection: Connection, instance: str, meaning: AliasRule, *, by: str, now: datetime
) -> None:
    """Store which name a spelling stands for, if any; an earlier alias is replaced."""
    row: Values = {
        "instance": instance,
        "field": meaning.field.value,
        "key": meaning.key,
        "spelling": meaning.spelling,
        "target": value_to_json(meaning.target),
        "decided_by": by,
        "decided_at": now,
    }
    changed = {name: row[name] for name in ("spelling", "target", "decided_by", "decided_at")}
    new = insert_into(connection, aliases).values(row)
    connection.execute(
        new.on_conflict_do_update(index_elements=["instance", "field", "key"], set_=changed)
    )


def delete_alias(connection: Connection, instance: str, field: FieldName, key: str) -> bool:
    """Delete an alias; return whether there was one."""
    conditions = (
        aliases.c.instance == instance,
        aliases.c.field == field.value,
        aliases.c.key == key,
    )
    gone = delete(aliases).where(*conditions).returning(aliases.c.id)
    return connection.execute(gone).first() is not None


def list_aliases(connection: Connection, instance: str | None = None) -> tuple[Alias, ...]:
    """List the aliases by instance, field and spelling."""
    found = select(aliases).order_by(aliases.c.instance, aliases.c.field, aliases.c.key)
    if instance is not None:
        found = found.where(aliases.c.instance == instance)
    return tuple(_alias_of(row) for row in connection.execute(found).mappings())


def link_aliases(connection: Connection, instance: str, field: FieldName, name: Name) -> None:
    """Store the id of a created name in the aliases that were waiting for it."""
    for alias in list_aliases(connection, instance):
        meaning = alias.meaning
        if meaning.field is field and meaning.target == Name(None, name.name):
            led = replace(meaning, target=name)
            save_alias(connection, instance, led, by=alias.decided_by, now=alias.decided_at)


def reserve_name(
    connection: Connection, wanted: WantedName, job: Job, *, now: datetime
) -> NameReservation | None:
    """Reserve a name for a job that is about to create it.

    Return None while another job holds the reservation. Raise ClaimLost.
    """
    require_claim(connection, job)
    right: Values = {
        "job_id": job.id,
        "claim": job.claim,
        "change_id": wanted.change_id,
        "document_id": job.document.id,
    }
    reserved = _find_open(connection, wanted, job)
    if reserved is None:
        new: Values = {
            "instance": job.document.instance,
            "field": wanted.field.value,
            "key": wanted.key,
            "name": wanted.name,
            "intended_at": now,
        }
        made = insert(made_names).values(new | right).returning(made_names.c.id)
        return NameReservation(connection.scalars(made).one(), is_inherited=False)
    if _is_reserved(connection, reserved):
        return None
    connection.execute(update(made_names).where(made_names.c.id == reserved["id"]).values(right))
    return NameReservation(reserved["id"], is_inherited=True)


def mark_created(
    connection: Connection, intent: NameReservation, name: Name, *, now: datetime
) -> None:
    """Store that a name was created in Paperless; aliases that were waiting for it get its id."""
    values = {"name_id": name.id, "name": name.name, "made_at": now, "removed_at": None}
    conditions = update(made_names).where(_has_id(intent.id)).values(values).returning(made_names)
    row = connection.execute(conditions).mappings().one()
    link_aliases(connection, row["instance"], _made_name_of(row).field, name)


def release_reservation(connection: Connection, intent: NameReservation) -> None:
    """Release a reservation: the name was not created, or not by Paperclerk."""
    connection.execute(delete(made_names).where(_has_id(intent.id), text(UNMADE)))


def mark_removed(connection: Connection, made: CreatedName, *, now: datetime) -> None:
    """Store that a name was deleted in Paperless."""
    connection.execute(update(made_names).where(_has_id(made.id)).values(removed_at=now))


def list_created_names(connection: Connection, instance: str) -> tuple[CreatedName, ...]:
    """List the names that were or may have been created and not removed, oldest first."""
    ours = (made_names.c.instance == instance, made_names.c.removed_at.is_(None))
    found = connection.execute(select(made_names).where(*ours).order_by(made_names.c.id)).mappings()
    return tuple(_made_name_of(row) for row in found if not _is_reserved(connection, row))


def _find_open(connection: Connection, wanted: WantedName, job: Job) -> RowMapping | None:
    same = (
        made_names.c.instance == job.document.instance,
        made_names.c.field == wanted.field.value,
        made_names.c.key == wanted.key,
        text(UNMADE),
    )
    return connection.execute(select(made_names).where(*same)).mappings().first()


def _is_reserved(connection: Connection, row: RowMapping) -> bool:
    """Return whether the job with the reservation is still being processed."""
    if row["made_at"] is not None:
        return False
    at_work = and_(
        jobs.c.id == row["job_id"], jobs.c.claim == row["claim"], jobs.c.status == PROCESSING
    )
    return connection.execute(select(jobs.c.id).where(at_work)).first() is not None


def _has_id(number: int) -> ColumnElement[bool]:
    return made_names.c.id == number


def _alias_of(row: RowMapping) -> Alias:
    target = value_from_json(row["target"])
    assert target is None or isinstance(target, Name)
    meaning = AliasRule(FieldName(row["field"]), row["key"], row["spelling"], target)
    return Alias(row["instance"], meaning, row["decided_by"], row["decided_at"])


def _made_name_of(row: RowMapping) -> CreatedName:
    return CreatedName(
        id=row["id"],
        field=FieldName(row["field"]),
        name=row["name"],
        name_id=row["name_id"],
        document=ref_of(row),
        change_id=row["change_id"],
        job_id=row["job_id"],
        intended_at=row["intended_at"],
        made_at=row["made_at"],
        removed_at=row["removed_at"],
    )
