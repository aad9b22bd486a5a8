"""The daemon as a process: it works, stops in time, and outlives its database's bad hours."""

import asyncio
import json
import shutil
import signal
from pathlib import Path

import pytest

from core.calendar import utc_now
from core.jobs import Job, JobStatus
from daemon.cli.exits import Exit
from sandbox import Sandbox
from sandbox.faults import Delay, Fault
from store.engine import FILE_NAME
from tests.daemon.conftest import Paperclerk
from tests.daemon.processes import GIVEN_UP, a_daemon
from tests.installation import (
    HOME,
    MODEL_BLOCKED,
    ONLY_BY_HAND,
    Installation,
    enqueue_document,
    fields_of,
    patches,
)
from tests.waiting import HELD, LONG

WRITE_HANGS = Fault(method="PATCH", effect=Delay(seconds=HELD))


def jobs_in(installation: Installation) -> list[Job]:
    async def read() -> list[Job]:
        async with installation.open() as services:
            return list(reversed(await services.store.jobs.list()))

    return asyncio.run(read())


def enqueue(installation: Installation, *ids: int) -> None:
    """Put documents into the queue as of now, by the clock that the daemon has."""
    installation.clock.advance(seconds=(utc_now() - installation.clock()).total_seconds())
    enqueued_now(installation, *ids)


def enqueued_now(installation: Installation, *ids: int) -> list[Job]:
    """Put documents into the queue by the clock of the installation."""

    async def ask() -> list[Job]:
        async with installation.open() as services:
            return [await enqueue_document(services, id_) for id_ in ids]

    return asyncio.run(ask())


@pytest.fixture
def writing(installation: Installation) -> Installation:
    installation.configure(ONLY_BY_HAND, all_fields="replace")
    return installation


def test_a_stop_during_a_slow_model_call_is_in_time_and_loses_nothing(
    writing: Installation, sandbox: Sandbox
) -> None:
    sandbox.model.state.faults.add(MODEL_BLOCKED)
    enqueue(writing, 1, 2)

    with a_daemon(writing) as daemon:
        assert sandbox.model.state.faults.wait_for_strikes(1, LONG), daemon.log
        daemon.signal(signal.SIGTERM)
        code = daemon.end()

    assert code == 0, daemon.log
    assert [(job.status, job.attempts) for job in jobs_in(writing)] == [(JobStatus.PENDING, 0)] * 2
    assert "Traceback" not in daemon.log
    assert daemon.log.rstrip().endswith("event=stopped")


def test_a_stop_during_a_hanging_write_is_in_time_and_the_next_start_finds_out_what_became_of_it(
    writing: Installation, sandbox: Sandbox
) -> None:
    sandbox.paperless.faults.add(WRITE_HANGS)
    enqueue(writing, 1)

    with a_daemon(writing) as daemon:
        assert sandbox.paperless.faults.wait_for_strikes(1, LONG), daemon.log
        daemon.signal(signal.SIGTERM)
        code = daemon.end()
    stopped = jobs_in(writing)
    sandbox.paperless.faults.clear()
    with a_daemon(writing, name="second") as second:
        second.wait_for("job completed")

    assert code == 0, daemon.log
    assert "Traceback" not in daemon.log
    assert "exited with running work" not in daemon.log
    assert daemon.log.rstrip().endswith("event=stopped")
    assert [(job.status, job.attempts) for job in stopped] == [(JobStatus.PENDING, 0)]
    assert fields_of(sandbox)["title"] == "Stromrechnung August 2026"
    assert len(patches(sandbox)) <= 2


def test_a_second_signal_ends_it_at_once_and_the_next_start_takes_the_job_back(
    writing: Installation, sandbox: Sandbox
) -> None:
    sandbox.model.state.faults.add(MODEL_BLOCKED)
    enqueue(writing, 1)

    with a_daemon(writing) as daemon:
        assert sandbox.model.state.faults.wait_for_strikes(1, LONG), daemon.log
        daemon.signal(signal.SIGINT)
        daemon.wait_for("event=stopping")
        daemon.signal(signal.SIGINT)
        code = daemon.end()
    sandbox.model.state.faults.clear()
    with a_daemon(writing, name="second") as second:
        second.wait_for("job recovered")
        second.wait_for("job completed")

    assert code == Exit.CANCELLED, daemon.log


def test_an_idle_daemon_stops_by_itself(writing: Installation) -> None:
    with a_daemon(writing) as daemon:
        daemon.wait_for("event=started")
        daemon.signal(signal.SIGTERM)
        code = daemon.end()

    assert code == 0, daemon.log
    assert GIVEN_UP not in daemon.log


def test_a_second_daemon_on_the_same_data_says_why_it_will_not_start(writing: Installation) -> None:
    with a_daemon(writing) as first:
        first.wait_for("event=started")
        with a_daemon(writing, name="second") as second:
            code = second.end()

    assert code == Exit.LOOK
    assert f"process {first.pid} is using this data folder" in second.log
    assert "Stop the other Paperclerk first" in second.log
    assert "Traceback" not in second.log


def test_healthcheck_knows_a_daemon_that_lives_one_that_stopped_and_one_that_was_killed(
    writing: Installation, paperclerk: Paperclerk
) -> None:
    codes = [paperclerk("healthcheck").code]
    for name, end in (("first", signal.SIGTERM), ("second", signal.SIGKILL)):
        with a_daemon(writing, name=name) as daemon:
            daemon.wait_for("event=started")
            codes.append(paperclerk("healthcheck").code)
            daemon.signal(end)
            daemon.end()
        codes.append(paperclerk("healthcheck").code)

    assert codes == [Exit.LOOK, Exit.OK, Exit.LOOK, Exit.OK, Exit.LOOK]


