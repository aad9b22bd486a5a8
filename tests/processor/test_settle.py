"""Settling: each ending of an attempt is one move of the job and one line of the log."""

from dataclasses import replace
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from core.changes import Plan, PlannedChange
from core.fields import FieldName
from core.jobs import EventName, Job, JobStatus
from core.messages import plain
from daemon.services import Services
from paperless_client import DocumentGone
from processor.analysis.errors import AnswerRefused, AnswerUnusable, RateLimited
from processor.attempt import Interrupted, StopReason
from processor.settle import Settler
from processor.verdict import DocumentExcluded, RetryPolicy
from tests.installation import HOME, enqueue_document
from tests.store.builders import FakeClock

GONE = DocumentGone(plain("read document 1"), plain("404"), document=1, status=404)


async def claimed(services: Services) -> Job:
    await enqueue_document(services, 1)
    job = await services.store.jobs.claim(worker="w", now=services.context.clock())
    assert job is not None
    return job


def settler_of(services: Services) -> Settler:
    return Settler(services.store, clock=services.context.clock)


@pytest.mark.parametrize(
    ("error", "status", "line", "level"),
    [
        (AnswerUnusable("no JSON"), JobStatus.PENDING, "job retried", "warning"),
        (AnswerRefused("declined"), JobStatus.FAILED, "job failed", "error"),
        (DocumentExcluded("carries Privat"), JobStatus.CANCELLED, "job cancelled", "info"),
        (GONE, JobStatus.CANCELLED, "job cancelled", "info"),
        (ZeroDivisionError(), JobStatus.PENDING, "job retried", "warning"),
    ],
)
async def test_an_error_has_its_move_and_its_line(
    services: Services, error: Exception, status: JobStatus, line: str, level: str
) -> None:
    job = await claimed(services)

    with capture_logs() as logs:
        settled = await settler_of(services).settle_failure(job, services.instances[HOME], error)

    assert settled.status is status
    assert [(entry["event"], entry["log_level"]) for entry in logs] == [(line, level)]


async def test_the_last_attempt_fails(services: Services, clock: FakeClock) -> None:
    job, settler = await claimed(services), settler_of(services)
    for _ in range(2):
        await settler.settle_failure(job, services.instances[HOME], AnswerUnusable("no JSON"))
        clock.advance(minutes=10)
        again = await services.store.jobs.claim(worker="w", now=clock())
        assert again is not None
        job = again

    settled = await settler.settle_failure(job, services.instances[HOME], AnswerUnusable("no JSON"))

    assert (settled.status, settled.attempts) == (JobStatus.FAILED, 3)


@pytest.mark.parametrize("ending", list(StopReason))
async def test_whoever_asked_for_a_cancel_gets_it_however_the_attempt_ends(
    services: Services, clock: FakeClock, ending: StopReason
) -> None:
    job, settler = await claimed(services), settler_of(services)
    await services.store.jobs.cancel(job.id, by="hand", now=clock())

    with capture_logs() as logs:
        settled = await settler.settle_interruption(job, Interrupted(ending, plain("stopped")))

    assert (settled.status, str(settled.cancel_requested)) == (JobStatus.CANCELLED, "hand")
    assert [entry["event"] for entry in logs] == ["job cancelled"]


async def test_a_cancel_that_comes_while_an_attempt_fails_is_not_forgotten(
    services: Services, clock: FakeClock
) -> None:
    job = await claimed(services)
    await services.store.jobs.cancel(job.id, by="hand", now=clock())

    settled = await settler_of(services).settle_failure(
        job, services.instances[HOME], AnswerUnusable("no JSON")
    )

    assert settled.status is JobStatus.CANCELLED
    names = [event.name for event in await services.store.jobs.list_events(job.id)]
    assert EventName.RETRIED not in names


async def test_a_job_given_back_too_often_is_reported_as_failed(
    services: Services, clock: FakeClock
) -> None:
    settler, job = settler_of(services), await claimed(services)
    with capture_logs() as logs:
        for _ in range(12):
            job = await settler.settle_interruption(
                job, Interrupted(StopReason.STOPPED, plain("stopped"))
            )
            job = await services.store.jobs.claim(worker="w", now=clock()) or job
        settled = await settler.settle_interruption(
            job, Interrupted(StopReason.STOPPED, plain("stopped"))
        )

    assert settled.status is JobStatus.FAILED
    assert [entry["event"] for entry in logs] == ["job released"] * 12 + ["job failed"]


async def test_retries_after_an_outage_are_spread_out(services: Services, clock: FakeClock) -> None:
    job, settler = await claimed(services), settler_of(services)

    settled = await settler.settle_failure(job, services.instances[HOME], RateLimited("too many"))

    wait = settled.scheduled_for - clock()
    assert timedelta(minutes=4.5) < wait < timedelta(minutes=5)


async def test_attempts_that_only_compare_come_soon_however_long_the_usual_pause_is(
    services: Services, clock: FakeClock
) -> None:
    patient = replace(services.instances[HOME], retry=RetryPolicy(1, timedelta(hours=6)))
    job, settler = await claimed(services), settler_of(services)
    plan = Plan((PlannedChange(FieldName.TITLE, "scan", "Strom"),))
    stored = await services.store.changes.record_plan(job, plan, made_from="plan", now=clock())
    await services.store.changes.begin(job, stored, now=clock())
    await services.store.jobs.end_cancelled(job, plain("hand"), now=clock())

    waits = []
    for _ in range(2):
        again = await services.store.jobs.claim(worker="w", now=clock())
        assert again is not None
        settled = await settler.settle_failure(again, patient, AnswerUnusable("no JSON"))
        waits.append(settled.scheduled_for - clock())
        clock.advance(minutes=10)

    assert waits == [timedelta(minutes=5), timedelta(minutes=10)]
