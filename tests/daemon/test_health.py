"""`healthcheck`: alive or not, in the two numbers that Docker knows; and warnings in the log."""

import asyncio
import os
import socket
from dataclasses import replace
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from actions.health import HealthSnapshot
from core.calendar import utc_now
from core.workers import Heartbeats, Worker
from daemon.context import DAEMON, Context, find_daemon, open_context
from daemon.health import HealthLog
from tests.daemon.conftest import Paperclerk
from tests.daemon.processes import a_daemon
from tests.installation import ONLY_BY_HAND, Installation
from tests.store.builders import NOON

FAR = "elsewhere"
WELL = HealthSnapshot(NOON, 0, 0, 0, None, (), timedelta())
BUSY = replace(WELL, waiting=100)


async def be_heard_of(context: Context, host: str, **silent: int) -> None:
    """Store a heartbeat; each named part has been silent for a number of seconds."""
    now, pid = context.clock(), os.getpid()
    signs = {f"{part}_at": now - timedelta(seconds=seconds) for part, seconds in silent.items()}
    await context.store.workers.record_heartbeat(
        f"{host}:{pid}", pid=pid, host=host, role=DAEMON, now=now, signs=Heartbeats(**signs)
    )


def live_on(installation: Installation, host: str, **silent: int) -> None:
    async def live() -> None:
        async with open_context(installation.options) as context:
            await be_heard_of(context, host, **silent)

    asyncio.run(live())


def test_without_a_daemon_nothing_is_alive(paperclerk: Paperclerk) -> None:
    said = paperclerk("healthcheck")

    assert (said.code, said.out) == (1, "no daemon or worker is running here\n")


def test_a_mistake_in_the_settings_is_no_number_of_its_own(
    paperclerk: Paperclerk, installation: Installation
) -> None:
    (installation.config / "daemon.toml").write_text("[wbe]\n", encoding="utf-8")

    said = paperclerk("healthcheck")

    assert said.code == 1
    assert "did you mean" in said.err


@pytest.mark.usefixtures("on_postgres")
async def test_a_daemon_elsewhere_is_alive_also_for_one_whose_clock_is_an_hour_wrong(
    installation: Installation,
) -> None:
    hour = timedelta(hours=1)
    async with (
        open_context(installation.options, clock=lambda: utc_now() - hour) as late,
        open_context(installation.options, clock=lambda: utc_now() + hour) as early,
    ):
        await be_heard_of(late, FAR)

        assert await find_daemon(early) is not None


@pytest.mark.parametrize(("host", "code"), [(socket.gethostname(), 0), (FAR, 1)])
@pytest.mark.usefixtures("on_postgres")
def test_of_those_who_share_a_server_only_a_daemon_of_this_machine_counts(
    installation: Installation, paperclerk: Paperclerk, host: str, code: int
) -> None:
    live_on(installation, host)

    assert paperclerk("healthcheck").code == code
    assert paperclerk("status").out.startswith("daemon running")


def test_of_one_data_folder_any_daemon_counts(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    live_on(installation, FAR)

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
    installation: Installation, paperclerk: Paperclerk, part: str, seconds: int, code: int, out: str
) -> None:
    live_on(installation, FAR, **{part: seconds})

    said = paperclerk("healthcheck")

    assert (said.code, said.out) == (code, f"{out}\n")


def test_a_daemon_says_of_each_of_its_parts_that_it_lives(installation: Installation) -> None:
    installation.configure(ONLY_BY_HAND)

    with a_daemon(installation) as daemon:
        daemon.wait_for("event=started")
        worker = asyncio.run(_worker(installation))

    assert worker is not None
    assert worker.signs.silent_parts(now=worker.beat_at) == ()
    assert None not in (worker.signs.processor_at, worker.signs.scheduler_at, worker.signs.web_at)


async def _worker(installation: Installation) -> Worker | None:
    async with open_context(installation.options) as context:
        return await find_daemon(context)


def test_a_warning_is_logged_once_and_once_when_it_is_over() -> None:
    health = HealthLog()

    with capture_logs() as logs:
        for figures in (WELL, BUSY, replace(BUSY, waiting=180), WELL, WELL):
            health.record(figures)

    assert [(line["event"], line["warning"], line["waiting"]) for line in logs] == [
        ("health warning", "many_waiting", 100),
        ("health warning over", "many_waiting", 0),
    ]


def test_each_warning_is_logged_with_its_figure() -> None:
    with capture_logs() as logs:
        HealthLog().record(
            replace(BUSY, failed_last_hour=10, late_scans=("attic", "home"), silent=timedelta.max)
        )

    assert {line["warning"]: line for line in logs} == {
        "many_waiting": {
            "event": "health warning",
            "log_level": "warning",
            "warning": "many_waiting",
            "waiting": 100,
        },
        "many_failed": {
            "event": "health warning",
            "log_level": "warning",
            "warning": "many_failed",
            "failed_last_hour": 10,
        },
        "scan_late": {
            "event": "health warning",
            "log_level": "warning",
            "warning": "scan_late",
            "instances": "attic,home",
        },
    }
