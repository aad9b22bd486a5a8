"""Undo: everything goes back to what it was, except what a person changed since."""

from collections.abc import Iterable

import pytest

from actions import review
from actions.decisions import Edits
from core.changes import Change, ChangeState
from core.fields import FieldName
from core.jobs import UNDO, JobStatus
from daemon.services import Services
from processor.processor import FinishedJob
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.paperless import Kind
from tests.installation import (
    Installation,
    drain,
    drain_one,
    enqueue_document,
    fields_of,
    home,
    patches,
    process,
    scan,
    snapshot,
)
from tests.processor.test_process_review import accepted
from tests.store.builders import FakeClock

MARKS = '[scan]\ndone_tag = "Software"\nremove_tags = ["Inbox"]\n'


@pytest.fixture(autouse=True)
def everything_is_replaced(installation: Installation) -> None:
    installation.configure(MARKS, all_fields="replace")


async def undone(services: Services, changes: Iterable[Change]) -> list[FinishedJob]:
    """Take changes back, with a job for each document, as `undo` does."""
    by_document: dict[int, list[int]] = {}
    for change in changes:
        by_document.setdefault(change.document.id, []).append(change.id)
    for id_, ids in by_document.items():
        await enqueue_document(services, id_, UNDO, changes=ids)
    return await drain(services)


async def test_undo_of_a_scan_puts_every_field_of_every_document_back(
    installation: Installation, sandbox: Sandbox
) -> None:
    before = snapshot(sandbox)

    async with installation.open() as services:
        report = await scan(services)
        await drain(services)
        written = snapshot(sandbox)
        await undone(services, await services.store.changes.list_for_scan(report.id))
        after = await services.store.changes.list_for_scan(report.id)

    assert all(written[id_] != before[id_] for id_ in before)
    assert snapshot(sandbox) == before
    assert {change.state for change in after} == {ChangeState.UNDONE}


async def test_what_a_person_changed_since_is_kept(
    installation: Installation, sandbox: Sandbox
) -> None:
    before = fields_of(sandbox)

    async with installation.open() as services:
        await process(services)
        sandbox.world.edit(1, title="Von Hand", correspondent="Musterbank")
        [finished] = await undone(services, await services.store.changes.list_for_document(home(1)))

    kept = {"title": "Von Hand", "correspondent": "Musterbank"}
    assert fields_of(sandbox) == before | kept
    assert finished.report is not None
    assert {change.field for change in finished.report.kept} == {
        FieldName.TITLE,
        FieldName.CORRESPONDENT,
    }
    assert {change.state for change in finished.report.kept} == {ChangeState.APPLIED}


async def test_a_single_change_is_undone_alone(
    installation: Installation, sandbox: Sandbox
) -> None:
    async with installation.open() as services:
        await process(services)
        written = fields_of(sandbox)
        changes = await services.store.changes.list_for_document(home(1))
        await undone(services, [change for change in changes if change.field is FieldName.TITLE])

    assert fields_of(sandbox) == written | {"title": "scan_0031"}


