"""What may be searched, and who decides what is indexed."""

import pytest

from actions.search import decide_index, list_undecided, search_archive
from core.archive import ArchiveSearch, IndexChoice
from daemon.services import Services
from sandbox import Sandbox
from tests.installation import HOME, Installation, home, process

WORDS = ArchiveSearch("stadtwerke", frozenset())


async def found(services: Services) -> tuple[list[int], tuple[str, ...]]:
    result = await search_archive(services.context.caller, WORDS)
    return [hit.fields.ref.id for hit in result.found.hits], result.not_ready


async def update(services: Services) -> None:
    await services.index_fillers[HOME].update()


async def test_an_instance_is_searched_once_its_index_was_compared(
    services: Services,
) -> None:
    assert await found(services) == ([], (HOME,))

    await update(services)

    assert await found(services) == ([1], ())


async def test_changed_exclusions_hide_an_instance_until_they_are_carried_out(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, tags=["Privat"])
    installation.configure()
    async with installation.open() as services:
        await update(services)
        assert await found(services) == ([1], ())
    installation.configure('[scan]\nexclude_tags = ["Privat"]\n')

    async with installation.open() as services:
        assert await found(services) == ([], (HOME,))
        await update(services)
        assert await found(services) == ([], ())


async def test_an_index_that_is_off_is_not_searched(installation: Installation) -> None:
    async with installation.open() as services:
        await update(services)
    installation.configure("[index]\nenabled = false\n")

    async with installation.open() as services:
        result = await search_archive(services.context.caller, WORDS)

    assert (result.found.hits, result.not_ready, result.is_on) == ((), (), False)


@pytest.mark.parametrize("choice", [IndexChoice.ALL, IndexChoice.PROCESSED])
async def test_the_owner_is_asked_once(installation: Installation, choice: IndexChoice) -> None:
    installation.configure('[scan]\ninclude_tags = ["Bank"]\n')
    async with installation.open() as services:
        caller = services.context.caller
        assert await list_undecided(caller) == (HOME,)

        await decide_index(caller, HOME, choice)

        assert await list_undecided(caller) == ()


async def test_a_new_set_up_is_not_asked(services: Services) -> None:
    assert await list_undecided(services.context.caller) == ()


async def test_a_title_that_was_just_written_is_shown_before_the_index_has_it(
    installation: Installation,
) -> None:
    installation.configure(all_fields="replace")
    async with installation.open() as services:
        await update(services)
        await process(services, 1)

        [hit] = (await search_archive(services.context.caller, WORDS)).found.hits

        known = await services.store.documents.get(home(1))
        assert known is not None
        assert hit.fields.title == known.title
        assert hit.fields.title != "scan_0031"
