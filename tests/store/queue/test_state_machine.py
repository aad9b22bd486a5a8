"""The queue against a model of itself: any moves, in any order, by any worker, stale ones too.

The model is the state machine of the design in plain Python. After each step everything that the
store says of jobs and documents must be what the model says.
"""

import asyncio
import shutil
from collections.abc import Awaitable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import mkdtemp
from typing import ClassVar, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from core.documents import DocumentRef, DocumentState
from core.holds import paperless_target
from core.jobs import ANALYZE, APPLY, EventName, Job, JobStatus, Priority
from core.messages import plain
from store import (
    AlreadyQueued,
    ClaimLost,
    DocumentIgnored,
    InvalidTransition,
    NotIgnored,
    open_store,
)
from store.engine import FILE_NAME
from tests.builders import because
from tests.store.builders import NOON, PROBLEM, FakeClock, a_new_job, next_due
from tests.store.conftest import Place, empty

T = TypeVar("T")
REFS = st.sampled_from([DocumentRef("home", 1), DocumentRef("home", 2), DocumentRef("office", 1)])
WORKERS = st.sampled_from(["one", "two"])
LIVE = {JobStatus.PENDING, JobStatus.PROCESSING}
ROW_AFTER = {
    JobStatus.PENDING: DocumentState.QUEUED,
    JobStatus.COMPLETED: DocumentState.DONE,
    JobStatus.FAILED: DocumentState.FAILED,
    JobStatus.CANCELLED: DocumentState.CANCELLED,
}


@dataclass
class ModelJob:
    """What a job should look like."""

    id: int
    ref: DocumentRef
    kind: str
    priority: int
    due: datetime
    status: JobStatus = JobStatus.PENDING
    attempts: int = 0
    claim: int = 0
    worker: str | None = None
    asked: str | None = None
    recovered: bool = False
    moves: list[EventName] = field(default_factory=lambda: [EventName.ENQUEUED])


