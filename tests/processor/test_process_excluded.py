"""The text of an excluded document is never asked for, and goes nowhere."""

import pytest

from actions.decisions import Edits
from core.documents import DocumentState
from core.jobs import JobStatus
from sandbox import Sandbox
from sandbox.paperless import Kind
from tests.installation import (
    Installation,
    blocked,
    drain,
    fields_of,
    home,
    process,
    run_while_blocked,
    scan,
    texts_sent,
)
from tests.processor.test_process_review import accepted

RULES = '[scan]\nexclude_tags = ["Privat"]\n'


@pytest.fixture(autouse=True)
def privacy(installation: Installation) -> None:
    installation.configure(RULES, all_fields="replace")


def keep_private(sandbox: Sandbox) -> None:
    sandbox.world.edit(1, tags=["Inbox", "Privat"])


async def test_an_excluded_document_is_neither_read_nor_sent(
    installation: Installation, sandbox: Sandbox
) -> None:
    keep_private(sandbox)

    async with installation.open() as services:
        report = await scan(services)
        await drain(services)

    assert report.skipped == {"excluded_tag": 1}
    assert 1 not in texts_sent(sandbox)
    assert not any("4471 0093 18" in str(chat) for chat in sandbox.model.state.chats())


async def test_a_tag_put_on_after_the_scan_keeps_the_text_where_it_is(
    installation: Installation, sandbox: Sandbox
) -> None:
    async with installation.open() as services:
        await scan(services)
        keep_private(sandbox)
        finished = {outcome.job.document.id: outcome.job for outcome in await drain(services)}
        known = await services.store.documents.get(home(1))

    assert finished[1].status is JobStatus.CANCELLED
    assert str(finished[1].cancel_requested) == "has the excluded tag Privat"
    assert known is not None
    assert known.state is DocumentState.CANCELLED
    assert 1 not in texts_sent(sandbox)
    assert len(sandbox.model.state.chats()) == 2


async def test_a_tag_put_on_while_the_text_is_asked_for_keeps_it_where_it_is(
    installation: Installation, sandbox: Sandbox
) -> None:
    asked_for = blocked("/api/documents/", method="GET")

    async with installation.open() as services:
        finished = await run_while_blocked(
            sandbox.paperless.faults, asked_for, process(services), lambda: keep_private(sandbox)
        )

    assert texts_sent(sandbox) == []
    assert finished.job.status is JobStatus.CANCELLED
    assert sandbox.model.state.chats() == []


async def test_a_document_asked_for_by_hand_is_excluded_all_the_same(
    installation: Installation, sandbox: Sandbox
) -> None:
    keep_private(sandbox)

    async with installation.open() as services:
        finished = await process(services)

    assert finished.job.status is JobStatus.CANCELLED
    assert texts_sent(sandbox) == []
    assert sandbox.model.state.chats() == []


async def test_what_was_accepted_is_written_without_reading_the_text_again(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(RULES, all_fields="review")

    async with installation.open() as services:
        await process(services)
        keep_private(sandbox)
        sandbox.world.texts_sent.clear()
        await accepted(services, home(1), Edits({}))
        await drain(services)

    assert fields_of(sandbox)["title"] == "Stromrechnung August 2026"
    assert texts_sent(sandbox) == []


async def test_every_tag_of_that_name_excludes_whoever_owns_it(
    installation: Installation, sandbox: Sandbox
) -> None:
    other = sandbox.world.add_name(Kind.TAG, "Privat", owner=sandbox.world.users["paperclerk"].id)
    sandbox.world.documents[1].tags.add(other.id)

    async with installation.open() as services:
        report = await scan(services)

    assert report.skipped == {"excluded_tag": 1}
