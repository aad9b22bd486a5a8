"""What a job that failed or was cancelled has left behind does not come up again later."""

from actions.decisions import Edits
from core.changes import ChangeState
from core.fields import Field, FieldName
from core.jobs import JobStatus
from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from tests.installation import Installation, drain, fields_of, home, process
from tests.processor.test_process_review import accepted
from tests.store.builders import FakeClock

ONLY_TITLE: frozenset[FieldName] = frozenset()


def titled(title: str) -> Edits[Field]:
    return Edits({FieldName.TITLE: title}, ONLY_TITLE)


async def fail_to_write(services: Services, sandbox: Sandbox, clock: FakeClock) -> None:
    """Let every attempt at the apply job fail."""
    refused = Fault(method="PATCH", times=3, effect=Answer(status=500))
    sandbox.paperless.faults.add(refused)
    for minutes in (0, 5, 10):
        clock.advance(minutes=minutes)
        [finished] = await drain(services)
    assert finished.job.status is JobStatus.FAILED


async def test_what_was_accepted_last_is_written_although_an_earlier_write_failed(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure(all_fields="review")

    async with installation.open() as services:
        await process(services)
        await accepted(services, home(1), titled("First thought"))
        await fail_to_write(services, sandbox, clock)
        await process(services)
        await accepted(services, home(1), titled("Second thought"))
        [finished] = await drain(services)
        waiting = await services.store.changes.list_for_review(document=home(1))

    assert finished.job.status is JobStatus.COMPLETED
    assert fields_of(sandbox)["title"] == "Second thought"
    assert FieldName.TITLE not in {change.field for change in waiting}


async def test_a_failed_write_that_is_retried_writes_what_was_accepted(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure(all_fields="review")

    async with installation.open() as services:
        await process(services)
        job = await accepted(services, home(1), titled("First thought"))
        await fail_to_write(services, sandbox, clock)
        await services.store.jobs.restart(job.id, by="hand", now=clock())
        await drain(services)

    assert fields_of(sandbox)["title"] == "First thought"


async def test_a_new_analysis_closes_what_a_failed_one_meant_to_write(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure('[fields]\ntitle = "replace"\n')

    async with installation.open() as services:
        sandbox.paperless.faults.add(Fault(method="PATCH", times=3, effect=Answer(status=500)))
        failed = await process(services)
        for minutes in (5, 10):
            clock.advance(minutes=minutes)
            await drain(services)
        await process(services)
        left = await services.store.changes.list_for_job(failed.job.id)

    assert fields_of(sandbox)["title"] == "Stromrechnung August 2026"
    assert ChangeState.INTENDED not in {change.state for change in left}
