"""A dry run does everything but the write, and the answer is not paid for twice."""

from core.documents import DocumentState
from core.jobs import DRY_RUN, JobStatus
from sandbox import Sandbox
from scanner.scan import ScanOrder
from tests.installation import (
    Installation,
    drain,
    drain_one,
    enqueue_document,
    home,
    process,
    scan,
    snapshot,
    writes,
)

DRY = ScanOrder(kind=DRY_RUN)


async def test_a_dry_run_writes_nothing_and_leaves_no_trace_on_the_documents(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure('[scan]\ndone_tag = "Software"\n', all_fields="replace")
    before = snapshot(sandbox)

    async with installation.open() as services:
        await scan(services, DRY)
        finished = await drain(services)
        known = await services.store.documents.get_many("home", [1, 2, 3])
        changes = await services.store.changes.list_for_document(home(1))

    assert [outcome.job.status for outcome in finished] == [JobStatus.COMPLETED] * 3
    assert all(
        outcome.report and outcome.report.plan and outcome.report.plan.now for outcome in finished
    )
    assert (known, changes) == ({}, ())
    assert writes(sandbox) == []
    assert snapshot(sandbox) == before


async def test_the_real_run_takes_the_answer_of_the_dry_run(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="replace")

    async with installation.open() as services:
        await scan(services, DRY)
        await drain(services)
        report = await scan(services)
        finished = await drain(services)

    assert report.enqueued == 3
    assert [outcome.job.status for outcome in finished] == [JobStatus.COMPLETED] * 3
    assert len(sandbox.model.state.chats()) == 3


async def test_after_the_real_run_the_model_is_asked_anew(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="replace")

    async with installation.open() as services:
        await enqueue_document(services, 1, DRY_RUN)
        await drain_one(services)
        await process(services)
        await process(services)

    assert len(sandbox.model.state.chats()) == 2


async def test_other_instructions_of_the_owner_ask_for_another_answer(
    installation: Installation, sandbox: Sandbox
) -> None:
    async with installation.open() as services:
        await enqueue_document(services, 1, DRY_RUN)
        await drain_one(services)
    settings = installation.settings_file.read_text()
    installation.settings_file.write_text(
        settings.replace("[ai]", '[ai]\ninstructions = "Be brief."')
    )

    async with installation.open() as services:
        await process(services)

    assert len(sandbox.model.state.chats()) == 2


async def test_a_dry_run_of_a_known_document_leaves_its_row_as_it_was(
    installation: Installation, sandbox: Sandbox
) -> None:
    async with installation.open() as services:
        await process(services)
        before = await services.store.documents.get(home(1))
        await enqueue_document(services, 1, DRY_RUN)
        await drain_one(services)
        after = await services.store.documents.get(home(1))

    assert before is not None
    assert before.state is DocumentState.DONE
    assert after == before
