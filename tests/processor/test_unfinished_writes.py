"""What was written is in the ledger and can be undone, however its job ended."""

import pytest

from core.changes import ChangeState
from core.fields import FieldName
from core.holds import limit_target
from core.jobs import ANALYZE, UNDO, Job, JobStatus, NewJob
from daemon.services import Services
from processor.processor import FinishedJob
from sandbox import Sandbox
from sandbox.faults import Answer, Delay, Fault, Hang
from tests.builders import because
from tests.installation import (
    HOME,
    Installation,
    changes_of,
    drain,
    drain_one,
    enqueue_document,
    fields_of,
    home,
    patches,
    process,
    run_while_blocked,
)
from tests.store.builders import FakeClock
from tests.waiting import until

LATE = Fault(method="PATCH", effect=Delay(seconds=600))
"""The write is carried out after the client has given up, once it is released."""
TITLE = "Stromrechnung August 2026"
WRITTEN = Fault(method="PATCH", moment="after", effect=Delay(seconds=30))
"""The write takes effect, and its response is delayed."""
UNREADABLE = Fault(path="/api/documents/1/", method="GET", times=1000, effect=Answer(status=500))


def give_up_soon(installation: Installation, tables: str = "") -> None:
    installation.configure(f'[fields]\ntitle = "replace"\n{tables}')
    settings = installation.settings_file.read_text()
    installation.settings_file.write_text(settings.replace("[ai]", 'timeout = "2s"\n\n[ai]', 1))


async def carry_out_late(sandbox: Sandbox) -> None:
    """Let Paperless carry out the write that nobody waits for any more."""
    before = fields_of(sandbox)["title"]
    sandbox.paperless.faults.release()
    await until(lambda: fields_of(sandbox)["title"] != before)


async def process_at_its_only_attempt(
    services: Services, kind: str = ANALYZE, **payload: object
) -> Job:
    """Process document 1, and drain until nothing is due; return the job."""
    wanted = NewJob(home(1), kind, asked_by="anna", max_attempts=1, payload=payload)
    await services.store.jobs.enqueue(wanted, now=services.context.clock())
    *_, last = await drain(services)
    return last.job


async def write_unseen(services: Services, sandbox: Sandbox) -> FinishedJob:
    """Write the document and make reading it back fail."""
    return await run_while_blocked(
        sandbox.paperless.faults,
        WRITTEN,
        process(services),
        lambda: sandbox.paperless.faults.add(UNREADABLE),
    )


async def two_more_attempts(services: Services, clock: FakeClock) -> FinishedJob:
    """Make the attempts after 5 and 10 minutes and some jitter; return the job after the last."""
    for minutes in (6, 12):
        clock.advance(minutes=minutes)
        *_, finished = await drain(services)
    return finished


