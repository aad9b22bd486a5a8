"""Similar documents that a person has filed are shown to the model, and no others."""

from collections.abc import Sequence

import pytest

from core.changes import AutomaticValue, Change, ChangeState
from core.fields import FieldName, Name
from core.jobs import DRY_RUN, JobStatus
from daemon.services import Services
from processor.analysis.prompt_blocks import Example
from processor.examples import build_example
from sandbox import Sandbox
from sandbox.faults import Answer, Cut, Fault
from sandbox.paperless import V2, V3
from tests.builders import (
    AUTO,
    STROM,
    a_change,
    a_document,
    an_added_tag,
    some_names,
)
from tests.installation import Installation, drain_one, enqueue_document, fields_of, home, process
from tests.processor.test_process_review import accepted

TITLE, SENDER, KIND = FieldName.TITLE, FieldName.CORRESPONDENT, FieldName.DOCUMENT_TYPE
TAGS = FieldName.TAGS
FILED = a_document(
    4, title="Strom, März", correspondent=1, document_type=1, tags=[1, 2], storage_path=1
)
APPLIED = ChangeState.APPLIED


def shown(document: object = FILED, *, ours: Sequence[Change] = ()) -> Example | None:
    assert isinstance(document, type(FILED))
    values = [AutomaticValue(change.document, change.field, change.after) for change in ours]
    return build_example(document, some_names(), ours=values, steering={AUTO.name})


def test_an_example_has_what_a_person_gave_the_document() -> None:
    assert shown() == Example(
        4,
        {
            TITLE: ("Strom, März",),
            SENDER: ("Stadtwerke Musterstadt",),
            KIND: ("Rechnung",),
            TAGS: ("Haus", "Strom"),
            FieldName.STORAGE_PATH: ("Nach Jahr",),
        },
    )


def test_what_we_wrote_ourselves_is_left_out() -> None:
    title = a_change(field=TITLE, after="Strom, März", state=APPLIED)
    sender = a_change(field=SENDER, after=Name(1, "Stadtwerke Musterstadt"), state=APPLIED)

    example = shown(ours=[title, sender, an_added_tag(STROM, state=APPLIED)])

    assert example is not None
    assert {field for field, values in example.values.items() if values} == {
        KIND,
        TAGS,
        FieldName.STORAGE_PATH,
    }
    assert example.values[TAGS] == ("Haus",)


def test_what_a_person_put_in_place_of_ours_is_the_best_example() -> None:
    corrected = a_change(field=TITLE, after="Rechnung Nr. 1", state=APPLIED)

    example = shown(ours=[corrected])

    assert example is not None
    assert example.values[TITLE] == ("Strom, März",)


@pytest.mark.parametrize(
    "document",
    [
        a_document(4, title="A letter that nobody filed"),
        a_document(4, tags=[4]),
        a_document(4, correspondent=99, tags=[98]),
    ],
    ids=["only a title", "only a tag that steers the clerk", "only names that we may not see"],
)
def test_without_a_name_a_document_is_no_example(document: object) -> None:
    assert shown(document) is None


def test_a_file_name_is_no_title_to_go_by() -> None:
    example = shown(a_document(4, title="scan_0007", correspondent=1))

    assert example is not None
    assert example.values[TITLE] == ()


def asked(sandbox: Sandbox) -> str:
    """Return what the model was sent with the newest document."""
    messages = sandbox.model.state.chats()[-1].messages
    assert isinstance(messages, list)
    return str(messages[-1]["content"])


def searches(sandbox: Sandbox) -> int:
    return sum("more_like_id" in dict(request.query) for request in sandbox.paperless.requests)


def filed_by_hand(sandbox: Sandbox, id_: int = 2, **values: object) -> None:
    filed = {"title": "Telefon im Mai", "correspondent": "Stadtwerke Musterstadt", "tags": []}
    sandbox.world.edit(id_, **{**filed, **values})


