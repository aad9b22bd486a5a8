"""Attempts: five minutes, then ten, then failed; and what brings a job back."""

from datetime import timedelta

from core.documents import DocumentState
from core.jobs import JobStatus
from daemon.services import Services
from paperless_client.requests import MAX_ANSWER_BYTES
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.model.behaviour import Behaviour, Outcome
from tests.installation import (
    COMPLETIONS,
    MODEL_BLOCKED,
    blocking,
    drain,
    drain_one,
    fields_of,
    home,
    patches,
    process,
)
from tests.store.builders import FakeClock

BROKEN = Fault(path=COMPLETIONS, times=None, effect=Answer(status=500, body="out of memory"))


async def state_of(services: Services, id_: int = 1) -> DocumentState:
    known = await services.store.documents.get(home(id_))
    assert known is not None
    return known.state


async def test_a_job_waits_five_minutes_then_ten_and_then_fails(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.model.behave(Behaviour(answer="I do not know."))

    first = await process(services)
    assert first.job.scheduled_for == clock() + timedelta(minutes=5)
    clock.advance(minutes=4, seconds=59)
    assert await drain(services) == []
    clock.advance(seconds=1)
    second = await drain_one(services)
    assert second.job.scheduled_for == clock() + timedelta(minutes=10)
    clock.advance(minutes=10)
    third = await drain_one(services)

    assert (third.job.status, third.job.attempts) == (JobStatus.FAILED, 3)
    assert await state_of(services) is DocumentState.FAILED
    clock.advance(days=30)
    assert await drain(services) == []


async def test_a_text_that_is_too_large_fails_its_document_at_once_and_no_other(
    services: Services, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, content="x" * MAX_ANSWER_BYTES)

    failed = await process(services, 1)
    filed = await process(services, 2)

    assert (failed.job.status, failed.job.attempts) == (JobStatus.FAILED, 1)
    assert failed.job.problem is not None
    assert failed.job.problem.code == "paperless_answer_too_large"
    assert "larger than 32 MB" in str(failed.job.problem.message)
    assert await services.store.calls.list_for_job(failed.job.id) == ()
    assert await services.store.holds.list_active() == ()
    assert filed.job.status is JobStatus.COMPLETED


async def test_a_failed_job_that_a_person_restarts_has_all_its_attempts_again(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.model.behave(Behaviour(outcome=Outcome.REFUSAL), times=1)
    failed = await process(services)

    restarted = await services.store.jobs.restart(failed.job.id, by="hand", now=clock())
    finished = await drain_one(services)

    assert (restarted.status, restarted.attempts) == (JobStatus.PENDING, 0)
    assert finished.job.status is JobStatus.COMPLETED
    assert await state_of(services) is DocumentState.DONE


async def test_an_attempt_that_dies_after_the_answer_does_not_pay_for_it_twice(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.paperless.faults.add(Fault(method="PATCH", effect=Answer(status=500)))

    await process(services)
    clock.advance(minutes=5)
    await drain(services)

    assert len(sandbox.model.state.chats()) == 1
    assert fields_of(sandbox)["title"] == "Stromrechnung August 2026"


async def test_a_text_that_changed_between_two_attempts_is_asked_about_anew(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    broken = Fault(path="/api/documents/1/", nth=2, effect=Answer(status=500))
    sandbox.paperless.faults.add(broken)
    first = await process(services)
    sandbox.world.edit(1, content=f"{fields_of(sandbox)['content']}\nNachtrag")

    clock.advance(minutes=5)
    await drain(services)

    assert first.job.status is JobStatus.PENDING
    assert len(sandbox.model.state.chats()) == 2


async def test_asked_for_again_by_hand_the_model_is_asked_again(
    services: Services, sandbox: Sandbox
) -> None:
    await process(services)

    await process(services)

    assert len(sandbox.model.state.chats()) == 2


async def test_a_worker_that_was_taken_for_dead_writes_nothing(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with blocking(sandbox.model.state.faults, MODEL_BLOCKED, process(services)) as attempt:
        await services.store.jobs.recover_orphans(now=clock())
        other = await services.store.jobs.claim(worker="another machine", now=clock())

    finished = await attempt
    assert other is not None
    assert (finished.job, finished.report) == (other, None)
    assert patches(sandbox) == []
