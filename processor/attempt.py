"""One try at a job: its progress, its calls, and the point from which it cannot be cancelled."""

from datetime import datetime

from core.analysis import ModelCall
from core.clock import Clock
from core.documents import DocumentRef
from core.jobs import Job, Stage
from store import Store


class Attempt:
    """What a handler is given: the job it works on, and the ways to tell how far it is."""

    def __init__(self, job: Job, *, store: Store, clock: Clock) -> None:
        self.job = job
        self.store = store
        self.writing = False
        """True from the first write on: a cancel comes too late then."""
        self._clock = clock

    @property
    def document(self) -> DocumentRef:
        return self.job.document

    def now(self) -> datetime:
        return self._clock()

    async def reached(self, stage: Stage, percent: int) -> None:
        """Store how far the attempt is."""
        self.job = await self.store.jobs.progress(self.job, stage, percent, now=self.now())

    async def begin_writing(self) -> None:
        """Pass the point of no return."""
        self.writing = True
        await self.reached(Stage.APPLY, 70)

    def payload_ids(self, key: str) -> tuple[int, ...]:
        """Read a list of ids from the job's payload."""
        ids = self.job.payload.get(key, [])
        return tuple(int(one) for one in ids) if isinstance(ids, list | tuple) else ()

    async def record(self, call: ModelCall) -> None:
        """Book a call to the model."""
        await self.store.calls.record(call, instance=self.document.instance, job_id=self.job.id)