async def test_a_failed_job_finds_out_what_it_wrote_before_it_ends(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure('[fields]\ntitle = "replace"\n')

    async with installation.open() as services:
        await write_unseen(services, sandbox)
        waiting = await two_more_attempts(services, clock)
        assert (waiting.job.status, waiting.job.ends_as) == (JobStatus.PENDING, JobStatus.FAILED)
        sandbox.paperless.faults.clear()
        clock.advance(minutes=6)
        ended = await drain_one(services)
        states = await changes_of(services)

    assert (ended.job.status, ended.job.attempts) == (JobStatus.FAILED, 3)
    assert states[FieldName.TITLE] == [ChangeState.APPLIED]
    assert len(patches(sandbox)) == 1


async def test_what_nobody_could_read_back_is_unconfirmed_and_can_be_undone(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure('[fields]\ntitle = "replace"\n')
    before = fields_of(sandbox)["title"]

    async with installation.open() as services:
        await write_unseen(services, sandbox)
        await two_more_attempts(services, clock)
        ended = await two_more_attempts(services, clock)
        assert (ended.job.status, ended.job.reconciles) == (JobStatus.FAILED, 3)
        [title] = [
            change
            for change in await services.store.changes.list_history()
            if change.field is FieldName.TITLE
        ]
        assert title.state is ChangeState.UNCONFIRMED
        sandbox.paperless.faults.clear()
        await enqueue_document(services, 1, UNDO, changes=[title.id])
        await drain_one(services)
        undone = await services.store.changes.get(title.id)

    assert undone.state is ChangeState.UNDONE
    assert fields_of(sandbox)["title"] == before


async def test_the_next_analysis_settles_what_is_unconfirmed(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure('[fields]\ntitle = "replace"\n')

    async with installation.open() as services:
        await write_unseen(services, sandbox)
        await two_more_attempts(services, clock)
        await two_more_attempts(services, clock)
        sandbox.paperless.faults.clear()
        finished = await process(services)
        states = await changes_of(services)

    assert finished.job.status is JobStatus.COMPLETED
    assert states[FieldName.TITLE] == [ChangeState.APPLIED]
    assert fields_of(sandbox)["title"] == TITLE


async def test_an_undo_nobody_could_read_back_is_found_out_before_its_job_ends(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure('[fields]\ntitle = "replace"\n')

    async with installation.open() as services:
        await process(services)
        ids = [change.id for change in await services.store.changes.list_history()]
        await enqueue_document(services, 1, UNDO, changes=ids)
        await run_while_blocked(
            sandbox.paperless.faults,
            WRITTEN,
            drain_one(services),
            lambda: sandbox.paperless.faults.add(UNREADABLE),
        )
        waiting = await two_more_attempts(services, clock)
        assert waiting.job.ends_as is JobStatus.FAILED
        sandbox.paperless.faults.clear()
        clock.advance(minutes=6)
        ended = await drain_one(services)
        changes = await services.store.changes.list_for_document(home(1))

    assert ended.job.status is JobStatus.FAILED
    assert {change.state for change in changes if change.id in ids} == {ChangeState.UNDONE}
    assert {change.undone_by for change in changes if change.id in ids} == {"hand"}


async def test_a_write_carried_out_after_the_last_timeout_is_in_the_history(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    give_up_soon(installation)
    sandbox.paperless.faults.add(LATE)

    async with installation.open() as services:
        waiting = await process_at_its_only_attempt(services)
        assert (waiting.status, waiting.ends_as) == (JobStatus.PENDING, JobStatus.FAILED)
        await carry_out_late(sandbox)
        clock.advance(minutes=6)
        ended = await drain_one(services)
        states = await changes_of(services)

    assert (ended.job.status, ended.job.reconciles) == (JobStatus.FAILED, 1)
    assert states[FieldName.TITLE] == [ChangeState.APPLIED]
    assert len(patches(sandbox)) == 1


async def test_a_write_carried_out_after_a_cancel_is_in_the_history(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    give_up_soon(installation)
    sandbox.paperless.faults.add(LATE)

    async with installation.open() as services:
        first = await process(services)
        await services.store.jobs.cancel(first.job.id, by="anna", now=clock())
        await drain(services)
        await carry_out_late(sandbox)
        clock.advance(minutes=6)
        ended = await drain_one(services)
        states = await changes_of(services)

    assert ended.job.status is JobStatus.CANCELLED
    assert states[FieldName.TITLE] == [ChangeState.APPLIED]


async def test_a_retry_after_a_timeout_does_not_write_what_has_come_late(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    give_up_soon(installation, '[retry]\nstep = "1s"\n')
    sandbox.paperless.faults.add(LATE)

    async with installation.open() as services:
        await process(services)
        clock.advance(seconds=2)
        early = await drain_one(services)
        assert (early.job.status, early.job.attempts) == (JobStatus.PENDING, 1)
        await carry_out_late(sandbox)
        clock.advance(minutes=6)
        finished = await drain_one(services)
        states = await changes_of(services)

    assert finished.job.status is JobStatus.COMPLETED
    assert states[FieldName.TITLE] == [ChangeState.APPLIED]
    assert len(patches(sandbox)) == 1


async def test_an_undo_carried_out_after_the_last_timeout_is_in_the_history(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    give_up_soon(installation)

    async with installation.open() as services:
        await process(services)
        ids = [change.id for change in await services.store.changes.list_history()]
        sandbox.paperless.faults.add(LATE)
        await process_at_its_only_attempt(services, UNDO, changes=ids)
        await carry_out_late(sandbox)
        clock.advance(minutes=6)
        ended = await drain_one(services)
        changes = await services.store.changes.list_for_document(home(1))

    assert ended.job.status is JobStatus.FAILED
    assert {change.state for change in changes if change.id in ids} == {ChangeState.UNDONE}


async def test_a_write_that_never_came_is_known_as_unwritten_some_minutes_later(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    give_up_soon(installation)
    sandbox.paperless.faults.add(Fault(method="PATCH", effect=Hang()))

    async with installation.open() as services:
        await process_at_its_only_attempt(services)
        clock.advance(minutes=6)
        ended = await drain_one(services)
        begun = await services.store.changes.list_begun(home(1))

    assert (ended.job.status, ended.job.reconciles) == (JobStatus.FAILED, 1)
    assert begun == ()


@pytest.mark.parametrize("target", ["limit", "model"])
async def test_a_retry_settles_its_write_although_its_model_is_on_hold(
    installation: Installation, sandbox: Sandbox, clock: FakeClock, target: str
) -> None:
    installation.configure('[fields]\ntitle = "replace"\n')

    async with installation.open() as services:
        instance = services.instances[HOME]
        await write_unseen(services, sandbox)
        sandbox.paperless.faults.clear()
        held = limit_target(HOME) if target == "limit" else instance.model_target
        await services.store.holds.place(held, because("why"), next_probe_at=None, now=clock())
        clock.advance(minutes=6)
        settled = await drain_one(services)
        states = await changes_of(services)
        assert (settled.job.status, settled.job.attempts) == (JobStatus.PENDING, 1)
        assert states[FieldName.TITLE] == [ChangeState.APPLIED]
        await services.store.holds.lift(held, now=clock())
        finished = await drain_one(services)

    assert finished.job.status is JobStatus.COMPLETED
    assert len(patches(sandbox)) == 1
