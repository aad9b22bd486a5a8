"""Keep answers and jobs during a database outage; store and release them after it."""

from collections.abc import Iterable, Mapping

import structlog

from core.jobs import Job
from core.messages import message
from processor.attempt import DeferredWrite
from processor.settle import Settler
from processor.supervise import Interrupted, StopReason
from processor.verdict import problem_of
from store import ClaimLost, InvalidTransition, Store, StoreUnavailable

log = structlog.get_logger()

_DATABASE_AWAY = Interrupted(StopReason.STOPPED, message("the database was unreachable"))


def log_context(job: Job) -> Mapping[str, object]:
    """Return the fields of every log line about an attempt."""
    return {"document": str(job.document), "job": job.id, "trace": job.trace}


class UnsavedWork:
    """Answers not stored, jobs not settled, and claims with an unknown outcome."""

    def __init__(self, store: Store, settler: Settler) -> None:
        self._store = store
        self._settler = settler
        self._unstored: list[DeferredWrite] = []
        self._unsettled: list[Job] = []
        self._uncertain: set[str] = set()

    @property
    def traces(self) -> frozenset[str]:
        """The trace ids of attempts that may still be claimed by us in the store."""
        return frozenset({*self._uncertain, *(str(job.trace) for job in self._unsettled)})

    def add_writes(self, writes: Iterable[DeferredWrite]) -> None:
        """Keep answers that must be stored, because they are paid for."""
        self._unstored += writes

    def add_job(self, job: Job) -> None:
        """Keep a job that must be released."""
        self._unsettled.append(job)

    def add_claim(self, trace: str) -> None:
        """Keep the trace id of a claim whose commit may have succeeded without confirmation."""
        self._uncertain.add(trace)

    async def flush(self) -> None:
        """Store the answers, then release the jobs, so that the next attempt finds the answers.

        Raise StoreUnavailable while the database is unreachable; the rest is kept for later.
        """
        while self._unstored:
            await self._store_late(self._unstored[0])
            self._unstored.pop(0)
        while self._unsettled:
            await self._release(self._unsettled[0])
            self._unsettled.pop(0)
        if self._uncertain:
            for job in await self._store.jobs.list_processing(self._uncertain):
                await self._release(job)
            self._uncertain.clear()

    async def _store_late(self, write: DeferredWrite) -> None:
        try:
            await write()
        except (ClaimLost, InvalidTransition):
            # It is stored now, by this write or by the first one whose confirmation was lost.
            pass
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - what cannot be stored must not stop the queue
            log.error("answer could not be stored", error=problem_of(error).message)

    async def _release(self, job: Job) -> None:
        with structlog.contextvars.bound_contextvars(**log_context(job)):
            try:
                await self._settler.settle_interruption(job, _DATABASE_AWAY)
            except ClaimLost:
                await self._settler.log_earlier_settlement(job)
