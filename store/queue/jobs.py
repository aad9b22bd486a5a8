"""The queue's face: every move of a job, and what can be asked about jobs."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from core.errors import Problem
from core.jobs import EVERYTHING, Event, Job, JobEvent, JobStatus, NewJob, Scope, Stage
from core.messages import Message
from store.database import Database
from store.errors import NotFound, Refused
from store.queue import claims, due, events, moves, reads
from store.queue.reads import JobFilter

ANY_JOB = JobFilter()


class Jobs:
    """The durable queue. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._write = database.write
        self._read = database.read

    async def enqueue(self, new: NewJob, *, now: datetime) -> Job | None:
        """Put a job into the queue; None if one of that document and kind is live already.

        Raise DocumentIgnored if an analysis is asked for and the owner wants it left alone.
        """
        return await self._write(moves.enqueue, new, now)

    async def claim(
        self, *, worker: str, now: datetime, scope: Scope = EVERYTHING, trace: str | None = None
    ) -> Job | None:
        """Claim the first job that is due and count the attempt; None if no job is due.

        With the attempt's `trace`, the caller can find the job if the confirmation is lost.
        """
        return await self._write(claims.claim, worker, now, scope, trace)

    async def heartbeat(self, job: Job, *, now: datetime) -> Job:
        """Say that the worker is alive; the answer shows `cancel_requested`. Raise NotOurs."""
        return await self._write(claims.heartbeat, job, now)

    async def record_progress(self, job: Job, stage: Stage, percent: int, *, now: datetime) -> Job:
        """Note a step; percent never goes down within an attempt. Raise NotOurs."""
        return await self._write(claims.record_progress, job, stage, percent, now)

    async def succeed(self, job: Job, *, now: datetime) -> Job:
        return await self._write(moves.succeed, job, now)

    async def succeed_and_claim(
        self, job: Job, *, now: datetime, scope: Scope = EVERYTHING, trace: str | None = None
    ) -> tuple[Job, Job | None]:
        """Settle the job and let its worker take the first that is due: both, or neither."""
        return await self._write(claims.succeed_and_claim, job, now, scope, trace)

    async def retry(self, job: Job, problem: Problem, *, at: datetime, now: datetime) -> Job:
        """Try again at `at`; a job whose cancel was asked for ends cancelled instead."""
        return await self._write(moves.retry, job, problem, at, now)

    async def release(
        self, job: Job, why: Message, *, now: datetime, due: datetime | None = None
    ) -> Job:
        """Give job and attempt back; a job whose cancel was asked for ends cancelled instead.

        It is due at once, or when `due` says. So can only be done ten times; then the attempt
        counts, and the job may fail by it.
        """
        return await self._write(moves.release, job, why, now, due)

    async def postpone(
        self, job: Job, why: Message, *, now: datetime, due: datetime | None = None
    ) -> Job:
        """Give job and attempt back like `release`, but as often as needed."""
        return await self._write(moves.postpone, job, why, now, due)

    async def fail(self, job: Job, problem: Problem, *, now: datetime) -> Job:
        return await self._write(moves.fail, job, problem, now)

    async def end_cancelled(self, job: Job, why: Message, *, now: datetime) -> Job:
        """End an attempt under way as cancelled."""
        return await self._write(moves.end_cancelled, job, why, now)

    async def end_gone(self, job: Job, *, now: datetime) -> Job:
        """End the job because its document is gone from Paperless."""
        return await self._write(moves.end_gone, job, now)

    async def end_read_only(self, job: Job, why: Message, *, now: datetime) -> Job:
        """End the job because its document may not be edited; a later scan may select it again."""
        return await self._write(moves.end_read_only, job, why, now)

    async def conclude(self, job: Job, *, now: datetime) -> Job:
        """End a job whose begun changes were checked; unknown ones become unconfirmed."""
        return await self._write(moves.conclude, job, now)

    async def recover(
        self, *, silent_since: datetime, now: datetime, in_hand: Collection[str] = ()
    ) -> tuple[Job, ...]:
        """Take back jobs whose last heartbeat is older than `silent_since`.

        Those that are `in_hand`, by their trace, are left out: who asks knows that they live.
        """
        return await self._write(claims.recover, silent_since, now, in_hand)

    async def recover_orphans(self, *, now: datetime) -> tuple[Job, ...]:
        """Take back every processing job: only for the holder of the WorkLock, before it claims."""
        return await self._write(claims.recover_orphans, now)

    async def cancel(self, job_id: int, *, by: str, now: datetime) -> Job:
        """Cancel for a person; a finished job stays as it is. Raise JobNotFound."""
        return await self._write(moves.cancel, job_id, by, now)

    async def restart(self, job_id: int, *, by: str, now: datetime) -> Job:
        """Start a failed or cancelled job anew.

        Raise JobNotFound, WrongMove, AlreadyQueued (its twin is live) or DocumentIgnored.
        """
        return await self._write(moves.restart, job_id, by, now)

    async def cancel_of_scan(
        self, scan_id: int, *, by: str, now: datetime, after_id: int = 0, limit: int = 100
    ) -> tuple[Job, ...]:
        """Cancel so many jobs of a scan that are not finished, the oldest first.

        `after_id` goes on after the last of them; none left to cancel is an empty answer.
        """
        return await self._write(moves.cancel_of_scan, scan_id, by, now, after_id, limit)

    async def restart_each(
        self, ids: Sequence[int], *, by: str, now: datetime
    ) -> tuple[tuple[Job, ...], tuple[NotFound | Refused, ...]]:
        """Start several jobs anew like `restart`; return those, and why others were refused."""
        return await self._write(moves.restart_each, ids, by, now)

    async def get(self, job_id: int) -> Job:
        """Return the job, or raise JobNotFound; of one that retention took, JobDeleted."""
        return await self._read(moves.get, job_id)

    async def list_processing(self, traces: Collection[str]) -> tuple[Job, ...]:
        """Return the jobs that are being processed in one of these attempts."""
        return await self._read(reads.list_processing, traces)

    async def list_by_ids(self, ids: Sequence[int]) -> tuple[Job, ...]:
        """Return these jobs, oldest first; numbers that do not exist are left out."""
        return await self._read(reads.list_by_ids, ids)

    async def list(self, wanted: JobFilter = ANY_JOB, limit: int = 100) -> tuple[Job, ...]:
        """List jobs, newest first."""
        return await self._read(reads.list_newest, wanted, limit)

    async def list_events(self, job_id: int) -> tuple[Event, ...]:
        """Tell a job's story, oldest first."""
        return await self._read(events.list_for_job, job_id)

    async def list_events_after(self, event_id: int, *, limit: int = 100) -> tuple[Event, ...]:
        """Follow all jobs: list what happened after that event, in the order of commits."""
        return await self._read(events.list_after, event_id, limit)

    async def list_job_events_after(
        self, job_id: int, *, after: int = 0, limit: int = 100
    ) -> tuple[Event, ...]:
        """Tell a job's story from an event on, oldest first."""
        return await self._read(events.list_for_job_after, job_id, after, limit)

    async def list_events_with_jobs(
        self, event_id: int, *, limit: int = 100
    ) -> tuple[JobEvent, ...]:
        """Follow all jobs like `events_after`, and learn what each event is about."""
        return await self._read(events.list_with_jobs, event_id, limit)

    async def get_last_event_id(self) -> int:
        """Return the number from which to follow what happens from now on; 0 at the beginning."""
        return await self._read(events.get_last_id)

    async def next_due_after(self, moment: datetime) -> datetime | None:
        """Tell when the first job comes due that was not due at that moment; None if none does.

        For who could claim nothing then: what was due already is not theirs to take for now.
        """
        return await self._read(due.next_due_after, moment)

    async def is_anything_due(self, scope: Scope = EVERYTHING, *, now: datetime) -> bool:
        """Tell whether something is worked on, or can be as soon as a hand is free.

        Made to be asked about three times a second, however much is in the queue.
        """
        return await self._read(due.is_anything_due, scope, now)

    async def count_held(self, instance: str) -> int:
        """Count the pending jobs of an instance that rest because of a hold."""
        return await self._read(claims.count_held, instance)

    async def count_held_by_instance(self, instances: Sequence[str]) -> Mapping[str, int]:
        """Count the same for several instances; one without any is left out."""
        return await self._read(claims.count_held_by_instance, instances)

    async def count_for_scan(self, scan_id: int) -> Mapping[JobStatus, int]:
        """Count the jobs that a scan made, by status; every status has its number."""
        return await self._read(reads.count_for_scan, scan_id)

    async def count_for_scans(
        self, scan_ids: Sequence[int], *, most: int
    ) -> Mapping[int, Mapping[JobStatus, int]]:
        """Count the same for several scans, and only what there is; at most so many of each."""
        return await self._read(reads.count_for_scans, scan_ids, most)

    async def count_by_status(self, instance: str | None = None) -> Mapping[JobStatus, int]:
        """Count all jobs of an instance, or of all instances, by status."""
        return await self._read(reads.count_by_status, instance)
