"""What a person sets while the clerk is at work stays, and is shown as a conflict."""

import pytest

from core.changes import Change, ChangeState
from core.fields import FieldName, Name
from daemon.services import Services
from sandbox import Sandbox
from sandbox.paperless import Kind
from tests.installation import (
    MODEL_BLOCKED,
    blocked,
    changes_of,
    fields_of,
    home,
    patches,
    process,
    run_while_blocked,
)

FETCHED = blocked("/api/documents/1/", method="GET", nth=2)
"""The document is read; the plan is made; now the document is read again."""


async def change_of(services: Services, field: FieldName) -> Change:
    [found] = [
        c for c in await services.store.changes.list_for_document(home(1)) if c.field is field
    ]
    return found


@pytest.mark.parametrize(
    ("field", "by_person", "found"),
    [
        (FieldName.TITLE, "Meine Stromrechnung", "Meine Stromrechnung"),
        (FieldName.CORRESPONDENT, "Musterbank", Name(13, "Musterbank")),
        (FieldName.DOCUMENT_TYPE, "Brief", Name(5, "Brief")),
    ],
)
@pytest.mark.parametrize("moment", ["while the model thinks", "between plan and write"])
async def test_a_value_set_meanwhile_stays_and_is_shown_as_a_conflict(
    services: Services,
    sandbox: Sandbox,
    moment: str,
    field: FieldName,
    by_person: str,
    found: str | Name,
) -> None:
    thinking = moment == "while the model thinks"
    faults = sandbox.model.state.faults if thinking else sandbox.paperless.faults

    await run_while_blocked(
        faults,
        MODEL_BLOCKED if thinking else FETCHED,
        process(services),
        lambda: sandbox.world.edit(1, **{field: by_person}),
    )

    change = await change_of(services, field)
    assert (change.state, change.found) == (ChangeState.CONFLICT, found)
    assert fields_of(sandbox)[field] == by_person
    assert all(field not in sent for sent in patches(sandbox) if isinstance(sent, dict))


async def test_a_date_set_meanwhile_stays(services: Services, sandbox: Sandbox) -> None:
    await run_while_blocked(
        sandbox.model.state.faults,
        MODEL_BLOCKED,
        process(services),
        lambda: sandbox.world.edit(1, created="2020-02-29"),
    )

    assert (await change_of(services, FieldName.DATE)).state is ChangeState.CONFLICT
    assert fields_of(sandbox)["created"] == "2020-02-29"


async def test_the_other_fields_are_written_all_the_same(
    services: Services, sandbox: Sandbox
) -> None:
    await run_while_blocked(
        sandbox.model.state.faults,
        MODEL_BLOCKED,
        process(services),
        lambda: sandbox.world.edit(1, title="Meine Stromrechnung"),
    )

    [sent] = patches(sandbox)
    assert isinstance(sent, dict)
    assert sent.keys() == {"correspondent", "document_type", "created", "tags"}


async def test_what_a_person_set_as_we_would_have_is_not_written_again(
    services: Services, sandbox: Sandbox
) -> None:
    await run_while_blocked(
        sandbox.model.state.faults,
        MODEL_BLOCKED,
        process(services),
        lambda: sandbox.world.edit(
            1,
            title="Stromrechnung August 2026",
            correspondent="Stadtwerke Musterstadt",
            document_type="Rechnung",
            created="2026-08-31",
        ),
    )

    [sent] = patches(sandbox)
    assert isinstance(sent, dict)
    assert sent.keys() == {"tags"}
    assert (await change_of(services, FieldName.TITLE)).state is ChangeState.APPLIED


async def test_a_tag_put_on_meanwhile_stays_beside_ours(
    services: Services, sandbox: Sandbox
) -> None:
    await run_while_blocked(
        sandbox.model.state.faults,
        MODEL_BLOCKED,
        process(services),
        lambda: sandbox.world.edit(1, tags=["Inbox", "Bank"]),
    )

    assert fields_of(sandbox)["tags"] == ["Bank", "Inbox", "Strom", "Wohnen"]


async def test_a_tag_taken_off_meanwhile_stays_off(services: Services, sandbox: Sandbox) -> None:
    await run_while_blocked(
        sandbox.model.state.faults,
        MODEL_BLOCKED,
        process(services),
        lambda: sandbox.world.edit(1, tags=[]),
    )

    assert fields_of(sandbox)["tags"] == ["Strom", "Wohnen"]


async def test_a_parent_tag_that_was_there_stays(services: Services, sandbox: Sandbox) -> None:
    sandbox.world.edit(1, tags=["Inbox", "Wohnen"])

    await process(services)

    assert fields_of(sandbox)["tags"] == ["Inbox", "Strom", "Wohnen"]
    assert (await changes_of(services))[FieldName.TAGS] == [ChangeState.APPLIED]


async def test_a_parent_tag_that_comes_along_is_a_change_of_its_own(
    services: Services, sandbox: Sandbox
) -> None:
    await process(services)

    assert fields_of(sandbox)["tags"] == ["Inbox", "Strom", "Wohnen"]
    assert (await changes_of(services))[FieldName.TAGS] == [ChangeState.APPLIED] * 2


async def test_a_deleted_name_is_no_reason_to_lose_the_document(
    services: Services, sandbox: Sandbox
) -> None:
    stadtwerke = sandbox.world.find(Kind.CORRESPONDENT, "Stadtwerke Musterstadt").id

    finished = await run_while_blocked(
        sandbox.model.state.faults,
        MODEL_BLOCKED,
        process(services),
        lambda: sandbox.world.names[Kind.CORRESPONDENT].pop(stadtwerke),
    )

    assert finished.job.problem is not None
    assert finished.job.problem.code == "paperless_refused"
    assert fields_of(sandbox)["title"] == "scan_0031"
