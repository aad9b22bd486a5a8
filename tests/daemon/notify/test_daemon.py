"""The daemon sends messages by itself, as a process of its own."""

import signal

import pytest

from sandbox.paperless import World
from tests.daemon.notify.receiver import Receiver
from tests.daemon.processes import a_daemon
from tests.installation import Installation, drain, scan
from tests.new_senders import add_letters
from tests.waiting import LONG


@pytest.fixture
def world(world: World) -> World:
    add_letters(world, "Neue Gartenwelt", "Telekontakt")
    return world


@pytest.fixture
async def five_wait(installation: Installation, receiver: Receiver) -> None:
    """Five letters wait for a person, and the owner wants to know."""
    (installation.config / "daemon.toml").write_text(f'[notify]\nurls = ["{receiver.url}"]\n')
    async with installation.open() as services:
        await scan(services)
        await drain(services)


@pytest.mark.usefixtures("five_wait")
def test_a_daemon_tells_what_waits(installation: Installation, receiver: Receiver) -> None:
    with a_daemon(installation) as daemon:
        daemon.wait_for("notices sent")
        daemon.signal(signal.SIGTERM)
        code = daemon.end()

    assert code == 0
    assert receiver.messages == ["5 documents are waiting for review."]
    assert "geheim" not in daemon.log


@pytest.mark.usefixtures("five_wait")
def test_a_service_that_never_answers_does_not_hold_up_the_stop(
    installation: Installation, receiver: Receiver
) -> None:
    receiver.may_answer.clear()
    with a_daemon(installation) as daemon:
        assert receiver.has_request.wait(LONG)
        daemon.wait_for("started")
        daemon.signal(signal.SIGTERM)
        code = daemon.end()

    assert code == 0, daemon.log


@pytest.fixture
async def five_are_queued(installation: Installation) -> None:
    async with installation.open() as services:
        installation.clock.advance(days=-60)
        await scan(services)


@pytest.mark.usefixtures("five_are_queued")
def test_a_wrong_address_is_reported_and_keeps_nothing_from_its_work(
    installation: Installation,
) -> None:
    (installation.config / "daemon.toml").write_text('[notify]\nurls = ["nonsense://geheim"]\n')

    with a_daemon(installation) as daemon:
        daemon.wait_for("started")
        daemon.wait_for("job completed", times=1)
        daemon.signal(signal.SIGTERM)
        code = daemon.end()

    assert code == 0
    assert 'event="address for messages unusable"' in daemon.log
    assert "geheim" not in daemon.log