def test_a_pause_survives_a_restart_and_a_resume_is_noticed(
    writing: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    paused = [paperclerk("pause", HOME), paperclerk("pause", "--why", "holidays")]
    enqueue(writing, 1)

    with a_daemon(writing, name="first") as first:
        first.wait_for("event=started")
        status = paperclerk("status").out
        first.signal(signal.SIGTERM)
        first.end()
    with a_daemon(writing, name="second") as second:
        second.wait_for("event=started")
        paperclerk("resume")
        one_left = json.loads(paperclerk("status", "--json").out)
        untouched = list(sandbox.model.state.chats())
        paperclerk("resume", HOME)
        second.wait_for("job completed")

    assert [said.code for said in paused] == [0, 0]
    assert "holidays" in status
    assert [hold["target"] for hold in one_left["holds"]] == [f"pause:{HOME}"]
    assert (one_left["instances"][0]["held"], untouched) == (1, [])


def test_a_database_that_is_deleted_is_reported_once_and_used_again_when_it_is_back(
    writing: Installation, paperclerk: Paperclerk
) -> None:
    with a_daemon(writing) as daemon:
        daemon.wait_for("event=started")
        writing.remove_database()
        daemon.wait_for("database unavailable")
        writing.restore_database()
        daemon.wait_for("database available again")
        said = paperclerk("scan-now", "--json")

    assert said.code == 0, daemon.log
    assert json.loads(said.out)["completed"] == 3
    assert daemon.log.count("database unavailable") == 1
    assert f"{FILE_NAME} is missing: restore it" in daemon.log
    assert "Traceback" not in daemon.log


def test_a_full_disk_is_reported_once_and_work_goes_on_when_there_is_room(
    writing: Installation,
) -> None:
    with a_daemon(writing) as daemon:
        daemon.wait_for("event=started")
        daemon.fill_disk()
        enqueue(writing, 1)
        daemon.wait_for("database unavailable")
        enqueue(writing, 2)
        daemon.clear_disk()
        daemon.wait_for("job completed", times=2)

    assert daemon.log.count("database unavailable") == 1
    assert "Check for a full disk" in daemon.log
    assert [(job.status, job.attempts) for job in jobs_in(writing)] == [
        (JobStatus.COMPLETED, 1),
        (JobStatus.COMPLETED, 1),
    ]


def test_a_disk_that_fills_up_in_the_middle_of_an_attempt_costs_no_attempt(
    writing: Installation, sandbox: Sandbox
) -> None:
    sandbox.model.state.faults.add(MODEL_BLOCKED)
    enqueue(writing, 1)

    with a_daemon(writing) as daemon:
        assert sandbox.model.state.faults.wait_for_strikes(1, LONG), daemon.log
        daemon.fill_disk()
        sandbox.model.state.faults.release()
        daemon.wait_for("database unavailable")
        daemon.clear_disk()
        daemon.wait_for("job completed")

    [job] = jobs_in(writing)
    assert (job.status, job.attempts) == (JobStatus.COMPLETED, 1)
    assert "the database was unreachable" in daemon.log


def test_a_database_that_is_replaced_is_taken_as_it_is(
    writing: Installation, migrated: Path, paperclerk: Paperclerk
) -> None:
    with a_daemon(writing) as daemon:
        daemon.wait_for("event=started")
        fresh = writing.data / "fresh.db"
        shutil.copy(migrated, fresh)
        fresh.replace(writing.data / FILE_NAME)
        daemon.wait_for("database file replaced")
        said = paperclerk("status", "--json")

    assert said.code == 0
    assert "Traceback" not in daemon.log


def test_a_database_that_is_replaced_under_a_job_costs_that_job_and_nothing_else(
    writing: Installation, sandbox: Sandbox, migrated: Path
) -> None:
    sandbox.model.state.faults.add(MODEL_BLOCKED)
    enqueue(writing, 1)

    with a_daemon(writing) as daemon:
        assert sandbox.model.state.faults.wait_for_strikes(1, LONG), daemon.log
        fresh = writing.data / "fresh.db"
        shutil.copy(migrated, fresh)
        fresh.replace(writing.data / FILE_NAME)
        daemon.wait_for("database file replaced")
        sandbox.model.state.faults.release()
        daemon.wait_for("job lost")
        enqueue(writing, 2)
        daemon.wait_for("job completed")
        daemon.signal(signal.SIGTERM)
        code = daemon.end()

    assert code == 0
    assert [job.document.id for job in jobs_in(writing)] == [2]
    assert "Traceback" not in daemon.log


def test_what_a_clock_that_was_ahead_has_planned_is_shown_and_then_done(
    writing: Installation, paperclerk: Paperclerk
) -> None:
    writing.clock.advance(days=400)
    [planned] = enqueued_now(writing, 1)
    status = paperclerk("status").out
    listed = paperclerk("status", "--json").json()

    with a_daemon(writing) as daemon:
        daemon.wait_for("job completed")

    assert f"job {planned.id} waits until" in status
    assert isinstance(listed, dict)
    assert [entry["job"]["id"] for entry in listed["waits_too_long"]] == [planned.id]
    assert 'event="jobs rescheduled" jobs=1' in daemon.log
    assert "waits until" not in paperclerk("status").out
