"""`healthcheck`: alive or not, in the two numbers that Docker knows."""

import asyncio
import os
import socket
from datetime import timedelta

import pytest

from core.clock import utc_now
from daemon.alive import DAEMON, running_daemon
from daemon.memory import Memory, open_memory
from tests.daemon.conftest import Paperclerk
from tests.office import Office

FAR = "elsewhere"


async def be_heard_of(memory: Memory, host: str) -> None:
    now, pid = memory.clock(), os.getpid()
    await memory.store.workers.beat(f"{host}:{pid}", pid=pid, host=host, role=DAEMON, now=now)


def live_on(office: Office, host: str) -> None:
    async def live() -> None:
        async with open_memory(office.options) as memory:
            await be_heard_of(memory, host)

    asyncio.run(live())


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
        await be_heard_of(late, FAR)

        assert await running_daemon(early) is not None


@pytest.mark.parametrize(("host", "code"), [(socket.gethostname(), 0), (FAR, 1)])
@pytest.mark.usefixtures("on_postgres")
def test_of_those_who_share_a_server_only_a_daemon_of_this_machine_counts(
    office: Office, paperclerk: Paperclerk, host: str, code: int
) -> None:
    live_on(office, host)

    assert paperclerk("healthcheck").code == code
    assert paperclerk("status").out.startswith("a daemon is at work")


def test_of_one_data_folder_any_daemon_counts(office: Office, paperclerk: Paperclerk) -> None:
    live_on(office, FAR)

    assert paperclerk("healthcheck").code == 0
