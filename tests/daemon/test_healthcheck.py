"""`healthcheck`: alive or not, in the two numbers that Docker knows."""

from datetime import timedelta

import pytest

from core.clock import utc_now
from daemon.alive import DAEMON, running_daemon
from daemon.memory import open_memory
from tests.daemon.conftest import Paperclerk
from tests.office import Office

FAR = "elsewhere"


def test_without_a_daemon_nothing_is_alive(paperclerk: Paperclerk) -> None:
    said = paperclerk("healthcheck")

    assert (said.code, said.out) == (1, "no daemon is alive on this data\n")


def test_a_mistake_in_the_settings_is_no_number_of_its_own(
    paperclerk: Paperclerk, office: Office
) -> None:
    office.configure("[scann]\n")

    said = paperclerk("healthcheck")

    assert said.code == 1
    assert "did you mean" in said.err


@pytest.mark.usefixtures("on_postgres")
async def test_a_daemon_elsewhere_is_alive_also_for_one_whose_clock_is_an_hour_wrong(
    office: Office,
) -> None:
    hour = timedelta(hours=1)
    async with (
        open_memory(office.options, clock=lambda: utc_now() - hour) as late,
        open_memory(office.options, clock=lambda: utc_now() + hour) as early,
    ):
        await late.store.workers.beat(f"{FAR}:1", pid=1, host=FAR, role=DAEMON, now=late.clock())

        assert await running_daemon(early) is not None
