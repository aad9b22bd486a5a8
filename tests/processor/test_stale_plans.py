"""A stored plan is carried out only while what it was made from is unchanged."""

from actions.decisions import Edits
from core.changes import ChangeState
from core.fields import Field, FieldName
from core.jobs import JobStatus
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from tests.installation import Installation, by_field, drain_one, fields_of, home, patches, process
from tests.processor.test_process_review import accepted
from tests.store.builders import FakeClock

NOT_WRITTEN = Fault(method="PATCH", effect=Answer(status=500))
AUTOMATIC = '[fields]\ntitle = "replace"\ncorrespondent = "replace"\n'


async def test_a_text_that_changed_before_the_retry_gets_a_plan_of_its_own(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure(AUTOMATIC)
    sandbox.paperless.faults.add(NOT_WRITTEN)

    async with installation.open() as services:
        first = await process(services)
        assert first.job.status is JobStatus.PENDING
        sandbox.world.edit(1, content=fields_of(sandbox, 2)["content"])
        clock.advance(minutes=5)
        second = await drain_one(services)
        changes = await services.store.changes.list_for_job(second.job.id)

    titles = [change for change in changes if change.field is FieldName.TITLE]
    assert [change.state for change in titles] == [ChangeState.REJECTED, ChangeState.APPLIED]
    assert fields_of(sandbox)["title"] == titles[1].after != titles[0].after
    assert len(sandbox.model.state.chats()) == 2


async def test_fields_set_to_review_before_the_retry_are_not_written(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure(AUTOMATIC)
    before = fields_of(sandbox)
    sandbox.paperless.faults.add(NOT_WRITTEN)

    async with installation.open() as services:
        await process(services)
    installation.configure(all_fields="review")
    clock.advance(minutes=5)
    async with installation.open() as services:
        finished = await drain_one(services)
        waiting = await services.store.changes.list_for_review(document=home(1))

    assert finished.job.status is JobStatus.COMPLETED
    assert fields_of(sandbox) == before
    assert FieldName.TITLE in {change.field for change in waiting}


async def test_another_plan_for_the_same_text_is_not_paid_for_again(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure(AUTOMATIC)
    sandbox.paperless.faults.add(NOT_WRITTEN)

    async with installation.open() as services:
        await process(services)
    installation.configure('[fields]\ntitle = "review"\ncorrespondent = "review"\n')
    clock.advance(minutes=5)
    async with installation.open() as services:
        await drain_one(services)

    assert len(sandbox.model.state.chats()) == 1


async def test_a_plan_made_from_the_same_is_carried_out_as_it_was_stored(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure(AUTOMATIC)
    sandbox.paperless.faults.add(NOT_WRITTEN)

    async with installation.open() as services:
        await process(services)
        clock.advance(minutes=5)
        finished = await drain_one(services)
        changes = await services.store.changes.list_for_job(finished.job.id)

    states = by_field(changes)
    assert states[FieldName.TITLE] == [ChangeState.APPLIED]
    assert states[FieldName.CORRESPONDENT] == [ChangeState.APPLIED]
    assert len(patches(sandbox)) == 2


async def test_what_a_person_accepted_meanwhile_is_not_proposed_again(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure('[fields]\ntitle = "review"\ncorrespondent = "replace"\n')
    sandbox.paperless.faults.add(NOT_WRITTEN)
    mine: Edits[Field] = Edits({FieldName.TITLE: "Mine"}, frozenset())

    async with installation.open() as services:
        await process(services)
        await accepted(services, home(1), mine)
        await drain_one(services)
    installation.configure('[fields]\ntitle = "replace"\ncorrespondent = "review"\n')
    clock.advance(minutes=5)
    async with installation.open() as services:
        await drain_one(services)
        waiting = await services.store.changes.list_for_review(document=home(1))

    assert fields_of(sandbox)["title"] == "Mine"
    assert FieldName.TITLE not in {change.field for change in waiting}
