"""Once the archive index covers the archive, examples come from it, and not from Paperless."""

import pytest

from daemon.services import Services
from sandbox import Sandbox
from store.engine import INDEX_FILE_NAME
from tests.installation import HOME, Installation, home, process
from tests.processor.test_examples import asked, filed_by_hand, searches


async def update(services: Services) -> None:
    await services.index_fillers[HOME].update()


async def test_the_same_examples_are_shown_without_asking_paperless(
    services: Services, sandbox: Sandbox
) -> None:
    filed_by_hand(sandbox, 2)
    await process(services, 1)
    by_paperless = asked(sandbox)
    examples = by_paperless[by_paperless.index("<example>") : by_paperless.index("</example>")]
    twin = sandbox.world.add_document(sandbox.world.documents[1].content, "scan.pdf")
    await update(services)
    sandbox.paperless.requests.clear()

    await process(services, twin.id)

    assert searches(sandbox) == 0
    assert examples in asked(sandbox)


@pytest.mark.parametrize("tags", [["Privat"], ["Inbox"]])
async def test_excluded_and_unfiled_documents_are_no_examples(
    installation: Installation, sandbox: Sandbox, tags: list[str]
) -> None:
    installation.configure('[scan]\nexclude_tags = ["Privat"]\n')
    filed_by_hand(sandbox, 2, tags=tags)
    async with installation.open() as services:
        await update(services)
        await process(services, 1)

    assert searches(sandbox) == 0
    assert "<example>" not in asked(sandbox)


async def test_an_ignored_document_is_no_example(services: Services, sandbox: Sandbox) -> None:
    filed_by_hand(sandbox, 2)
    await update(services)
    await services.store.documents.ignore(home(2), by="hand", now=services.context.clock())

    await process(services, 1)

    assert "<example>" not in asked(sandbox)


@pytest.mark.parametrize(
    "index", ['[scan]\ninclude_tags = ["Bank"]\n', "[index]\nenabled = false\n"]
)
async def test_paperless_is_asked_while_the_index_does_not_cover_the_archive(
    installation: Installation, sandbox: Sandbox, index: str
) -> None:
    sandbox.world.edit(1, tags=["Bank"])
    installation.configure(index)
    filed_by_hand(sandbox, 2)
    async with installation.open() as services:
        await update(services)
        await process(services, 1)

    assert searches(sandbox) == 1
    assert asked(sandbox).count("<example>") == 1


async def test_paperless_is_asked_if_the_index_cannot_be_read(
    services: Services, sandbox: Sandbox, installation: Installation
) -> None:
    filed_by_hand(sandbox, 2)
    await update(services)
    await services.store.index.close()
    (installation.data / INDEX_FILE_NAME).write_bytes(b"no database" * 1000)

    async with installation.open() as opened_again:
        await process(opened_again, 1)

    assert searches(sandbox) == 1
