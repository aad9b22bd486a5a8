"""Changes: planned, put before a person, written, and taken back."""

from collections.abc import Sequence
from datetime import datetime

from core.changes import (
    RULE,
    Change,
    ChangeFilter,
    ChangeOutcome,
    Decision,
    Plan,
    PlannedChange,
    RevisedChange,
)
from core.documents import DocumentRef
from core.jobs import Job
from store.changes import moves, reads
from store.changes.decisions import decide, revise
from store.changes.reads import HistoryFilter
from store.database import Database

ALL_HISTORY = HistoryFilter()


class Changes:
    """The ledger of changes. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._write = database.write
        self._read = database.read

    async def record_plan(
        self, job: Job, plan: Plan, *, made_from: str, now: datetime
    ) -> tuple[Change, ...]:
        """Store the changes to write and to review, before anything is written.

        Changes from earlier jobs of the document that are still for review are superseded. The
        job's existing plan is kept if its fingerprint `made_from` is the same. Raise NotOurs.
        """
        return await self._write(moves.record_plan, job, plan, made_from, now)

    async def begin(
        self,
        job: Job,
        changes: Sequence[Change],
        planned: Sequence[PlannedChange] = (),
        *,
        decided_by: str = RULE,
        now: datetime,
    ) -> tuple[Change, ...]:
        """Mark the write of these changes, and of further planned ones, as about to be sent.

        Further ones that are already intended are not stored twice. Raise NotOurs, WrongMove.
        """
        return await self._write(moves.begin, job, changes, planned, decided_by, now)

    async def begin_undo(
        self, job: Job, changes: Sequence[Change], *, now: datetime
    ) -> tuple[Change, ...]:
        """Mark the undo of these changes as about to be sent. Raise NotOurs, WrongMove."""
        return await self._write(moves.begin_undo, job, changes, now)

    async def settle_unconfirmed(
        self, document: DocumentRef, outcomes: Sequence[ChangeOutcome], *, now: datetime
    ) -> tuple[Change, ...]:
        """Store the results for a document's unconfirmed changes; leave the others alone."""
        return await self._write(moves.settle_unconfirmed, document, outcomes, now)

    async def settle(
        self, job: Job, outcomes: Sequence[ChangeOutcome], *, now: datetime
    ) -> tuple[Change, ...]:
        """Store what became of changes, all or none. Raise NotOurs, WrongMove, ChangeNotFound."""
        return await self._write(moves.settle, job, outcomes, now)

    async def decide(
        self,
        document: DocumentRef,
        decision: Decision,
        *,
        by: str,
        max_attempts: int,
        now: datetime,
    ) -> Job:
        """Carry out a person's whole decision and return the job that will write it.

        Raise NotWaiting or Busy; then nothing was done.
        """
        return await self._write(decide, document, decision, by, max_attempts, now)

    async def revise(
        self, document: DocumentRef, revised: RevisedChange, *, by: str, now: datetime
    ) -> None:
        """Let a change wait on, with another value or fewer reasons. Raise NotWaiting."""
        await self._write(revise, document, revised, by, now)

    async def list_for_review(
        self,
        instance: str | None = None,
        document: DocumentRef | None = None,
        limit: int = 100,
        after_id: int = 0,
    ) -> tuple[Change, ...]:
        """List what waits for a person, oldest first; `after_id` goes on where a page ended.

        Fewer than `limit` are the last: what cannot be read takes no place.
        """
        return await self._read(reads.list_for_review, instance, document, limit, after_id)

    async def list_for_review_by_document(
        self, instances: Sequence[str], limit: int = 50, after_id: int = 0
    ) -> tuple[Change, ...]:
        """List all that waits of so many documents, document by document, the oldest first.

        `after_id` is the number of the first change of the last document of the page before.
        """
        return await self._read(reads.list_for_review_by_document, instances, limit, after_id)

    async def find_document_before(
        self, instances: Sequence[str], before_id: int
    ) -> DocumentRef | None:
        """Return the document that waits just before another; None before the first.

        `before_id` is the number of the first waiting change of that other document.
        """
        return await self._read(reads.find_document_before, instances, before_id)

    async def list_for_review_with_new_names(self, instances: Sequence[str]) -> tuple[Change, ...]:
        """List what waits and gives a name that did not exist when it was planned."""
        return await self._read(reads.list_for_review_with_new_names, instances)

    async def list_to_apply(self, job: Job) -> tuple[Change, ...]:
        """List the accepted changes that this apply job writes, and those that accompany them."""
        return await self._read(reads.list_to_apply, job.id)

    async def list_for_apply_job(self, job_id: int) -> tuple[Change, ...]:
        """List what a person accepted for this apply job, whatever became of it, oldest first."""
        return await self._read(reads.list_for_apply_job, job_id)

    async def list_begun(self, document: DocumentRef) -> tuple[Change, ...]:
        """List the document's changes with a write or undo whose effect is unknown."""
        return await self._read(reads.list_begun, document)

    async def list_written_automatically(
        self, instance: str, ids: Sequence[int]
    ) -> tuple[Change, ...]:
        """List what was written to these documents without a person, and not taken back."""
        return await self._read(reads.list_written_automatically, instance, ids)

    async def list_for_job(self, job_id: int) -> tuple[Change, ...]:
        """List a job's changes, oldest first."""
        return await self._read(reads.list_for_job, job_id)

    async def list_for_document(self, document: DocumentRef) -> tuple[Change, ...]:
        """List a document's changes, oldest first."""
        return await self._read(reads.list_for_document, document)

    async def list_for_scan(self, scan_id: int) -> tuple[Change, ...]:
        """List the changes of all jobs that a scan made, oldest first."""
        return await self._read(reads.list_for_scan, scan_id)

    async def get(self, change_id: int) -> Change:
        """Return the change, or raise ChangeNotFound."""
        return await self._read(reads.get, change_id)

    async def list_by_ids(self, ids: Sequence[int]) -> tuple[Change, ...]:
        """Return these changes, oldest first; numbers that do not exist are left out."""
        return await self._read(reads.list_by_ids, ids)

    async def list_applied(self, cause: ChangeFilter) -> tuple[Change, ...]:
        """List the changes that are applied and share a cause, oldest first."""
        return await self._read(reads.list_applied, cause)

    async def list_history(
        self, wanted: HistoryFilter = ALL_HISTORY, limit: int = 100
    ) -> tuple[Change, ...]:
        """List what was done to documents, newest first.

        Fewer than `limit` are the last: what cannot be read takes no place.
        """
        return await self._read(reads.list_history, wanted, limit)

    async def list_latest(self, instances: Sequence[str], limit: int) -> tuple[Change, ...]:
        """List the changes that were written or undone last, the latest first."""
        return await self._read(reads.list_latest, instances, limit)