class Queue(RuleBasedStateMachine):
    """Moves of jobs, made in the store and in the model."""

    place: ClassVar[Place]

    def __init__(self) -> None:
        super().__init__()
        place = self.place
        self.folder = place.data
        if place.url is None:
            self.folder = Path(mkdtemp(dir=place.data))
            shutil.copy(place.data / FILE_NAME, self.folder)
        self.clock = FakeClock(NOON)
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        opening = self.stack.enter_async_context(open_store(place.url, self.folder))
        self.store = self.run(opening)
        self.jobs: dict[int, ModelJob] = {}
        self.rows: dict[DocumentRef, DocumentState] = {}
        self.before: dict[DocumentRef, DocumentState | None] = {}
        self.held: set[str] = set()
        self.claims: list[Job] = []

    def run(self, waiting: Awaitable[T]) -> T:
        async def wait() -> T:
            return await waiting

        return self.runner.run(wait())

    def teardown(self) -> None:
        self.run(self.stack.aclose())
        self.runner.close()
        if self.place.url is not None:
            empty(self.place.url)

    @rule(minutes=st.integers(1, 10))
    def time_passes(self, minutes: int) -> None:
        self.clock.advance(minutes=minutes)

    @rule(ref=REFS, kind=st.sampled_from([ANALYZE, APPLY]), priority=st.sampled_from(Priority))
    def enqueue(self, ref: DocumentRef, kind: str, priority: int) -> None:
        asked = self.store.jobs.enqueue(
            a_new_job(ref, kind=kind, priority=priority, max_attempts=2), now=self.clock()
        )
        if kind == ANALYZE and self.rows.get(ref) is DocumentState.IGNORED:
            with pytest.raises(DocumentIgnored):
                self.run(asked)
            return
        made = self.run(asked)
        assert (made is None) == self.lives(ref, kind)
        if made is not None:
            model = ModelJob(made.id, ref, kind, priority, self.clock())
            self.jobs[made.id] = model
            self.follow(model)

    @rule(worker=WORKERS)
    def claim(self, worker: str) -> None:
        expected = self.next_for(worker)
        self.taken(
            worker, expected, self.run(self.store.jobs.claim(worker=worker, now=self.clock()))
        )

    def taken(self, worker: str, expected: ModelJob | None, job: Job | None) -> None:
        assert (None if job is None else job.id) == (None if expected is None else expected.id)
        if job is None or expected is None:
            return
        expected.status, expected.worker, expected.asked = JobStatus.PROCESSING, worker, None
        expected.claim += 1
        expected.attempts += 1
        expected.moves.append(EventName.CLAIMED)
        self.claims.append(job)

    @precondition(lambda self: self.claims)
    @rule(
        data=st.data(),
        move=st.sampled_from(["succeed", "retry", "release", "fail", "cancelled", "forget"]),
    )
    def settle(self, data: st.DataObject, move: str) -> None:
        job = data.draw(st.sampled_from(self.claims))
        model = self.jobs[job.id]
        asked = self.settling(move, job)
        if model.status is not JobStatus.PROCESSING or model.claim != job.claim:
            with pytest.raises(ClaimLost):
                self.run(asked)
            return
        self.run(asked)
        if move in {"retry", "release"} and model.asked is not None:
            move = "cancelled"
        self.settled(model, move)

    @precondition(lambda self: self.claims)
    @rule(data=st.data())
    def succeed_and_claim(self, data: st.DataObject) -> None:
        job = data.draw(st.sampled_from(self.claims))
        model = self.jobs[job.id]
        asked = self.store.jobs.succeed_and_claim(job, now=self.clock())
        if model.status is not JobStatus.PROCESSING or model.claim != job.claim:
            with pytest.raises(ClaimLost):
                self.run(asked)
            return
        _, following = self.run(asked)
        assert job.worker is not None
        self.settled(model, "succeed")
        self.taken(job.worker, self.next_for(job.worker), following)

    def settling(self, move: str, job: Job) -> Awaitable[Job]:
        now = self.clock()
        match move:
            case "succeed":
                return self.store.jobs.succeed(job, now=now)
            case "retry":
                return self.store.jobs.retry(job, PROBLEM, at=now + timedelta(minutes=5), now=now)
            case "release":
                return self.store.jobs.release(job, plain("stop"), now=now)
            case "fail":
                return self.store.jobs.fail(job, PROBLEM, now=now)
            case "cancelled":
                return self.store.jobs.end_cancelled(job, plain("asked"), now=now)
        return self.store.jobs.end_gone(job, now=now)

    def settled(self, model: ModelJob, move: str) -> None:
        status, event = {
            "succeed": (JobStatus.COMPLETED, EventName.COMPLETED),
            "retry": (JobStatus.PENDING, EventName.RETRIED),
            "release": (JobStatus.PENDING, EventName.RELEASED),
            "fail": (JobStatus.FAILED, EventName.FAILED),
            "cancelled": (JobStatus.CANCELLED, EventName.CANCELLED),
            "forget": (JobStatus.CANCELLED, EventName.CANCELLED),
        }[move]
        model.status, model.worker, model.recovered = status, None, False
        model.moves.append(event)
        if move == "retry":
            model.due = self.clock() + timedelta(minutes=5)
        if move == "release":
            model.attempts -= 1
            model.due = self.clock()
        self.follow(model)
        if move == "forget":
            self.set_row(model.ref, DocumentState.GONE)

    @precondition(lambda self: self.claims)
    @rule(data=st.data())
    def heartbeat(self, data: st.DataObject) -> None:
        job = data.draw(st.sampled_from(self.claims))
        model = self.jobs[job.id]
        asked = self.store.jobs.heartbeat(job, now=self.clock())
        if model.status is not JobStatus.PROCESSING or model.claim != job.claim:
            with pytest.raises(ClaimLost):
                self.run(asked)
            return
        requested = self.run(asked).cancel_requested
        assert (requested and str(requested)) == model.asked

    @rule()
    def crash(self) -> None:
        recovered = self.run(self.store.jobs.recover_orphans(now=self.clock()))
        orphans = [job for job in self.jobs.values() if job.status is JobStatus.PROCESSING]
        assert [job.id for job in recovered] == [job.id for job in orphans]
        for model in orphans:
            model.status = JobStatus.FAILED if model.attempts >= 2 else JobStatus.PENDING
            if model.asked is not None:
                model.status = JobStatus.CANCELLED
            model.recovered = model.status is JobStatus.PENDING
            model.worker, model.due = None, self.clock()
            model.moves.append(EventName.RECOVERED)
            self.follow(model)

    @precondition(lambda self: self.jobs)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        model = self.jobs[data.draw(st.sampled_from(sorted(self.jobs)))]
        self.run(self.store.jobs.cancel(model.id, by="anna", now=self.clock()))
        self.cancelled_by_person(model)

    @precondition(lambda self: self.jobs)
    @rule(data=st.data(), priority=st.sampled_from(Priority))
    def bring_forward(self, data: st.DataObject, priority: int) -> None:
        model = self.jobs[data.draw(st.sampled_from(sorted(self.jobs)))]
        now = self.clock()
        self.run(self.store.jobs.bring_forward(model.id, priority, by="anna", now=now))
        is_ahead = model.due <= now and model.priority >= priority
        if model.status is JobStatus.PENDING and not is_ahead:
            model.due, model.priority = min(model.due, now), max(model.priority, priority)
            model.moves.append(EventName.PULLED_IN)

    @precondition(lambda self: self.jobs)
    @rule(data=st.data())
    def restart(self, data: st.DataObject) -> None:
        model = self.jobs[data.draw(st.sampled_from(sorted(self.jobs)))]
        asked = self.store.jobs.restart(model.id, by="anna", now=self.clock())
        refusal = self.why_not_restart(model)
        if refusal is not None:
            with pytest.raises(refusal):
                self.run(asked)
            return
        self.run(asked)
        model.status, model.attempts, model.asked = JobStatus.PENDING, 0, None
        model.due = self.clock()
        model.moves.append(EventName.RESTARTED)
        self.follow(model)

    @rule(ref=REFS)
    def ignore(self, ref: DocumentRef) -> None:
        self.run(self.store.documents.ignore(ref, by="anna", now=self.clock()))
        state = self.rows.get(ref)
        if state is not DocumentState.IGNORED:
            self.rows[ref] = DocumentState.IGNORED
            self.before[ref] = None if state is DocumentState.QUEUED else state
        for model in self.jobs.values():
            if model.ref == ref and model.kind == ANALYZE and model.status in LIVE:
                self.cancelled_by_person(model)

    @rule(ref=REFS)
    def unignore(self, ref: DocumentRef) -> None:
        asked = self.store.documents.unignore(ref, now=self.clock())
        if self.rows.get(ref) is not DocumentState.IGNORED:
            with pytest.raises(NotIgnored):
                self.run(asked)
            return
        self.run(asked)
        back = self.before.pop(ref)
        if back is None and self.lives(ref, ANALYZE):
            back = DocumentState.QUEUED
        del self.rows[ref]
        if back is not None:
            self.rows[ref] = back

    @rule(instance=st.sampled_from(["home", "office"]))
    def hold_or_lift(self, instance: str) -> None:
        target = paperless_target(instance)
        if instance in self.held:
            self.run(self.store.holds.lift(target, now=self.clock()))
        else:
            probe = self.clock() + timedelta(minutes=1)
            self.run(
                self.store.holds.place(target, because("x"), next_probe_at=probe, now=self.clock())
            )
        self.held ^= {instance}

    @invariant()
    def jobs_are_as_the_model_says(self) -> None:
        for job in self.run(self.store.jobs.list()):
            model = self.jobs[job.id]
            found = (job.status, job.attempts, job.claim, job.worker)
            assert found == (model.status, model.attempts, model.claim, model.worker)
            names = [event.name for event in self.run(self.store.jobs.list_events(job.id))]
            assert names == model.moves

    @invariant()
    def rows_are_as_the_model_says(self) -> None:
        for instance in ("home", "office"):
            known = self.run(self.store.documents.get_many(instance, [1, 2]))
            found = {document.ref: document.state for document in known.values()}
            assert found == {r: s for r, s in self.rows.items() if r.instance == instance}

    @invariant()
    def next_due_is_kept(self) -> None:
        due = self.run(next_due(self.store))
        waiting = [job.due for job in self.jobs.values() if self.may_run(job)]
        assert due == min(waiting, default=None)

    def lives(self, ref: DocumentRef, kind: str) -> bool:
        return any(
            job.ref == ref and job.kind == kind and job.status in LIVE for job in self.jobs.values()
        )

    def may_run(self, job: ModelJob) -> bool:
        processing = {j.ref for j in self.jobs.values() if j.status is JobStatus.PROCESSING}
        free = job.ref.instance not in self.held and job.ref not in processing
        return job.status is JobStatus.PENDING and free

    def next_for(self, worker: str) -> ModelJob | None:
        mine = [job for job in self.jobs.values() if job.worker == worker]
        due = [j for j in self.jobs.values() if self.may_run(j) and j.due <= self.clock()]
        first = min(due, key=lambda job: (-job.priority, job.id), default=None)
        if first is None or any(job.recovered for job in mine) or (mine and first.recovered):
            return None
        return first

    def why_not_restart(self, model: ModelJob) -> type[Exception] | None:
        if model.status not in {JobStatus.FAILED, JobStatus.CANCELLED}:
            return InvalidTransition
        if model.kind == ANALYZE and self.rows.get(model.ref) is DocumentState.IGNORED:
            return DocumentIgnored
        return AlreadyQueued if self.lives(model.ref, model.kind) else None

    def cancelled_by_person(self, model: ModelJob) -> None:
        if model.status is JobStatus.PENDING:
            model.status, model.recovered = JobStatus.CANCELLED, False
            model.moves.append(EventName.CANCELLED)
            self.follow(model)
        elif model.status is JobStatus.PROCESSING and model.asked is None:
            model.asked = "anna"
            model.moves.append(EventName.CANCEL_REQUESTED)

    def follow(self, model: ModelJob) -> None:
        if model.kind == ANALYZE:
            self.set_row(model.ref, ROW_AFTER[model.status], known=False)

    def set_row(self, ref: DocumentRef, state: DocumentState, *, known: bool = True) -> None:
        if self.rows.get(ref) is DocumentState.IGNORED:
            ended = {DocumentState.DONE, DocumentState.FAILED, DocumentState.GONE}
            self.before[ref] = state if state in ended else None
        elif ref in self.rows or not known:
            self.rows[ref] = state


def test_the_queue_behaves_as_its_model(place: Place) -> None:
    class QueueHere(Queue):
        """The queue in this test's database."""

    QueueHere.place = place

    run_state_machine_as_test(
        QueueHere,
        settings=settings(
            max_examples=25,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
