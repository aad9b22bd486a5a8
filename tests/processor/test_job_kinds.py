"""Kinds of jobs: a further one needs no change of the processor."""

from pydantic import BaseModel

from core.jobs import JobStatus
from daemon.services import Services
from processor.attempt import Attempt
from processor.instance import Instance
from processor.pipeline import JOB_HANDLERS, JobHandler, Report, handlers_by_kind
from processor.processor import FinishedJob, Processor
from tests.installation import drain_one, enqueue_document


class Greeting(BaseModel):
    """Whom to greet."""

    name: str


async def test_a_further_kind_is_registered_and_done(services: Services) -> None:
    greeted = []

    async def greet(attempt: Attempt, instance: Instance, payload: Greeting) -> Report:
        greeted.append(f"{payload.name} of {instance.name}, about {attempt.document}")
        return Report()

    kinds = {**JOB_HANDLERS, **handlers_by_kind(JobHandler("greet", Greeting, greet))}
    processor = Processor(
        services.store, services.instances, clock=services.context.clock, worker="w", kinds=kinds
    )
    await enqueue_document(services, 1, "greet", name="Anna")

    [finished] = [outcome async for outcome in processor.drain()]

    assert finished == FinishedJob(finished.job, Report())
    assert finished.job.status is JobStatus.COMPLETED
    assert greeted == ["Anna of home, about home/1"]


async def test_a_kind_that_nobody_knows_fails_at_once_with_its_code(services: Services) -> None:
    await enqueue_document(services, 1, "summarize")

    finished = await drain_one(services)

    assert (finished.job.status, finished.job.attempts) == (JobStatus.FAILED, 1)
    assert finished.job.problem is not None
    assert finished.job.problem.code == "unknown_kind"


async def test_a_payload_that_cannot_be_read_fails_at_once_and_is_not_quoted(
    services: Services,
) -> None:
    await enqueue_document(services, 1, "undo", changes="a secret", more=1)

    finished = await drain_one(services)

    assert (finished.job.status, finished.job.attempts) == (JobStatus.FAILED, 1)
    problem = finished.job.problem
    assert problem is not None
    assert problem.code == "bad_payload"
    assert str(problem.message).endswith("is not valid: changes, more")


async def test_what_a_kind_does_wrong_is_its_own_fault(services: Services) -> None:
    async def stumble(_: Attempt, __: Instance, ___: Greeting) -> Report:
        raise ZeroDivisionError

    kinds = handlers_by_kind(JobHandler("greet", Greeting, stumble))
    processor = Processor(
        services.store, services.instances, clock=services.context.clock, worker="w", kinds=kinds
    )
    await enqueue_document(services, 1, "greet", name="Anna")

    [finished] = [outcome async for outcome in processor.drain()]

    assert (finished.job.status, finished.job.attempts) == (JobStatus.PENDING, 1)
    assert finished.job.problem is not None
    assert finished.job.problem.code == "unexpected"
