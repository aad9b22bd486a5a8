"""The owner's names are proposed, confirmed and declined on the page and by API."""

from collections.abc import AsyncIterator

import pytest

from core.changes import ChangeState
from core.fields import FieldName
from core.learning import Fact, FactCount, FactKind
from daemon.services import Services
from sandbox import Sandbox
from sandbox.paperless import World
from tests.dashboard.api_client import V1, build_rig
from tests.installation import HOME, Installation, fields_of, home, process
from tests.new_senders import FILL, LETTER

OWNER, KEY = "Erika Mustermann", "erikamustermann"
SENDER = "Stadtwerke Musterstadt"


@pytest.fixture
def world(world: World) -> World:
    world.edit(1, content=LETTER.format(sender=SENDER, number=1))
    return world


@pytest.fixture
async def services(installation: Installation) -> AsyncIterator[Services]:
    installation.configure('owner_names = ["Max Mustermann"]\n' + FILL)
    async with installation.open() as services:
        yield services


@pytest.fixture
async def proposed(services: Services) -> None:
    """Thirty of a hundred documents are addressed to the owner."""
    count = FactCount(Fact(FactKind.ADDRESSEE, KEY, OWNER), None, 30, 100)
    await services.store.learnt.replace_counts(
        HOME, {FactKind.ADDRESSEE}, [count], now=services.context.clock()
    )


async def states(services: Services) -> dict[str, str]:
    """Return the state of each name, by API."""
    async with build_rig(services).client() as client:
        answer = await client.get(f"{V1}/names/owner")
        return {name["name"]: name["state"] for name in answer.json()}


async def decide(services: Services, action: str, name: str = OWNER) -> None:
    """Send the form of the page."""
    form = {"name": name, "instance": HOME, "action": action}
    async with build_rig(services).client() as client:
        answer = await client.post("/names/owner", data=form, headers={"accept": "text/html"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/names")


@pytest.mark.usefixtures("proposed")
async def test_a_proposed_name_is_shown_with_its_count_beside_those_of_the_settings(
    services: Services,
) -> None:
    async with build_rig(services).client() as client:
        page = (await client.get("/names", headers={"accept": "text/html"})).text

    assert "addressee of 30 of 100 documents" in page
    assert await states(services) == {OWNER: "proposed", "Max Mustermann": "settings"}


@pytest.mark.usefixtures("proposed")
async def test_a_name_is_confirmed_and_declined_on_the_page(services: Services) -> None:
    await decide(services, "confirm")
    assert (await states(services))[OWNER] == "confirmed"

    await decide(services, "decline")
    assert (await states(services))[OWNER] == "declined"


@pytest.mark.usefixtures("proposed")
async def test_a_name_is_confirmed_and_declined_by_api(services: Services) -> None:
    async with build_rig(services).client() as client:
        confirmed = await client.post(f"{V1}/names/owner/confirm", json={"name": OWNER})
        declined = await client.post(f"{V1}/names/owner/decline", json={"name": "Karl Muster"})

    assert (confirmed.json()["state"], declined.json()["state"]) == ("confirmed", "declined")
    assert await states(services) == {
        OWNER: "confirmed",
        "Max Mustermann": "settings",
        "Karl Muster": "declined",
    }


async def test_an_empty_name_is_refused(services: Services) -> None:
    async with build_rig(services).client() as client:
        answer = await client.post(f"{V1}/names/owner/confirm", json={"name": " "})

    assert answer.json()["error"]["code"] == "name_unclear"


@pytest.mark.usefixtures("proposed")
async def test_a_name_counts_once_it_is_confirmed(services: Services, sandbox: Sandbox) -> None:
    await decide(services, "confirm", SENDER)

    await process(services, 1)
    (change,) = await services.store.changes.list_for_document(home(1))

    assert (change.field, change.state) == (FieldName.CORRESPONDENT, ChangeState.PROPOSED)
    assert "correspondent_is_owner" in change.reasons
    assert fields_of(sandbox, 1)["correspondent"] is None


@pytest.mark.parametrize("action", ["", "decline"])
async def test_a_name_that_is_not_confirmed_does_not_count(
    services: Services, sandbox: Sandbox, action: str
) -> None:
    if action:
        await decide(services, action, SENDER)

    await process(services, 1)

    assert fields_of(sandbox, 1)["correspondent"] == SENDER
