"""Paperless at another address must have the documents that are known, or a person confirms it."""

from collections.abc import Iterator

import pytest

from actions.instances import confirm_address
from core.holds import Hold, HoldKind
from daemon.lifecycle import build_hold_monitor
from daemon.services import Services
from processor.hold_monitor import is_same_archive
from sandbox import Sandbox
from sandbox.paperless import World, load_world
from tests.installation import HOME, Installation, drain, enqueue_document, scan


@pytest.fixture
def other_world() -> World:
    """Another archive, which has other texts under the same numbers."""
    world = load_world()
    first, second = world.documents[1], world.documents[2]
    first.content, second.content = second.content, first.content
    world.documents = {1: first, 2: second}
    return world


@pytest.fixture
def elsewhere(other_world: World) -> Iterator[Sandbox]:
    with Sandbox(other_world) as running:
        yield running


@pytest.fixture
async def known(installation: Installation) -> Installation:
    """An installation that has read the documents of its Paperless."""
    async with installation.open() as services:
        await scan(services)
        await drain(services)
    return installation


def move_to(installation: Installation, url: str) -> None:
    text = installation.settings_file.read_text()
    installation.settings_file.write_text(text.replace(installation.sandbox.url, url))


async def holds_on_address(services: Services) -> list[Hold]:
    holds = await services.store.holds.list_active()
    return [hold for hold in holds if hold.kind is HoldKind.ADDRESS]


async def stored_url(services: Services) -> str | None:
    stored = await services.store.instances.get(HOME)
    assert stored is not None
    return stored.url


async def test_an_address_with_the_same_documents_is_accepted(known: Installation) -> None:
    other_name = known.sandbox.url.replace("127.0.0.1", "localhost")
    move_to(known, other_name)

    async with known.open() as services:
        before = await holds_on_address(services)
        await build_hold_monitor(services).check_all()

        assert len(before) == 1
        assert await holds_on_address(services) == []
        assert await stored_url(services) == other_name


async def test_other_documents_hold_the_instance_until_a_person_confirms(
    known: Installation, elsewhere: Sandbox
) -> None:
    move_to(known, elsewhere.url)

    async with known.open() as services:
        await build_hold_monitor(services).check_all()
        [hold] = await holds_on_address(services)
        await enqueue_document(services, 1)
        processed = await drain(services)
        await build_hold_monitor(services).check_all()
        still = await holds_on_address(services)
        confirmed = await confirm_address(services.caller, HOME)

        assert "are not those that Paperclerk knows" in str(hold.cause)
        assert (hold.next_probe_at, processed, still) == (None, [], [hold])
        assert confirmed
        assert await holds_on_address(services) == []
        assert await stored_url(services) == elsewhere.url
        assert not await confirm_address(services.caller, HOME)


async def test_the_former_address_ends_the_hold(known: Installation, elsewhere: Sandbox) -> None:
    move_to(known, elsewhere.url)
    async with known.open() as services:
        await build_hold_monitor(services).check_all()
    known.configure()

    async with known.open() as services:
        assert await holds_on_address(services) == []


async def test_an_address_without_an_answer_is_asked_again_later(known: Installation) -> None:
    move_to(known, "http://127.0.0.1:9")

    async with known.open() as services:
        await build_hold_monitor(services).check_all()
        [hold] = await holds_on_address(services)

        assert hold.next_probe_at is not None
        assert hold.next_probe_at > known.clock()
        assert await stored_url(services) == known.sandbox.url


async def test_without_known_documents_any_address_will_do(
    installation: Installation, elsewhere: Sandbox
) -> None:
    async with installation.open():
        pass
    move_to(installation, elsewhere.url)

    async with installation.open() as services:
        await build_hold_monitor(services).check_all()

        assert await holds_on_address(services) == []


@pytest.mark.parametrize(
    ("compared", "expected"),
    [
        ((), True),
        ((True,), True),
        ((True, True, False), True),
        ((True, False), False),
        ((False,), False),
    ],
)
def test_most_of_the_documents_decide(compared: tuple[bool, ...], *, expected: bool) -> None:
    assert is_same_archive(compared) is expected
