"""What an outage of the database leaves behind: stored and given back when it is over."""

from collections.abc import Iterable, Mapping

import structlog

from core.jobs import Job
from processor.attempt import Write
from processor.settle import Settler
from processor.supervise import Ending, Interrupted
from processor.verdict import problem_of
from store import NotOurs, Store, StoreUnavailable, WrongMove

log = structlog.get_logger()

_DATABASE_AWAY = Interrupted(Ending.STOPPED, "the database was away")


def names_of(job: Job) -> Mapping[str, object]:
    """Return what every log line about an attempt carries."""
    return {"document": str(job.document), "job": job.id, "trace": job.trace}


class Leftovers:
    """Answers that are not stored, jobs that are not settled, claims whose outcome is unknown."""

    def __init__(self, store: Store, settler: Settler) -> None:
        self._store = store
        self._settler = settler
        self._unstored: list[Write] = []
        self._unsettled: list[Job] = []
        self._uncertain: set[str] = set()

    @property
    def traces(self) -> frozenset[str]:
        """The attempts that may still be ours in the store."""
        return frozenset({*self._uncertain, *(str(job.trace) for job in self._unsettled)})

    def keep_writes(self, writes: Iterable[Write]) -> None:
        """Keep what is to be stored: answers are paid for."""
        self._unstored += writes

    def keep_job(self, job: Job) -> None:
        """Keep a job that is to be given back."""
        self._unsettled.append(job)

    def keep_claim(self, trace: str) -> None:
        """Keep the trace of a claim: its commit may have succeeded although no answer came."""
        self._uncertain.add(trace)

    async def put_down(self) -> None:
        """Store the answers, then give the jobs back, so that the next attempt finds them.

        Raise StoreUnavailable while the database is away; then the rest is left for later.
        """
        while self._unstored:
            await self._store_late(self._unstored[0])
            self._unstored.pop(0)
        while self._unsettled:
            await self._give_back(self._unsettled[0])
            self._unsettled.pop(0)
        for job in await self._store.jobs.in_hand(self._uncertain) if self._uncertain else ():
            await self._give_back(job)
        self._uncertain.clear()

    async def _store_late(self, write: Write) -> None:
        try:
            await write()
        except (NotOurs, WrongMove):
            # Stored by now: by this write, or, before its answer was lost, by the first one.
            pass
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - what cannot be stored must not stop the queue
            log.error("answer could not be stored", error=problem_of(error).message)

    async def _give_back(self, job: Job) -> None:
        with structlog.contextvars.bound_contextvars(**names_of(job)):
            try:
                await self._settler.interrupted(job, _DATABASE_AWAY)
            except NotOurs:
                await self._settler.already_moved(job)
