"""The tables of names: what people decided about them, and which ones we made."""

from datetime import datetime

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from store.columns import BigId, Json, UtcTime, Words
from store.tables import table_of, unique_partial

UNMADE = "made_at IS NULL"


class AliasRow(SQLModel, table=True):
    """What a person said that a spelling of a name means; without a target: never suggest it."""

    __tablename__ = "aliases"
    __table_args__ = (UniqueConstraint("instance", "field", "key", name="uq_aliases_key"),)

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    instance: str = Field(sa_type=Words)
    field: str = Field(sa_type=Words)
    key: str = Field(sa_type=Words)
    spelling: str = Field(sa_type=Words)
    target: dict[str, object] | None = Field(default=None, sa_type=Json, nullable=True)
    decided_by: str = Field(sa_type=Words)
    decided_at: datetime = Field(sa_type=UtcTime)


class MadeNameRow(SQLModel, table=True):
    """A name that we are about to make, or made; it outlives the job and the change."""

    __tablename__ = "made_names"
    __table_args__ = (
        unique_partial("uq_made_names_open", "instance", "field", "key", where=UNMADE),
        Index("ix_made_names_instance", "instance", "field"),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    instance: str = Field(sa_type=Words)
    field: str = Field(sa_type=Words)
    key: str = Field(sa_type=Words)
    name: str = Field(sa_type=Words)
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
