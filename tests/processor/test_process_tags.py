"""The done tag and the trigger tags: set when nothing waits any more, and only where they exist."""

import pytest

from core.changes import ChangeState
from core.fields import FieldName
from core.jobs import JobStatus
from sandbox import Sandbox
from sandbox.paperless import Kind
from tests.installation import Installation, changes_of, fields_of, process, writes

MARKS = '[scan]\ndone_tag = "Software"\nremove_tags = ["Inbox"]\n'


async def test_a_finished_document_gets_the_done_tag_and_loses_the_trigger_tag(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(MARKS, all_fields="replace")

    async with installation.open() as services:
        finished = await process(services)

    assert finished.job.status is JobStatus.COMPLETED
    assert fields_of(sandbox)["tags"] == ["Software", "Strom", "Wohnen"]


async def test_a_document_with_nothing_to_change_is_marked_all_the_same(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(MARKS, all_fields="replace")
    async with installation.open() as services:
        await process(services)
        sandbox.world.edit(1, tags=["Inbox", "Strom", "Wohnen"])

        await process(services)

    assert fields_of(sandbox)["tags"] == ["Software", "Strom", "Wohnen"]


async def test_what_lies_beneath_a_removed_tag_goes_with_it_and_is_noted(
    installation: Installation, sandbox: Sandbox
) -> None:
    inbox = sandbox.world.find(Kind.TAG, "Inbox").id
    sandbox.world.add_name(Kind.TAG, "Eilig", parent=inbox)
    sandbox.world.edit(1, tags=["Inbox", "Eilig"])
    installation.configure(MARKS, all_fields="replace")

    async with installation.open() as services:
        await process(services)
        states = await changes_of(services)

    assert fields_of(sandbox)["tags"] == ["Software", "Strom", "Wohnen"]
    # Strom, Wohnen along with it, Software; Inbox, Eilig along with it.
    assert states[FieldName.TAGS] == [ChangeState.APPLIED] * 5


@pytest.mark.parametrize("rule", ['done_tag = "Fertig"', 'remove_tags = ["Fertig"]'])
async def test_a_mark_that_does_not_exist_is_reported_before_anything_is_paid_or_written(
    installation: Installation, sandbox: Sandbox, rule: str
) -> None:
    installation.configure(f"[scan]\n{rule}\n", all_fields="replace")

    async with installation.open() as services:
        finished = await process(services)

    assert finished.job.problem is not None
    assert finished.job.problem.code == "tag_missing"
    assert sandbox.model.state.chats() == []
    assert writes(sandbox) == []
