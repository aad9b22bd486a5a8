"""Facts are learnt in the background from what people filed, and forgotten when that changes."""

from collections.abc import AsyncIterator
from dataclasses import fields
from datetime import timedelta

import pytest

from core.jobs import UNDO
from core.learning import FactKind
from daemon.services import Services
from sandbox import Sandbox
from sandbox.paperless import World, load_world
from store.retention import RetentionPolicy
from tests.installation import (
    HOME,
    Installation,
    drain,
    enqueue_document,
    fields_of,
    home,
    process,
)
from tests.new_senders import FILL, LETTER
from tests.processor.test_process_review import accepted
from tests.store.builders import FakeClock

SENDER, OTHER = "Stadtwerke Musterstadt", "Musterbank"
OWNER = "Erika Mustermann"
LETTER_TO_OWNER = LETTER.replace(OWNER, f"Frau\n{OWNER}", 1)
NOT_INDEXED = "[index]\nenabled = false\n"


@pytest.fixture
def world() -> World:
    """Four letters to the owner, of which a person has filed the first three."""
    world = load_world()
    world.documents = {number: world.documents[number] for number in range(1, 5)}
    for number, sender in enumerate((SENDER, SENDER, OTHER, SENDER), start=1):
        world.edit(number, content=LETTER_TO_OWNER.format(sender=sender, number=number))
        if number < 4:
            world.edit(number, correspondent=sender, tags=[])
    return world


@pytest.fixture
async def services(installation: Installation) -> AsyncIterator[Services]:
    installation.configure(FILL)
    async with installation.open() as services:
        yield services


async def learn(services: Services) -> None:
    await services.index_fillers[HOME].update()
    await services.learners[HOME].update()


async def count_filed(services: Services) -> int:
    """Return how many documents count as filed by a person."""
    _, filed = await services.store.learnt.count_facts(HOME, FactKind.ADDRESSEE)
    return filed


async def test_the_addressee_of_many_filed_documents_is_counted(services: Services) -> None:
    await learn(services)

    (count,) = await services.store.learnt.list_counts(HOME, FactKind.ADDRESSEE)
    assert (count.fact.spelling, count.documents, count.total) == (OWNER, 3, 3)


async def test_what_was_written_automatically_teaches_nothing(
    services: Services, sandbox: Sandbox
) -> None:
    await process(services, 4)
    assert fields_of(sandbox, 4)["correspondent"] == SENDER

    await learn(services)

    assert await count_filed(services) == 3


async def test_a_sender_that_was_written_automatically_is_known_after_its_change_is_deleted(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    await process(services, 4)
    await learn(services)
    clock.advance(days=2)
    short = RetentionPolicy(*[timedelta(days=1)] * len(fields(RetentionPolicy)))
    await services.store.retention.prune(short, now=clock())
    assert await services.store.changes.list_for_document(home(4)) == ()
    sandbox.world.edit(4, title="Strom")

    await learn(services)

    assert await count_filed(services) == 3


async def test_a_sender_that_a_person_accepts_counts(services: Services, sandbox: Sandbox) -> None:
    sandbox.world.edit(4, content=LETTER_TO_OWNER.format(sender="Neue Gartenwelt", number=4))
    await process(services, 4)
    await learn(services)
    assert await count_filed(services) == 3

    await accepted(services, home(4))
    await drain(services)

    assert await count_filed(services) == 4


async def test_a_document_in_the_inbox_is_not_filed(services: Services, sandbox: Sandbox) -> None:
    sandbox.world.edit(1, tags=["Inbox"])

    await learn(services)

    assert await count_filed(services) == 2


async def test_a_document_that_is_deleted_or_excluded_is_forgotten(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure('[scan]\nexclude_tags = ["Privat"]\n')
    async with installation.open() as services:
        await learn(services)
        sandbox.world.edit(1, tags=["Privat"])
        sandbox.world.delete(2)
        clock.advance(days=1)

        await learn(services)

        assert set(await services.store.learnt.list_modified(HOME)) == {3, 4}


async def test_a_document_that_a_person_files_differently_is_read_again(
    services: Services, sandbox: Sandbox
) -> None:
    await learn(services)
    sandbox.world.edit(1, correspondent=None)

    await learn(services)

    assert await count_filed(services) == 2


async def test_only_changed_documents_are_read_again(services: Services, sandbox: Sandbox) -> None:
    await learn(services)
    before = dict(await services.store.learnt.list_modified(HOME))
    sandbox.world.edit(2, title="Strom")

    await learn(services)

    after = await services.store.learnt.list_modified(HOME)
    assert [number for number in before if before[number] != after[number]] == [2]


async def test_counts_are_made_again_after_a_day(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    await learn(services)
    first = await services.store.learnt.get_counted_at(HOME)
    sandbox.world.edit(4, correspondent=SENDER, tags=[])
    clock.advance(hours=23)
    await learn(services)
    assert await services.store.learnt.get_counted_at(HOME) == first

    clock.advance(hours=1)
    await learn(services)

    (count,) = await services.store.learnt.list_counts(HOME, FactKind.ADDRESSEE)
    assert (count.documents, count.counted_at) == (4, clock())


async def test_without_an_index_only_documents_that_are_processed_are_known(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(FILL + NOT_INDEXED)
    async with installation.open() as services:
        await process(services, 1)
        await learn(services)

        assert list(await services.store.learnt.list_modified(HOME)) == [1]
        assert await count_filed(services) == 1


async def test_a_document_whose_changes_are_undone_is_forgotten(
    services: Services, sandbox: Sandbox
) -> None:
    await process(services, 4)
    await learn(services)
    changes = await services.store.changes.list_for_document(home(4))

    await enqueue_document(services, 4, UNDO, changes=[change.id for change in changes])
    await drain(services)

    assert set(await services.store.learnt.list_modified(HOME)) == {1, 2, 3}
