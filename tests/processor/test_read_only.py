"""A document that may not be edited is skipped before the model is called, and stays eligible."""

from core.documents import DocumentState
from core.jobs import DRY_RUN, JobStatus
from core.scans import SkipReason
from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from tests.installation import (
    HOME,
    Installation,
    drain,
    drain_one,
    enqueue_document,
    home,
    process,
    scan,
)


def share(sandbox: Sandbox, id_: int, *, editing: bool) -> None:
    """Make another user the owner of a document and share it with ours."""
    world = sandbox.world
    ours = world.users["paperclerk"].id
    document = world.edit(id_, owner="admin")
    document.shares.view = {ours}
    document.shares.change = {ours} if editing else set()


async def test_a_scan_skips_what_may_not_be_edited_until_it_is_shared(
    installation: Installation, sandbox: Sandbox
) -> None:
    share(sandbox, 2, editing=False)
    async with installation.open() as services:
        first = await scan(services)
        _, why = await services.scanners[HOME].explain(2)
        share(sandbox, 2, editing=True)
        second = await scan(services)
        await drain(services)
        known = await services.store.documents.get(home(2))

    assert (first.enqueued, first.skipped) == (2, {SkipReason.READ_ONLY: 1})
    assert why is SkipReason.READ_ONLY
    assert second.enqueued == 1
    assert known is not None
    assert known.state is DocumentState.DONE


async def test_the_model_is_not_asked_about_what_may_not_be_edited(
    installation: Installation, sandbox: Sandbox
) -> None:
    async with installation.open() as services:
        await enqueue_document(services, 1)
        share(sandbox, 1, editing=False)
        ended = await drain_one(services)
        known = await services.store.documents.get(home(1))
        meanwhile = await scan(services)
        share(sandbox, 1, editing=True)
        again = await scan(services)
        jobs = [job.document.id for job in await services.store.jobs.list()]

    assert ended.job.status is JobStatus.CANCELLED
    assert "not shared for editing" in str(ended.job.cancel_requested)
    assert len(sandbox.model.state.chats()) == 0
    assert known is not None
    assert known.state is DocumentState.READ_ONLY
    assert meanwhile.skipped == {SkipReason.READ_ONLY: 1}
    assert again.enqueued == 1
    assert jobs.count(1) == 2


async def test_a_refusal_about_one_document_fails_at_once_and_says_what_to_do(
    services: Services, sandbox: Sandbox
) -> None:
    refused = Answer(
        status=403,
        body='{"detail": "You do not have permission to perform this action."}',
        headers=_SIGNED,
    )
    sandbox.paperless.faults.add(
        Fault(method="PATCH", path="/api/documents/1/", times=None, effect=refused)
    )

    finished = await process(services, 1)

    assert (finished.job.status, finished.job.attempts) == (JobStatus.FAILED, 1)
    assert finished.job.problem is not None
    assert finished.job.problem.code == "document_forbidden"
    assert "share the document for editing" in finished.job.problem.hint


async def test_a_token_that_may_read_nothing_burns_no_document(
    services: Services, sandbox: Sandbox
) -> None:
    await enqueue_document(services, 1)
    sandbox.world.users["paperclerk"].permissions.discard("view_document")

    finished = await drain_one(services)

    assert finished.job.status is JobStatus.PENDING
    assert finished.job.problem is not None
    assert finished.job.problem.code == "paperless_permission_missing"


_SIGNED = {"content-type": "application/json", "x-version": "3.0.5", "x-api-version": "10"}


async def test_a_dry_run_of_what_may_not_be_edited_leaves_the_document_as_it_was(
    installation: Installation, sandbox: Sandbox
) -> None:
    async with installation.open() as services:
        await enqueue_document(services, 1, DRY_RUN)
        share(sandbox, 1, editing=False)
        ended = await drain_one(services)
        known = await services.store.documents.get(home(1))

    assert ended.job.status is JobStatus.CANCELLED
    assert known is None
