"""A patch that Paperless refuses for an old custom field value is sent in another way."""

from collections.abc import Callable, Iterable

import pytest

from core.changes import ChangeState
from core.fields import FieldName
from core.jobs import JobStatus
from daemon.services import Services
from sandbox import Sandbox
from sandbox.paperless import V2, V3, Release
from tests.installation import (
    BULK_EDIT,
    MODEL_BLOCKED,
    Installation,
    changes_of,
    fields_of,
    patches,
    process,
    run_while_blocked,
    writes,
)
from tests.processor.test_process_one_patch import CUSTOM, MARKS, configure, tasks


def link_to_what_we_may_not_change(sandbox: Sandbox) -> dict[int, object]:
    field = sandbox.world.add_custom_field("Gehört zu", "documentlink")
    boss = sandbox.world.users["admin"].id
    sandbox.world.documents[2].owner = boss
    sandbox.world.documents[2].shares.view.add(sandbox.world.users["paperclerk"].id)
    return {field.id: [2]}


def link_to_the_trash(sandbox: Sandbox) -> dict[int, object]:
    field = sandbox.world.add_custom_field("Gehört zu", "documentlink")
    sandbox.world.delete(3)
    return {field.id: [3]}


def deleted_option(sandbox: Sandbox) -> dict[int, object]:
    field = sandbox.world.find_custom_field("Zahlungsart")
    gone = field.options.pop()
    return {field.id: gone["id"]}


def legacy_amount(sandbox: Sandbox) -> dict[int, object]:
    field = sandbox.world.add_custom_field("Alter Betrag", "monetary")
    return {field.id: "12,50 €"}


@pytest.mark.parametrize("release", [V2, V3], ids=str)
@pytest.mark.parametrize(
    ("make", "status"),
    [
        (link_to_what_we_may_not_change, 403),
        (link_to_the_trash, 400),
        (deleted_option, 400),
        (legacy_amount, 400),
    ],
)
async def test_an_old_value_that_paperless_refuses_keeps_nothing_from_being_written(
    installation: Installation,
    sandbox: Sandbox,
    release: Release,
    make: Callable[[Sandbox], dict[int, object]],
    status: int,
) -> None:
    configure(installation, MARKS)
    old = make(sandbox)
    sandbox.world.documents[1].custom_fields = dict(old)
    amount = sandbox.world.find_custom_field("Betrag").id

    async with installation.open() as services:
        finished = await process(services)
        states = await changes_of(services)

    assert sandbox.world.release is release
    assert finished.job.status is JobStatus.COMPLETED
    assert sandbox.world.documents[1].custom_fields == old | {amount: "EUR100.94"}
    assert fields_of(sandbox)["tags"] == ["Software", "Strom", "Wohnen"]
    assert {state for reached in states.values() for state in reached} == {ChangeState.APPLIED}
    assert statuses(sandbox, "PATCH") == [status, 200]
    first, second = patches(sandbox)
    assert isinstance(first, dict)
    assert second == {key: value for key, value in first.items() if key != "custom_fields"}
    assert writes(sandbox)[-1] == ("POST", BULK_EDIT)
    assert tasks(sandbox) == 1


def statuses(sandbox: Sandbox, *methods: str) -> Iterable[int | None]:
    return [request.status for request in sandbox.paperless.requests if request.method in methods]


async def test_custom_fields_alone_that_are_refused_are_sent_by_a_bulk_edit_alone(
    installation: Installation, sandbox: Sandbox
) -> None:
    off = "\n".join(f'{field} = "off"' for field in FieldName)
    installation.configure(f"[fields]\n{off}\n{CUSTOM}\n")
    sandbox.world.documents[1].custom_fields = legacy_amount(sandbox)

    async with installation.open() as services:
        finished = await process(services)

    assert finished.job.status is JobStatus.COMPLETED
    assert writes(sandbox) == [("PATCH", "/api/documents/1/"), ("POST", BULK_EDIT)]


async def test_a_refused_patch_without_custom_fields_is_not_sent_apart(
    services: Services, sandbox: Sandbox
) -> None:
    def share_for_viewing_only() -> None:
        sandbox.world.documents[1].owner = sandbox.world.users["admin"].id
        sandbox.world.documents[1].shares.view.add(sandbox.world.users["paperclerk"].id)

    finished = await run_while_blocked(
        sandbox.model.state.faults, MODEL_BLOCKED, process(services), share_for_viewing_only
    )

    assert finished.job.problem is not None
    assert finished.job.problem.code == "document_forbidden"
    assert len(patches(sandbox)) == 1
    assert BULK_EDIT not in [path for _, path in writes(sandbox)]
