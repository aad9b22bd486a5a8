"""Who owns a created name, and who sees it: as the owner chose, and always us."""

import pytest

from core.changes import ChangeState
from core.fields import FieldName
from core.jobs import JobStatus
from sandbox import Sandbox
from sandbox.paperless import Kind
from sandbox.paperless.records import Group, Name, Shares
from tests.installation import Installation, process

FAMILY, OFFICE = 1, 2
CREATED = '[names]\ncorrespondents = "create"\ndocument_types = "create"\n'


@pytest.fixture
def sandbox(sandbox: Sandbox) -> Sandbox:
    """Add two groups, and another user, who owns document 1 and shares it with us and a group."""
    world = sandbox.world
    world.groups = {FAMILY: Group(FAMILY, "family"), OFFICE: Group(OFFICE, "office")}
    us = world.users["paperclerk"]
    us.permissions |= {"view_group", "view_uisettings", "add_documenttype"}
    document = world.documents[1]
    document.owner = world.users["admin"].id
    document.shares = Shares({us.id}, {us.id}, {FAMILY}, set())
    world.names[Kind.CORRESPONDENT].clear()
    return sandbox


def created(sandbox: Sandbox) -> Name:
    [name] = sandbox.world.names[Kind.CORRESPONDENT].values()
    return name


def ids(sandbox: Sandbox) -> tuple[int, int]:
    users = sandbox.world.users
    return users["paperclerk"].id, users["admin"].id


async def file_first(installation: Installation, names: str) -> JobStatus:
    installation.configure(f"{CREATED}{names}", all_fields="replace")
    async with installation.open() as services:
        return (await process(services)).job.status


async def test_the_name_of_nobody_is_everybodys(
    installation: Installation, sandbox: Sandbox
) -> None:
    assert await file_first(installation, "") is JobStatus.COMPLETED

    assert (created(sandbox).owner, created(sandbox).shares) == (None, Shares())


async def test_our_own_name_is_shared_with_the_groups_in_the_settings(
    installation: Installation, sandbox: Sandbox
) -> None:
    groups = 'owner = "me"\nview_groups = ["family"]\nchange_groups = ["office"]\n'

    assert await file_first(installation, groups) is JobStatus.COMPLETED

    us, _ = ids(sandbox)
    shares = Shares({us}, {us}, {FAMILY, OFFICE}, {OFFICE})
    assert (created(sandbox).owner, created(sandbox).shares) == (us, shares)


async def test_the_documents_owner_and_groups_get_the_name_and_so_do_we(
    installation: Installation, sandbox: Sandbox
) -> None:
    groups = 'owner = "document"\nchange_groups = ["office"]\n'

    assert await file_first(installation, groups) is JobStatus.COMPLETED

    us, admin = ids(sandbox)
    shares = Shares({us}, {us}, {FAMILY, OFFICE}, {OFFICE})
    assert (created(sandbox).owner, created(sandbox).shares) == (admin, shares)


async def test_the_name_for_a_document_of_nobody_is_everybodys(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.documents[1].owner = None

    assert await file_first(installation, 'owner = "document"\n') is JobStatus.COMPLETED

    assert (created(sandbox).owner, created(sandbox).shares) == (None, Shares())


async def test_a_name_of_another_owner_is_created_once_for_two_documents(
    installation: Installation, sandbox: Sandbox
) -> None:
    world = sandbox.world
    twin, first = world.documents[2], world.documents[1]
    twin.content, twin.owner, twin.shares = first.content, first.owner, first.shares
    installation.configure(f'{CREATED}owner = "document"\n', all_fields="replace")

    async with installation.open() as services:
        await process(services, 1)
        await process(services, 2)

    assert world.documents[2].correspondent == created(sandbox).id


async def test_a_group_that_does_not_exist_fails_the_job_and_creates_nothing(
    installation: Installation, sandbox: Sandbox
) -> None:
    groups = 'owner = "me"\nview_groups = ["strangers"]\n'
    installation.configure(f"{CREATED}{groups}", all_fields="replace")
    async with installation.open() as services:
        failed = (await process(services)).job

        assert failed.status is JobStatus.FAILED
        assert failed.problem is not None
        assert str(failed.problem.message) == "Paperless has no group strangers"
        assert sandbox.world.names[Kind.CORRESPONDENT] == {}
        states = {
            change.field: change.state
            for change in await services.store.changes.list_for_job(failed.id)
        }
        assert states.get(FieldName.CORRESPONDENT) is not ChangeState.APPLIED
