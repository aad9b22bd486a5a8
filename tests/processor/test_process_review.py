"""With every field in review a person decides: nothing is written before, and then just that."""

import pytest

from actions.decisions import BadValue, Edits, accept, reject
from core.changes import ChangeState
from core.documents import DocumentRef
from core.fields import Field, FieldName
from core.jobs import ANALYZE, APPLY, Job, JobStatus
from daemon.services import Services
from sandbox import Sandbox
from sandbox.paperless import Kind
from tests.installation import (
    FIELDS_ON,
    Installation,
    changes_of,
    drain,
    drain_one,
    enqueue_document,
    fields_of,
    home,
    patches,
    process,
    scan,
    snapshot,
    writes,
)

ALL: Edits[Field] = Edits({})
MARKS = '[scan]\ndone_tag = "Software"\nremove_tags = ["Inbox"]\n'


async def accepted(services: Services, ref: DocumentRef, edits: Edits[Field] = ALL) -> Job:
    """Say yes to what waits, as `review accept` does."""
    names = await services.instances[ref.instance].catalogue.names()
    waiting = await services.store.changes.list_for_review(document=ref)
    decision = accept(waiting, edits, names)
    return await services.store.changes.decide(
        ref, decision, by="hand", max_attempts=3, now=services.context.clock()
    )


async def rejected(services: Services, ref: DocumentRef) -> Job:
    waiting = await services.store.changes.list_for_review(document=ref)
    return await services.store.changes.decide(
        ref, reject(waiting, None), by="hand", max_attempts=3, now=services.context.clock()
    )


