"""A sender is recognised by its numbers, which were learnt from what a person filed."""

from collections.abc import AsyncIterator

import pytest

from actions.documents import fetch_snapshot
from actions.learnt import delete_learnt, list_learnt
from actions.own_values import find_alternatives
from core.changes import Change
from core.jobs import UNDO
from core.learning import FactKind
from daemon.services import Services
from sandbox import Sandbox
from sandbox.paperless import Kind, World, load_world
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
from tests.processor.test_learning import learn
from tests.processor.test_process_review import accepted

SENDER, OTHER = "Stadtwerke Musterstadt", "Musterbank"
IBAN = "DE89 3704 0044 0532 0130 00"
FOOTER = f"Bankverbindung IBAN {IBAN}   USt-IdNr. DE136695976\n"
FROM_SENDER = LETTER.format(sender=SENDER, number=1) + FOOTER
NUMBER_OF_ANOTHER = "number_of_another_sender"


@pytest.fixture
def world() -> World:
    """Two letters of a sender, filed by a person, and one of another with the sender's numbers."""
    world = load_world()
    world.documents = {number: world.documents[number] for number in (1, 2, 3)}
    for number in (1, 2):
        world.edit(number, content=FROM_SENDER, correspondent=SENDER, tags=[])
    world.edit(3, content=FROM_SENDER.replace(SENDER, OTHER))
    return world


@pytest.fixture
async def services(installation: Installation) -> AsyncIterator[Services]:
    installation.configure(FILL)
    async with installation.open() as services:
        yield services


async def list_kinds(services: Services) -> set[FactKind]:
    return {count.fact.kind for count in await services.store.learnt.list_sender_facts(HOME)}


async def process_third(services: Services) -> Change | None:
    """Process the letter of the other sender; return what waits for review."""
    await process(services, 3)
    return next(iter(await services.store.changes.list_for_review(document=home(3))), None)


async def test_numbers_in_two_filed_documents_are_learnt(services: Services) -> None:
    await learn(services)

    assert await list_kinds(services) >= {FactKind.IBAN, FactKind.VAT_ID, FactKind.LETTERHEAD}


async def test_a_number_of_another_sender_leads_to_review_with_both_names(
    services: Services, sandbox: Sandbox
) -> None:
    await learn(services)

    change = await process_third(services)

    assert change is not None
    assert change.reasons == (NUMBER_OF_ANOTHER,)
    assert (str(change.after), change.similar) == (OTHER, (SENDER,))
    snapshot = await fetch_snapshot(services.caller, home(3))
    shown = find_alternatives(change.field, [change.after], snapshot, change.similar)
    assert shown[0] == SENDER
    assert fields_of(sandbox, 3)["correspondent"] is None


async def test_before_anything_is_learnt_numbers_say_nothing(
    services: Services, sandbox: Sandbox
) -> None:
    assert await process_third(services) is None
    assert fields_of(sandbox, 3)["correspondent"] == OTHER


async def test_what_was_written_automatically_is_not_learnt_from(
    services: Services, sandbox: Sandbox
) -> None:
    for number in (1, 2):
        sandbox.world.edit(number, correspondent=None)
        await process(services, number)
        assert fields_of(sandbox, number)["correspondent"] == SENDER

    await learn(services)

    assert await list_kinds(services) == set()


async def test_one_document_is_not_enough(services: Services, sandbox: Sandbox) -> None:
    sandbox.world.edit(2, correspondent=None)

    await learn(services)

    assert await list_kinds(services) == set()


async def test_a_number_is_forgotten_at_once_when_an_accepted_sender_is_undone(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(FILL.replace("fill", "review"))
    async with installation.open() as services:
        sandbox.world.edit(2, correspondent=None)
        await process(services, 2)
        await accepted(services, home(2))
        await drain(services)
        await learn(services)
        assert FactKind.IBAN in await list_kinds(services)

        changes = await services.store.changes.list_for_document(home(2))
        await enqueue_document(services, 2, UNDO, changes=[change.id for change in changes])
        await drain(services)
        assert await list_kinds(services) == set()
        await learn(services)

        assert await list_kinds(services) == set()


async def test_a_number_is_forgotten_when_a_person_files_a_document_differently(
    services: Services, sandbox: Sandbox
) -> None:
    await learn(services)
    sandbox.world.edit(2, correspondent=OTHER)

    await learn(services)

    assert await list_kinds(services) == set()


async def test_without_an_index_no_numbers_are_kept(
    installation: Installation, services: Services
) -> None:
    await learn(services)
    installation.configure(f"{FILL}[index]\nenabled = false\n")
    async with installation.open() as without_index:
        await learn(without_index)

        assert await list_kinds(without_index) == set()
        assert await process_third(without_index) is None


async def test_numbers_of_excluded_documents_are_not_kept(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(f'{FILL}[scan]\nexclude_tags = ["Privat"]\n')
    sandbox.world.edit(2, tags=["Privat"])
    async with installation.open() as services:
        await learn(services)

        assert await list_kinds(services) == set()


async def test_a_number_that_a_person_deleted_stays_deleted(
    services: Services, sandbox: Sandbox
) -> None:
    await learn(services)
    learnt = await list_learnt(services.caller, HOME)
    await delete_learnt(services.caller, HOME, [fact.id for fact in learnt.facts])
    sandbox.world.edit(1, title="Strom")
    await learn(services)

    assert await process_third(services) is None


async def test_numbers_are_in_no_prompt(services: Services, sandbox: Sandbox) -> None:
    sandbox.world.edit(3, content=LETTER.format(sender=SENDER, number=3))
    await learn(services)

    await process(services, 3)

    assert IBAN.replace(" ", "") not in str(sandbox.model.state.chats())


TWIN = "Stadtwerke Musterstadt Service"


async def test_what_a_person_filed_for_a_letterhead_decides_between_twins(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.add_name(Kind.CORRESPONDENT, TWIN)
    for number in (1, 2, 3):
        sandbox.world.edit(number, content=LETTER.format(sender=TWIN, number=number))
    installation.configure(FILL)
    async with installation.open() as services:
        await learn(services)

        change = await process_third(services)

    assert change is not None
    assert change.reasons == ("other_name_fits_better",)
    assert (str(change.after), change.similar) == (TWIN, (SENDER,))
