"""`healthcheck`: alive or not, in the two numbers that Docker knows."""

import asyncio
import os
import socket
from datetime import timedelta

import pytest

from core.clock import utc_now
from core.workers import LifeSigns, Worker
from daemon.alive import DAEMON, running_daemon
from daemon.memory import Memory, open_memory
from tests.daemon.conftest import Paperclerk
from tests.daemon.processes import a_daemon
from tests.office import ONLY_BY_HAND, Office

FAR = "elsewhere"


async def be_heard_of(memory: Memory, host: str, **silent: int) -> None:
    """Show life; each part named has been silent for so many seconds."""
    now, pid = memory.clock(), os.getpid()
    signs = {f"{part}_at": now - timedelta(seconds=seconds) for part, seconds in silent.items()}
    await memory.store.workers.beat(
        f"{host}:{pid}", pid=pid, host=host, role=DAEMON, now=now, signs=LifeSigns(**signs)
    )


def live_on(office: Office, host: str, **silent: int) -> None:
    async def live() -> None:
        async with open_memory(office.options) as memory:
            await be_heard_of(memory, host, **silent)

    asyncio.run(live())


def test_without_a_daemon_nothing_is_alive(paperclerk: Paperclerk) -> None:
    said = paperclerk("healthcheck")

    assert (said.code, said.out) == (1, "no daemon is running on this data folder\n")


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


@pytest.mark.parametrize(
    ("part", "seconds", "code", "out"),
    [
        ("processor", 290, 0, "alive"),
        ("processor", 310, 1, "not responding: processor"),
        ("scheduler", 290, 0, "alive"),
        ("scheduler", 310, 1, "not responding: scheduler"),
        ("web", 110, 0, "alive"),
        ("web", 130, 1, "not responding: dashboard"),
    ],
)
def test_each_part_must_show_life_and_a_short_flood_is_no_reason_to_restart(
    office: Office, paperclerk: Paperclerk, part: str, seconds: int, code: int, out: str
) -> None:
    live_on(office, FAR, **{part: seconds})

    said = paperclerk("healthcheck")

    assert (said.code, said.out) == (code, f"{out}\n")


def test_a_daemon_says_of_each_of_its_parts_that_it_lives(office: Office) -> None:
    office.configure(ONLY_BY_HAND)

    with a_daemon(office) as daemon:
        daemon.wait_for("event=started")
        worker = asyncio.run(_worker(office))

    assert worker is not None
    assert worker.signs.silent(now=worker.beat_at) == ()
    assert None not in (worker.signs.processor_at, worker.signs.scheduler_at, worker.signs.web_at)


async def _worker(office: Office) -> Worker | None:
    async with open_memory(office.options) as memory:
        return await running_daemon(memory)
