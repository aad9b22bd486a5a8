"""Holds are described in words: who, why, since when, and what ends them."""

import asyncio
import re
from datetime import UTC, datetime, timedelta

import pytest

from core.calendar import utc_now
from core.holds import (
    PAUSE_ALL,
    Hold,
    hours_target,
    limit_target,
    model_target,
    paperless_target,
    pause_target,
    rate_target,
)
from core.jobs import CallProgress, NewJob, Stage
from daemon.cli.exits import Exit
from daemon.cli.status import describe_hold
from tests.builders import because
from tests.daemon.conftest import Paperclerk
from tests.installation import Installation, home
from tests.query_counts import count_queries

SINCE = datetime(2026, 11, 16, 4, 41, tzinfo=UTC)
THEN = datetime(2026, 11, 16, 4, 42, tzinfo=UTC)


@pytest.mark.parametrize(
    ("target", "until", "said"),
    [
        (
            paperless_target("home"),
            THEN,
            "home, Paperless: why (since 2026-11-16 04:41:00; next retry at 2026-11-16 04:42:00)",
        ),
        (
            model_target("http://ollama/v1#12345678"),
            THEN,
            "model at http://ollama/v1: why "
            "(since 2026-11-16 04:41:00; next retry at 2026-11-16 04:42:00)",
        ),
        (
            limit_target("home"),
            THEN,
            "home, limit: why (since 2026-11-16 04:41:00; resumes at 2026-11-16 04:42:00)",
        ),
        (
            hours_target("home"),
            THEN,
            "home, hours: why (since 2026-11-16 04:41:00; resumes at 2026-11-16 04:42:00)",
        ),
        (
            rate_target("http://ollama/v1#12345678"),
            THEN,
            "model at http://ollama/v1, rate: why "
            "(since 2026-11-16 04:41:00; resumes at 2026-11-16 04:42:00)",
        ),
        (
            pause_target("home"),
            None,
            "home: why (since 2026-11-16 04:41:00; `paperclerk resume home` ends it)",
        ),
        (
            PAUSE_ALL,
            None,
            "everything: why (since 2026-11-16 04:41:00; `paperclerk resume` ends it)",
        ),
    ],
)
def test_a_hold_is_described_with_what_ends_it(
    target: str, until: datetime | None, said: str
) -> None:
    hold = Hold(target, because("why: "), since=SINCE, next_probe_at=until, probes=0)

    assert describe_hold(hold, UTC) == said


def test_the_status_says_that_no_daemon_is_at_work(paperclerk: Paperclerk) -> None:
    assert "no daemon is running; `paperclerk run` starts one" in paperclerk("status").out


@pytest.mark.parametrize("file", ["home.toml", "office.toml"])
def test_the_status_shows_errors_in_the_settings_and_what_is_stored(
    installation: Installation, paperclerk: Paperclerk, file: str
) -> None:
    assert paperclerk("process", "home/1").code == 0
    with (installation.config / file).open("a", encoding="utf-8") as settings:
        settings.write("\n[scan]\nmin_age = 5\n")

    said, output = paperclerk("status"), paperclerk("status", "--json")

    assert (said.code, output.code) == (Exit.CONFIG, Exit.CONFIG)
    assert f"{file}:" in said.err
    assert re.search(r"^home .*", said.out, re.MULTILINE)
    status = output.json()
    assert isinstance(status, dict)
    assert [(one["instance"], one["documents_today"]) for one in status["instances"]] == [
        ("home", 1)
    ]


@pytest.mark.parametrize("is_unknown", [True, False])
def test_the_status_shows_errors_alone_if_nothing_is_known(
    installation: Installation, paperclerk: Paperclerk, *, is_unknown: bool
) -> None:
    file = installation.settings_file if is_unknown else installation.config / "daemon.toml"
    file.write_text("[nothing]\n", encoding="utf-8")

    said = paperclerk("status")

    assert (said.code, said.out) == (Exit.CONFIG, "")
    assert said.err.count("config: ") == 1


def test_the_status_asks_as_much_however_many_instances_there_are(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    with count_queries() as of_one:
        paperclerk("status")
    for name in ("attic", "cellar"):
        (installation.config / f"{name}.toml").write_text(
            installation.sandbox.settings(), encoding="utf-8"
        )

    with count_queries() as of_three:
        said = paperclerk("status")

    assert of_three == of_one
    assert all(name in said.out for name in ("attic", "cellar", "home"))


async def test_the_status_shows_the_stage_of_running_jobs_in_words(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    async with installation.open() as services:
        jobs, now = services.store.jobs, utc_now()
        await jobs.enqueue(NewJob(home(7)), now=now)
        job = await jobs.claim(worker="w", now=now)
        assert job is not None
        await jobs.record_progress(job, Stage.ANALYZE, 20, now=now)
        # It began later than any "now" of the command, so that no time has passed.
        call = CallProgress(now + timedelta(days=1), tokens=85, usual_ms=40_000)
        await jobs.record_model_call(job, call, 33, now=now)

    words = await asyncio.to_thread(paperclerk, "status")
    output = await asyncio.to_thread(paperclerk, "status", "--json")

    shown = "home/7: Asking model · 0\u00a0s (usually about 40\u00a0s) · 85 tokens · 33% (job 1)"
    assert shown in words.out.splitlines()
    assert '"tokens": 85' in output.out


def test_a_pause_is_shown_with_its_reason_until_it_is_resumed(paperclerk: Paperclerk) -> None:
    paused = paperclerk("pause", "home", "--why", "moving house")
    shown = paperclerk("status")
    resumed = paperclerk("resume", "home")
    after = paperclerk("status")

    assert paused.out == "home is paused; `paperclerk resume home` ends the pause\n"
    assert "home: paused by hand: moving house" in shown.out
    assert resumed.out == "home resumed\n"
    assert "paused" not in after.out


async def test_the_status_announces_no_scan_while_an_instance_is_paused(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    async with installation.open() as services:
        later = utc_now() + timedelta(hours=1)
        await services.store.instances.plan_scan("home", cron="@hourly", next_scan_at=later)

    planned = await asyncio.to_thread(paperclerk, "status", "--json")
    await asyncio.to_thread(paperclerk, "pause", "home")
    paused = await asyncio.to_thread(paperclerk, "status", "--json")
    words = await asyncio.to_thread(paperclerk, "status")

    assert _next_scan(planned.json()) == ("planned", later.isoformat())
    assert _next_scan(paused.json()) == ("paused", None)
    [row] = [line for line in words.out.splitlines() if line.startswith("home  ")]
    assert row.split()[2] == "paused"


def _next_scan(status: object) -> tuple[object, object]:
    assert isinstance(status, dict)
    [instance] = status["instances"]
    return instance["next_scan"], instance["next_scan_at"]


def test_to_resume_everything_leaves_an_instance_paused_and_says_so(paperclerk: Paperclerk) -> None:
    paperclerk("pause")
    paperclerk("pause", "home")

    resumed = paperclerk("resume").out.splitlines()

    assert resumed[0] == "everything resumed"
    assert resumed[1].startswith("but home: paused by hand")


def test_to_resume_what_was_not_paused_says_so(paperclerk: Paperclerk) -> None:
    assert paperclerk("resume", "home").out == "home was not paused\n"
