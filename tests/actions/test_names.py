"""Where a name is meant, if it waits in several places or in none; and what is known of it soon."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from actions.errors import NameAmbiguous
from actions.names import create_names, never_suggest
from actions.new_names import list_names_page, list_names_page_within
from core.fields import FieldName
from core.names import NameFilter
from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Fault, Hang
from sandbox.paperless import World
from scanner.scan import ScanOrder
from tests.installation import HOME, Installation, drain
from tests.new_senders import FIRM, put_letters

ATTIC = "attic"


@pytest.fixture
async def services(installation: Installation, world: World) -> AsyncIterator[Services]:
    """Two instances with the same letter for review in both."""
    put_letters(world, FIRM)
    (installation.config / f"{ATTIC}.toml").write_text(
        installation.sandbox.settings(""), encoding="utf-8"
    )
    async with installation.open() as services:
        for scanner in services.scanners.values():
            await scanner.scan(ScanOrder())
        await drain(services)
        yield services


async def test_a_name_that_waits_in_two_places_is_asked_back_and_nothing_is_decided(
    services: Services,
) -> None:
    with pytest.raises(NameAmbiguous, match=r"correspondent in attic, correspondent in home"):
        await create_names(services.caller, [FIRM], NameFilter())

    done = await create_names(services.caller, [FIRM], NameFilter(ATTIC))

    assert [job.document.instance for job in done.jobs] == [ATTIC]
    assert FIRM in {
        str(change.after) for change in await services.store.changes.list_for_review(HOME)
    }


async def test_a_name_that_waits_nowhere_is_meant_where_the_person_says(services: Services) -> None:
    for where in (NameFilter(), NameFilter(HOME), NameFilter(field=FieldName.TAGS)):
        with pytest.raises(NameAmbiguous, match="specify instance and field"):
            await never_suggest(services.caller, ["Werbung"], where)

    await never_suggest(services.caller, ["Werbung"], NameFilter(HOME, FieldName.TAGS))

    assert [alias.meaning.spelling for alias in await services.store.names.list_aliases(HOME)] == [
        "Werbung"
    ]
    assert await services.store.names.list_aliases(ATTIC) == ()


async def test_a_paperless_that_takes_long_is_not_waited_for(
    services: Services, sandbox: Sandbox
) -> None:
    at_leisure = await list_names_page(services.caller, None, limit=9)
    for instance in services.instances.values():
        instance.catalogue.invalidate()
    sandbox.paperless.faults.add(Fault(path="/api/.*", times=None, effect=Hang()))
    short = timedelta(milliseconds=50)

    soon = await list_names_page_within(services.caller, None, limit=9, timeout=short)
    sandbox.paperless.faults.clear()
    sandbox.paperless.faults.release()

    assert [entry.name for entry in soon.names] == [entry.name for entry in at_leisure.names] != []
    assert soon.unsure == "Paperless is slow to respond."
    assert await list_names_page_within(services.caller, None, limit=9) == at_leisure


async def test_an_outage_of_one_paperless_hides_no_names(
    services: Services, sandbox: Sandbox
) -> None:
    services.instances[ATTIC].catalogue.invalidate()
    sandbox.paperless.faults.add(Fault(path="/api/.*", times=None, effect=Answer(status=503)))

    soon = await list_names_page_within(services.caller, None, limit=9)

    assert {entry.instance for entry in soon.names} == {ATTIC, HOME}
    assert "unreachable" in soon.unsure
