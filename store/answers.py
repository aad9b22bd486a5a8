"""What a model wrote, word by word: kept for a while, for who wants to know how it came about."""

from sqlalchemy import Connection, Index, insert, select
from sqlmodel import Field, SQLModel

from core.analysis import Answer
from store.columns import BigId, Words
from store.rows import call_of
from store.tables import model_calls, table_of

LONGEST = 64 * 1024
"""Bytes of an answer that are kept; a whole one has about 2,000."""


class AnswerRow(SQLModel, table=True):
    """The answer to one call. In a table of its own: costs are added up over narrow rows."""

    __tablename__ = "answers"
    __table_args__ = (Index("ix_answers_job", "job_id"),)

    call_id: int = Field(primary_key=True, sa_type=BigId, sa_column_kwargs={"autoincrement": False})
    job_id: int = Field(sa_type=BigId, foreign_key="jobs.id", ondelete="CASCADE")
    text: str = Field(sa_type=Words)


answers = table_of(AnswerRow)


def keep(connection: Connection, call_id: int, job_id: int, text: str) -> None:
    """Keep an answer with its call, in the transaction that ends the call."""
    kept = text.encode(errors="replace")[:LONGEST].decode(errors="ignore")
    connection.execute(insert(answers), {"call_id": call_id, "job_id": job_id, "text": kept})


def of_job(connection: Connection, job_id: int) -> tuple[Answer, ...]:
    together = select(model_calls, answers.c.text).join(
        answers, answers.c.call_id == model_calls.c.id
    )
    found = together.where(answers.c.job_id == job_id).order_by(answers.c.call_id)
    rows = connection.execute(found).mappings()
    return tuple(Answer(call_of(row), row["text"], _is_cut(row["text"])) for row in rows)


def _is_cut(text: str) -> bool:
    # A letter that did not fit any more takes up to three bytes.
    return len(text.encode()) > LONGEST - 4
