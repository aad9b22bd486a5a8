"""The tables of what was learnt from documents."""

from datetime import datetime

from sqlalchemy import Boolean, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from store.columns import BigId, CleanText, UtcTime
from store.tables import table_of


class LearntDocumentRow(SQLModel, table=True):
    """A document whose facts are stored, and who filed it."""

    __tablename__ = "learnt_documents"
    __table_args__ = (UniqueConstraint("instance", "document_id", name="uq_learnt_documents_ref"),)

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    instance: str = Field(sa_type=CleanText)
    document_id: int = Field(sa_type=BigId)
    correspondent: int | None = Field(default=None, sa_type=BigId)
    by_person: bool = Field(sa_type=Boolean)
    # The correspondent that was written automatically; known longer than the change.
    written: int | None = Field(default=None, sa_type=BigId)
    modified: datetime | None = Field(default=None, sa_type=UtcTime)
    # Which version of the code has read it.
    version: int = Field(default=0, sa_column_kwargs={"server_default": "0"})


class LearntFactRow(SQLModel, table=True):
    """A fact about a document."""

    __tablename__ = "learnt_facts"
    __table_args__ = (
        Index("ix_learnt_facts_value", "kind", "value"),
        Index("ix_learnt_facts_document", "document"),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=BigId)
    document: int = Field(sa_type=BigId, foreign_key="learnt_documents.id", ondelete="CASCADE")
    kind: str = Field(sa_type=CleanText)
    value: str = Field(sa_type=CleanText)
    spelling: str = Field(sa_type=CleanText)


class LearntCountRow(SQLModel, table=True):
    """In how many documents a fact was, when it was last counted."""

    __tablename__ = "learnt_counts"

    instance: str = Field(primary_key=True, sa_type=CleanText)
    kind: str = Field(primary_key=True, sa_type=CleanText)
    value: str = Field(primary_key=True, sa_type=CleanText)
    correspondent: int = Field(
        primary_key=True, sa_type=BigId, sa_column_kwargs={"autoincrement": False}
    )
    spelling: str = Field(sa_type=CleanText)
    documents: int
    total: int
    counted_at: datetime = Field(sa_type=UtcTime)


class LearntDecisionRow(SQLModel, table=True):
    """A person's decision about a fact; it outlives the documents."""

    __tablename__ = "learnt_decisions"

    instance: str = Field(primary_key=True, sa_type=CleanText)
    kind: str = Field(primary_key=True, sa_type=CleanText)
    value: str = Field(primary_key=True, sa_type=CleanText)
    correspondent: int = Field(
        primary_key=True, sa_type=BigId, sa_column_kwargs={"autoincrement": False}
    )
    spelling: str = Field(sa_type=CleanText)
    approval: str = Field(sa_type=CleanText)
    decided_by: str = Field(sa_type=CleanText)
    decided_at: datetime = Field(sa_type=UtcTime)


learnt_documents = table_of(LearntDocumentRow)
learnt_facts = table_of(LearntFactRow)
learnt_counts = table_of(LearntCountRow)
learnt_decisions = table_of(LearntDecisionRow)