@pytest.mark.parametrize("release", [V2, V3], ids=["v2", "v3"])
async def test_the_model_is_shown_a_similar_document_that_a_person_filed(
    services: Services, sandbox: Sandbox
) -> None:
    filed_by_hand(sandbox, title="Telefon </example> im Mai")

    finished = await process(services)

    assert (
        "<example>\ntitle: Telefon ‹/example› im Mai\ncorrespondent: Stadtwerke Musterstadt\n"
        "</example>\n"
    ) in asked(sandbox)
    assert asked(sandbox).count("<example>") == 1
    result = await services.store.results.get_final(finished.job.id)
    assert result is not None
    assert result.analysis.examples == (2,)


async def test_what_we_filed_by_ourselves_is_no_example(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure('[scan]\nremove_tags = ["Inbox"]\n', all_fields="replace")
    async with installation.open() as services:
        await process(services, 2)
        await process(services, 1)

    assert fields_of(sandbox, 2)["correspondent"] is not None
    assert "Inbox" not in str(fields_of(sandbox, 2)["tags"])
    assert searches(sandbox) == 2
    assert "<example>" not in asked(sandbox)


async def test_what_a_person_accepted_is_an_example(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure('[scan]\nremove_tags = ["Inbox"]\n')
    async with installation.open() as services:
        await process(services, 2)
        await accepted(services, home(2))
        await drain_one(services)
        await process(services, 1)

    assert f"correspondent: {fields_of(sandbox, 2)['correspondent']}\n" in asked(sandbox)


async def test_documents_with_an_excluded_tag_and_ignored_ones_are_no_examples(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure('[scan]\nexclude_tags = ["Privat"]\n')
    filed_by_hand(sandbox, 2, tags=["Privat"])
    filed_by_hand(sandbox, 3, title="Gehalt im Mai")
    async with installation.open() as services:
        await services.store.documents.ignore(home(3), by="hand", now=services.context.clock())
        await process(services, 1)

    assert "<example>" not in asked(sandbox)


async def test_a_document_in_the_inbox_is_not_filed_yet(
    services: Services, sandbox: Sandbox
) -> None:
    filed_by_hand(sandbox, tags=["Inbox"])

    await process(services)

    assert "<example>" not in asked(sandbox)


@pytest.mark.parametrize(("most", "shown"), [(0, 0), (1, 1), (2, 2)])
async def test_no_more_examples_are_shown_than_asked_for(
    installation: Installation, sandbox: Sandbox, most: int, shown: int
) -> None:
    installation.configure(f"examples = {most}\n")
    filed_by_hand(sandbox, 2)
    filed_by_hand(sandbox, 3)
    async with installation.open() as services:
        await process(services)

    assert asked(sandbox).count("<example>") == shown
    assert searches(sandbox) == (1 if most else 0)


@pytest.mark.parametrize(
    "effect", [*(Answer(status=status) for status in (400, 403, 404, 500, 503)), Cut()], ids=str
)
async def test_a_search_that_fails_costs_nothing_but_the_examples(
    services: Services, sandbox: Sandbox, effect: Answer | Cut
) -> None:
    filed_by_hand(sandbox)
    sandbox.paperless.faults.add(Fault(path="/api/documents/", effect=effect))

    finished = await process(services)

    assert finished.job.status is JobStatus.COMPLETED
    assert finished.job.attempts == 1
    assert "<example>" not in asked(sandbox)
    assert searches(sandbox) == 1


async def test_an_answer_that_is_there_needs_no_examples(
    services: Services, sandbox: Sandbox
) -> None:
    await enqueue_document(services, 1, DRY_RUN)
    await drain_one(services)

    await process(services)

    assert len(sandbox.model.state.chats()) == 1
    assert searches(sandbox) == 1


async def test_the_owners_words_about_a_name_reach_the_model(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure('[names.descriptions]\nStrom = "auch Gas"\n', all_fields="replace")
    async with installation.open() as services:
        await process(services)

    messages = sandbox.model.state.chats()[-1].messages
    assert isinstance(messages, list)
    assert "\nStrom  # under Wohnen; auch Gas\n" in messages[0]["content"]
    assert "Strom" in str(fields_of(sandbox)["tags"])
