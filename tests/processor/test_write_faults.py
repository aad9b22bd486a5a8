"""A write that fails half-way: what took effect is recognised, what did not is tried again."""

import pytest

from core.changes import ChangeState
from core.fields import FieldName
from core.jobs import JobStatus
from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Cut, Delay, Fault, html_page
from sandbox.paperless import Kind
from tests.installation import (
    Installation,
    blocked,
    changes_of,
    drain_one,
    fields_of,
    home,
    patches,
    process,
    run_while_blocked,
)
from tests.new_senders import delete_correspondent
from tests.store.builders import FakeClock

READ_BACK = blocked("/api/documents/1/", method="GET", nth=3)
"""Before the write the document is read for the analysis, and just before it once more."""
FILED = {
    "title": "Stromrechnung August 2026",
    "correspondent": "Stadtwerke Musterstadt",
    "document_type": "Rechnung",
    "created": "2026-08-31",
    "tags": ["Inbox", "Strom", "Wohnen"],
}


def patched_fields(sandbox: Sandbox) -> list[set[str]]:
    return [set(sent) for sent in patches(sandbox) if isinstance(sent, dict)]


def filed(sandbox: Sandbox) -> dict[str, object]:
    return {key: value for key, value in fields_of(sandbox).items() if key in FILED}


@pytest.mark.parametrize(
    "effect", [Answer(status=500), Answer(status=502), html_page(504), Cut()], ids=str
)
async def test_a_patch_that_took_effect_all_the_same_is_not_sent_twice(
    services: Services, sandbox: Sandbox, effect: Answer | Cut
) -> None:
    fault = Fault(method="PATCH", moment="after", effect=effect)
    sandbox.paperless.faults.add(fault)

    finished = await process(services)

    assert finished.job.status is JobStatus.COMPLETED
    assert (await changes_of(services))[FieldName.TAGS] == [ChangeState.APPLIED] * 2
    assert len(patches(sandbox)) == 1
    assert filed(sandbox) == FILED


async def test_a_patch_that_did_not_take_effect_is_tried_again(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.paperless.faults.add(Fault(method="PATCH", effect=Answer(status=500)))

    first = await process(services)

    assert (first.job.status, first.job.attempts) == (JobStatus.PENDING, 1)
    assert filed(sandbox) == filed(sandbox) | {"title": "scan_0031", "tags": ["Inbox"]}
    clock.advance(minutes=6)
    second = await drain_one(services)
    assert second.job.status is JobStatus.COMPLETED
    assert len(patches(sandbox)) == 2
    assert filed(sandbox) == FILED


@pytest.mark.parametrize(
    ("answer", "is_final"),
    [(Answer(status=500), True), (Answer(status=502), False), (html_page(504), False)],
    ids=["Paperless failed", "a proxy lost it", "a proxy gave up"],
)
async def test_only_paperless_itself_can_say_that_a_write_will_not_be_carried_out(
    services: Services, sandbox: Sandbox, answer: Answer, *, is_final: bool
) -> None:
    sandbox.paperless.faults.add(Fault(method="PATCH", effect=answer))

    await process(services)

    assert (await services.store.changes.list_begun(home(1)) == ()) is is_final


async def test_of_a_patch_that_took_effect_in_part_only_the_rest_is_sent_again(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.paperless.faults.add(Fault(method="PATCH", effect=Answer(status=500)))

    first = await run_while_blocked(
        sandbox.paperless.faults,
        READ_BACK,
        process(services),
        lambda: sandbox.world.edit(1, title="Stromrechnung August 2026"),
    )

    assert first.job.status is JobStatus.PENDING
    states = await changes_of(services)
    assert states[FieldName.TITLE] == [ChangeState.APPLIED]
    assert states[FieldName.CORRESPONDENT] == [ChangeState.INTENDED]
    clock.advance(minutes=6)
    second = await drain_one(services)
    assert second.job.status is JobStatus.COMPLETED
    assert patched_fields(sandbox)[1] == {"correspondent", "document_type", "created", "tags"}
    assert filed(sandbox) == FILED


async def test_a_value_that_paperless_changes_back_is_reported_and_not_fought(
    services: Services, sandbox: Sandbox
) -> None:
    written = Fault(method="PATCH", moment="after", effect=Delay(seconds=30))

    finished = await run_while_blocked(
        sandbox.paperless.faults,
        written,
        process(services),
        lambda: sandbox.world.edit(1, title="By a workflow"),
    )

    assert finished.job.status is JobStatus.COMPLETED
    [title] = [
        change
        for change in await services.store.changes.list_for_document(home(1))
        if change.field is FieldName.TITLE
    ]
    assert (title.state, title.found) == (ChangeState.OVERRIDDEN, "By a workflow")
    assert len(patches(sandbox)) == 1
    assert fields_of(sandbox)["title"] == "By a workflow"


async def test_a_paperless_that_goes_down_before_the_read_back_costs_no_attempt(
    services: Services, sandbox: Sandbox
) -> None:
    down = Fault(path="/api/.*", method="GET", nth=7, times=None, effect=Answer(status=503))
    sandbox.paperless.faults.add(down)

    finished = await process(services)

    assert (finished.job.status, finished.job.attempts) == (JobStatus.PENDING, 0)
    sandbox.paperless.faults.clear()
    paperless = services.instances["home"].paperless_target
    await services.store.holds.lift(paperless, now=services.context.clock())
    assert (await drain_one(services)).job.status is JobStatus.COMPLETED
    assert filed(sandbox) == FILED
    assert len(patches(sandbox)) == 1


async def test_a_document_that_vanishes_before_the_write_is_forgotten(
    services: Services, sandbox: Sandbox
) -> None:
    finished = await run_while_blocked(
        sandbox.model.state.faults,
        blocked("/v1/chat/completions"),
        process(services),
        lambda: sandbox.world.delete(1),
    )

    assert finished.job.status is JobStatus.CANCELLED
    assert patches(sandbox) == []


async def test_a_new_name_is_made_once_although_its_answer_was_lost(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure('[names]\ncorrespondents = "create"\n', all_fields="replace")
    delete_correspondent(sandbox.world, "Stadtwerke Musterstadt")
    lost = Fault(path="/api/correspondents/", method="POST", moment="after", effect=Cut())
    sandbox.paperless.faults.add(lost)

    async with installation.open() as services:
        first = await process(services)
        clock.advance(minutes=6)
        second = await drain_one(services)

    assert (first.job.status, second.job.status) == (JobStatus.PENDING, JobStatus.COMPLETED)
    names = [name.name for name in sandbox.world.names[Kind.CORRESPONDENT].values()]
    assert names.count("Stadtwerke Musterstadt GmbH") == 1
    assert fields_of(sandbox)["correspondent"] == "Stadtwerke Musterstadt GmbH"


async def test_a_new_name_belongs_to_nobody_and_matches_nothing_by_itself(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure('[names]\ncorrespondents = "create"\n', all_fields="replace")
    delete_correspondent(sandbox.world, "Stadtwerke Musterstadt")

    async with installation.open() as services:
        await process(services)

    made = sandbox.world.find(Kind.CORRESPONDENT, "Stadtwerke Musterstadt GmbH")
    assert (made.owner, made.matching_algorithm) == (None, 0)
