"""Model calls: what was asked, what came of it, and how many tokens it took."""

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from core.analysis import ModelCall
from store.database import Database
from store.rows import call_of
from store.tables import model_calls


class Calls:
    """The record of model calls. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._write = database.write
        self._read = database.read

    async def record(self, call: ModelCall, *, instance: str, job_id: int | None) -> None:
        """Write down a call, whatever became of it; `job_id` is None for one without a job."""
        await self._write(_record, call, instance, job_id)

    async def of_job(self, job_id: int) -> tuple[ModelCall, ...]:
        """List the calls that a job has made, oldest first."""
        return await self._read(_of_job, job_id)


def _record(session: Session, call: ModelCall, instance: str, job_id: int | None) -> None:
    session.execute(
        insert(model_calls).values(
            instance=instance,
            job_id=job_id,
            endpoint=call.endpoint,
            model=call.model,
            mode=call.mode,
            outcome=call.outcome,
            tokens_in=call.tokens_in,
            tokens_out=call.tokens_out,
            took_ms=call.took_ms,
            at=call.at,
        )
    )


def _of_job(session: Session, job_id: int) -> tuple[ModelCall, ...]:
    of_job = select(model_calls).where(model_calls.c.job_id == job_id).order_by(model_calls.c.id)
    return tuple(call_of(row) for row in session.execute(of_job).mappings())