async def test_nothing_is_written_while_a_person_has_not_decided(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(MARKS, all_fields="review")
    before = snapshot(sandbox)

    async with installation.open() as services:
        await scan(services)
        finished = await drain(services)
        states = await changes_of(services)

    assert [outcome.job.status for outcome in finished] == [JobStatus.COMPLETED] * 3
    assert {state for of_field in states.values() for state in of_field} == {ChangeState.PROPOSED}
    assert states.keys() == set(FIELDS_ON)
    assert writes(sandbox) == []
    assert snapshot(sandbox) == before


async def test_what_is_accepted_is_written_and_marked_as_done(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(MARKS, all_fields="review")

    async with installation.open() as services:
        await process(services)
        await accepted(services, home(1))
        await drain(services)

    assert fields_of(sandbox) == fields_of(sandbox) | {
        "title": "Stromrechnung August 2026",
        "correspondent": "Stadtwerke Musterstadt",
        "document_type": "Rechnung",
        "created": "2026-08-31",
        "tags": ["Software", "Strom", "Wohnen"],
    }


async def test_what_is_accepted_with_an_edit_is_written_exactly_so(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="review")
    edits: Edits[Field] = Edits(
        {
            FieldName.TITLE: "Strom im August",
            FieldName.CORRESPONDENT: "musterbank",
            FieldName.DATE: "1. September 2026",
            FieldName.TAGS: "Bank, Auto",
        },
        only=frozenset(),
    )

    async with installation.open() as services:
        await process(services)
        await accepted(services, home(1), edits)
        await drain(services)
        states = await changes_of(services)

    musterbank = sandbox.world.find(Kind.CORRESPONDENT, "Musterbank").id
    [sent] = patches(sandbox)
    assert isinstance(sent, dict)
    assert {key: value for key, value in sent.items() if key != "tags"} == {
        "title": "Strom im August",
        "correspondent": musterbank,
        "created": "2026-09-01",
    }
    assert fields_of(sandbox)["tags"] == ["Auto", "Bank", "Inbox"]
    assert states[FieldName.DOCUMENT_TYPE] == [ChangeState.PROPOSED]
    assert sorted(states[FieldName.TAGS]) == ["applied", "applied", "rejected"]


async def test_what_is_rejected_is_never_written_but_the_document_is_done(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(MARKS, all_fields="review")

    async with installation.open() as services:
        await process(services)
        await rejected(services, home(1))
        await drain(services)

    assert patches(sandbox) == [{"tags": [sandbox.world.find(Kind.TAG, "Software").id]}]
    assert fields_of(sandbox)["tags"] == ["Software"]


async def test_the_done_tag_waits_for_the_last_field(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(MARKS, all_fields="review")

    async with installation.open() as services:
        await process(services)
        await accepted(services, home(1), Edits({}, only=frozenset({FieldName.TITLE})))
        await drain(services)

    assert fields_of(sandbox)["title"] == "Stromrechnung August 2026"
    assert fields_of(sandbox)["tags"] == ["Inbox"]


async def test_a_value_that_changed_since_it_was_shown_returns_to_review(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(MARKS, all_fields="review")

    async with installation.open() as services:
        await process(services)
        sandbox.world.edit(1, title="Von Hand")
        await accepted(services, home(1))
        finished = await drain_one(services)
        [waiting] = await services.store.changes.list_for_review(document=home(1))

    assert finished.job.status is JobStatus.COMPLETED
    assert (waiting.field, waiting.state) == (FieldName.TITLE, ChangeState.CONFLICT)
    assert waiting.found == "Von Hand"
    assert fields_of(sandbox)["title"] == "Von Hand"
    # Something still waits, so the document is not marked.
    assert fields_of(sandbox)["tags"] == ["Inbox", "Strom", "Wohnen"]


async def test_a_conflict_that_was_seen_and_accepted_is_written(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="review")

    async with installation.open() as services:
        await process(services)
        sandbox.world.edit(1, title="Von Hand")
        await accepted(services, home(1))
        await drain(services)
        await accepted(services, home(1))
        await drain(services)
        waiting = await services.store.changes.list_for_review(document=home(1))

    assert waiting == ()
    assert fields_of(sandbox)["title"] == "Stromrechnung August 2026"


async def test_a_second_analysis_takes_the_place_of_what_still_waited(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="review")

    async with installation.open() as services:
        first = await process(services)
        second = await process(services)
        waiting = await services.store.changes.list_for_review(document=home(1))
        superseded = await services.store.changes.list_for_job(first.job.id)

    assert {change.job_id for change in waiting} == {second.job.id}
    assert {change.state for change in superseded} == {ChangeState.REJECTED}


async def test_an_accepted_review_is_written_although_an_analysis_comes_first(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="review")

    async with installation.open() as services:
        await process(services)
        await enqueue_document(services, 1)
        await accepted(services, home(1), Edits({FieldName.TITLE: "Mein Titel"}, frozenset()))
        finished = await drain(services)

    assert [outcome.job.kind for outcome in finished] == [ANALYZE, APPLY]
    assert patches(sandbox) == [{"title": "Mein Titel"}]


async def test_a_document_without_text_goes_to_review_and_the_model_is_not_asked(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="replace")
    sandbox.world.edit(1, content=" \n\t")

    async with installation.open() as services:
        await process(services)
        [waiting] = await services.store.changes.list_for_review(document=home(1))

    assert waiting.reasons == ("no_text",)
    assert sandbox.model.state.chats() == []
    assert writes(sandbox) == []


async def test_rubbish_goes_to_review_and_the_model_is_not_asked(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="replace")
    sandbox.world.edit(1, content="~~~ ||| ~~~ ...")

    async with installation.open() as services:
        await process(services)
        [waiting] = await services.store.changes.list_for_review(document=home(1))

    assert waiting.reasons == ("unreadable",)
    assert sandbox.model.state.chats() == []
    assert writes(sandbox) == []


async def test_what_was_found_in_a_text_that_is_hard_to_read_goes_to_review(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="replace")
    sandbox.world.edit(1, content="Stadtwerke Musterstadt Rechnung " + "~|_|~@|~^" * 5)

    async with installation.open() as services:
        await process(services)
        waiting = await services.store.changes.list_for_review(document=home(1))

    assert waiting
    assert all("text_hard_to_read" in change.reasons for change in waiting)
    assert writes(sandbox) == []


async def test_a_document_about_which_nothing_is_found_goes_to_review(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="replace")
    sandbox.world.edit(1, content="Zettelwirtschaft ~ ~ ~ ~")

    async with installation.open() as services:
        await process(services)
        [waiting] = await services.store.changes.list_for_review(document=home(1))

    assert waiting.reasons == ("nothing_found",)
    assert writes(sandbox) == []


async def test_a_value_that_cannot_be_written_is_refused_before_anything_is_decided(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="review")

    async with installation.open() as services:
        await process(services)
        with pytest.raises(BadValue, match="not a date"):
            await accepted(services, home(1), Edits({FieldName.DATE: "gestern"}))
        waiting = await services.store.changes.list_for_review(document=home(1))

    assert {change.state for change in waiting} == {ChangeState.PROPOSED}