async def test_what_was_accepted_in_review_is_undone_with_the_analysis_it_came_from(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(MARKS, all_fields="review")
    before = snapshot(sandbox)

    async with installation.open() as services:
        analysis = await process(services)
        await accepted(services, home(1))
        await drain(services)
        await undone(services, await services.store.changes.list_for_job(analysis.job.id))

    assert snapshot(sandbox) == before


async def test_a_tag_that_was_there_before_stays_when_a_list_of_tags_is_undone(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="review")
    sandbox.world.edit(1, tags=["Inbox", "Bank"])

    async with installation.open() as services:
        await process(services)
        await review.accept(services.caller, [home(1)], Edits({"tags": "Bank, Auto"}))
        await drain(services)
        written = fields_of(sandbox)["tags"]
        await undone(services, await services.store.changes.list_for_document(home(1)))

    assert written == ["Auto", "Bank", "Inbox"]
    assert fields_of(sandbox)["tags"] == ["Bank", "Inbox"]


async def test_a_second_undo_finds_nothing_to_do(
    installation: Installation, sandbox: Sandbox
) -> None:
    async with installation.open() as services:
        await process(services)
        changes = await services.store.changes.list_for_document(home(1))
        await undone(services, changes)
        before = snapshot(sandbox)
        sent = len(patches(sandbox))
        [again] = await undone(services, changes)

    assert again.job.status is JobStatus.COMPLETED
    assert again.report is not None
    assert again.report.changes == ()
    assert snapshot(sandbox) == before
    assert len(patches(sandbox)) == sent


async def test_a_document_processed_twice_goes_back_to_what_it_was_at_first(
    installation: Installation, sandbox: Sandbox
) -> None:
    before = snapshot(sandbox)

    async with installation.open() as services:
        await process(services)
        sandbox.world.edit(1, content=OTHER_TEXT)
        await process(services)
        twice = fields_of(sandbox)
        await undone(services, await services.store.changes.list_for_document(home(1)))

    assert (twice["title"], twice["created"]) == ("Wasserrechnung Mai 2026", "2026-05-31")
    sandbox.world.edit(1, content=before[1]["content"])
    assert snapshot(sandbox) == before


async def test_of_two_analyses_the_second_alone_can_be_undone(
    installation: Installation, sandbox: Sandbox
) -> None:
    async with installation.open() as services:
        await process(services)
        once = fields_of(sandbox)
        sandbox.world.edit(1, content=OTHER_TEXT)
        second = await process(services)
        await undone(services, await services.store.changes.list_for_job(second.job.id))

    assert fields_of(sandbox) == once | {"content": OTHER_TEXT}


async def test_of_two_analyses_the_first_alone_cannot_be_undone_where_the_second_wrote(
    installation: Installation, sandbox: Sandbox
) -> None:
    async with installation.open() as services:
        first = await process(services)
        sandbox.world.edit(1, content=OTHER_TEXT)
        await process(services)
        twice = fields_of(sandbox)
        await undone(services, await services.store.changes.list_for_job(first.job.id))

    assert fields_of(sandbox)["title"] == twice["title"]
    assert fields_of(sandbox)["correspondent"] is None


async def test_a_parent_tag_stays_while_another_of_its_children_is_there(
    installation: Installation, sandbox: Sandbox
) -> None:
    wohnen = sandbox.world.find(Kind.TAG, "Wohnen").id
    sandbox.world.add_name(Kind.TAG, "Gas", parent=wohnen)

    async with installation.open() as services:
        await process(services)
        sandbox.world.edit(1, tags=["Wohnen", "Strom", "Gas", "Software"])
        await undone(services, await services.store.changes.list_for_document(home(1)))

    assert fields_of(sandbox)["tags"] == ["Gas", "Inbox", "Wohnen"]


async def test_a_tag_that_a_person_took_off_meanwhile_counts_as_undone(
    installation: Installation, sandbox: Sandbox
) -> None:
    async with installation.open() as services:
        await process(services)
        sandbox.world.edit(1, tags=[])
        await undone(services, await services.store.changes.list_for_document(home(1)))
        after = await services.store.changes.list_for_document(home(1))

    assert fields_of(sandbox)["tags"] == ["Inbox"]
    assert {change.state for change in after} == {ChangeState.UNDONE}


async def test_an_undone_document_is_not_selected_again_although_its_trigger_tag_is_back(
    installation: Installation, sandbox: Sandbox
) -> None:
    async with installation.open() as services:
        await process(services)
        await undone(services, await services.store.changes.list_for_document(home(1)))
        report = await scan(services)

    assert fields_of(sandbox)["tags"] == ["Inbox"]
    assert (report.enqueued, report.skipped) == (2, {"done": 1})


@pytest.mark.parametrize("moment", ["instead", "after"])
async def test_an_undo_whose_answer_was_lost_is_read_back_and_goes_on(
    installation: Installation, sandbox: Sandbox, clock: FakeClock, moment: str
) -> None:
    before = snapshot(sandbox)

    async with installation.open() as services:
        await process(services)
        lost = Fault.model_validate(
            {"method": "PATCH", "moment": moment, "effect": Answer(status=500)}
        )
        sandbox.paperless.faults.add(lost)
        [finished] = await undone(services, await services.store.changes.list_for_document(home(1)))
        if moment == "instead":
            assert finished.job.status is JobStatus.PENDING
            clock.advance(minutes=6)
            finished = await drain_one(services)

    assert finished.job.status is JobStatus.COMPLETED
    assert snapshot(sandbox) == before
    assert len(patches(sandbox)) == (3 if moment == "instead" else 2)


async def test_an_undo_of_a_document_that_is_gone_is_cancelled(
    installation: Installation, sandbox: Sandbox
) -> None:
    async with installation.open() as services:
        await process(services)
        sandbox.world.delete(1)
        [finished] = await undone(services, await services.store.changes.list_for_document(home(1)))

    assert finished.job.status is JobStatus.CANCELLED


OTHER_TEXT = """Stadtwerke Musterstadt GmbH

Rechnungsdatum: 31.05.2026

Wasserrechnung Mai 2026

Sehr geehrte Frau Mustermann,
"""
