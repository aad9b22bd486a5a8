"""The program as a process: exit codes, signals, and two of them at once."""

import asyncio
import os
import shutil
import signal
import subprocess

from core.jobs import Job, JobStatus
from sandbox import Sandbox
from sandbox.faults import Faults
from tests.daemon.conftest import Paperclerk, Program, StartForked
from tests.daemon.programs import ForkedProgram
from tests.installation import MODEL_BLOCKED, Installation, blocked, fields_of, writes
from tests.waiting import LONG


def held(faults: Faults, program: "ForkedProgram | subprocess.Popen[str]", count: int = 1) -> None:
    """Wait until the program's request is held up."""
    assert faults.wait_for_strikes(count, LONG), program.communicate(timeout=LONG)


def job_one(installation: Installation) -> Job:
    async def read() -> Job:
        async with installation.open() as services:
            return await services.store.jobs.get(1)

    return asyncio.run(read())


def test_the_program_files_documents_and_says_so(
    installation: Installation, sandbox: Sandbox, program: Program
) -> None:
    installation.configure(all_fields="replace")

    process = program("scan-now", "home", "--limit", "1")
    out, err = process.communicate(timeout=LONG)

    assert process.returncode == 0, err
    assert "home: 1 done" in out
    # Not on a terminal, so the log is on stderr, one line an event.
    assert 'event="job completed"' in err
    assert "event=" not in out


def test_what_the_program_writes_can_be_read_by_its_user_alone(
    installation: Installation, sandbox: Sandbox, program: Program
) -> None:
    shutil.rmtree(installation.data)
    sandbox.model.state.faults.add(MODEL_BLOCKED)
    before = os.umask(0)
    try:
        process = program("scan-now", "home", "--limit", "1")
    finally:
        os.umask(before)

    held(sandbox.model.state.faults, process)

    modes = {file.name: f"{file.stat().st_mode & 0o777:o}" for file in installation.data.iterdir()}
    assert installation.data.stat().st_mode & 0o777 == 0o700
    databases = ("paperclerk.db", "index.db")
    files = [f"{name}{ending}" for name in databases for ending in ("", "-wal", "-shm")]
    assert modes == dict.fromkeys((*files, "paperclerk.lock"), "600")


def test_mistakes_in_the_settings_end_with_two(
    installation: Installation, forked_program: StartForked
) -> None:
    installation.settings_file.write_text('[paperless]\nurl = "x"\n')

    process = forked_program("scan-now")
    out, err = process.communicate(timeout=LONG)

    assert (process.returncode, out) == (2, "")
    assert "home.toml:2" in err
    assert "Traceback" not in err


def test_an_interrupt_stops_cleanly_and_gives_the_job_back(
    installation: Installation, sandbox: Sandbox, forked_program: StartForked
) -> None:
    sandbox.model.state.faults.add(MODEL_BLOCKED)
    process = forked_program("scan-now", "--limit", "1")
    held(sandbox.model.state.faults, process)

    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=LONG)

    assert process.returncode == 130, err
    assert "Traceback" not in err
    job = job_one(installation)
    assert (job.status, job.attempts) == (JobStatus.PENDING, 0)
    assert "waits: stopped" in out
    assert writes(sandbox) == []


def test_a_termination_lets_a_write_come_to_its_end(
    installation: Installation, sandbox: Sandbox, forked_program: StartForked
) -> None:
    installation.configure(all_fields="replace")
    sandbox.paperless.faults.add(blocked("/api/documents/3/", method="PATCH"))
    process = forked_program("scan-now", "--limit", "1")
    held(sandbox.paperless.faults, process)

    process.send_signal(signal.SIGTERM)
    sandbox.paperless.faults.release()
    _, err = process.communicate(timeout=LONG)

    assert process.returncode == 130, err
    assert job_one(installation).status is JobStatus.COMPLETED
    assert fields_of(sandbox, 3)["correspondent"] == "Redwood Analytics"


def test_an_interrupt_ends_a_scan_and_begins_no_other(
    installation: Installation, sandbox: Sandbox, forked_program: StartForked
) -> None:
    (installation.config / "attic.toml").write_text(sandbox.settings())
    sandbox.paperless.faults.add(blocked("/api/documents/"))
    process = forked_program("scan-now")
    held(sandbox.paperless.faults, process)

    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=LONG)

    assert process.returncode == 130, err
    assert "attic: interrupted" in err
    assert "Traceback" not in err
    assert len(list(sandbox.paperless.requests)) <= 2


def test_a_second_interrupt_leaves_at_once(
    installation: Installation, sandbox: Sandbox, forked_program: StartForked
) -> None:
    installation.configure(all_fields="replace")
    sandbox.paperless.faults.add(blocked("/api/documents/3/", method="PATCH"))
    process = forked_program("scan-now", "--limit", "1")
    held(sandbox.paperless.faults, process)

    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=LONG)

    assert process.returncode == 130, err
    assert "Traceback" not in err


def test_what_a_killed_process_was_processing_is_recovered_at_the_next_start(
    installation: Installation,
    sandbox: Sandbox,
    forked_program: StartForked,
    paperclerk: Paperclerk,
) -> None:
    installation.configure(all_fields="replace")
    sandbox.model.state.faults.add(MODEL_BLOCKED)
    process = forked_program("scan-now", "--limit", "1")
    held(sandbox.model.state.faults, process)
    process.kill()
    process.communicate(timeout=LONG)
    assert job_one(installation).status is JobStatus.PROCESSING

    said = paperclerk("scan-now", "--json", "--limit", "1")

    job = job_one(installation)
    assert said.code == 0
    assert 'event="job recovered"' in said.err
    assert (job.status, job.attempts) == (JobStatus.COMPLETED, 2)
    assert fields_of(sandbox, 3)["correspondent"] == "Redwood Analytics"


def test_a_process_killed_between_write_and_read_back_writes_nothing_twice(
    installation: Installation,
    sandbox: Sandbox,
    forked_program: StartForked,
    paperclerk: Paperclerk,
) -> None:
    installation.configure(all_fields="replace")
    sandbox.paperless.faults.add(blocked("/api/documents/3/", method="GET", nth=3))
    process = forked_program("scan-now", "--limit", "1")
    held(sandbox.paperless.faults, process)
    process.kill()
    process.communicate(timeout=LONG)

    assert paperclerk("scan-now", "--limit", "1").code == 0

    written = [path for method, path in writes(sandbox) if method == "PATCH"]
    assert written.count("/api/documents/3/") == 1
    assert len(sandbox.model.state.chats()) == 2
    assert job_one(installation).status is JobStatus.COMPLETED


def test_the_second_of_two_at_once_says_who_is_at_work(
    installation: Installation,
    sandbox: Sandbox,
    forked_program: StartForked,
    paperclerk: Paperclerk,
) -> None:
    sandbox.model.state.faults.add(MODEL_BLOCKED)
    process = forked_program("scan-now", "--limit", "1")
    held(sandbox.model.state.faults, process)

    said = paperclerk("scan-now")

    sandbox.model.state.faults.release()
    process.communicate(timeout=LONG)
    assert said.code == 1
    assert said.err == (
        f"process {process.pid} is using this data folder\n"
        "  -> It is another command, or a daemon that is just starting: type this again when it has"
        " ended. With a daemon (`paperclerk run`) commands wait for each other by themselves.\n"
    )
    assert process.returncode == 0


def test_a_running_job_is_cancelled_from_another_process_while_the_model_still_thinks(
    installation: Installation,
    sandbox: Sandbox,
    forked_program: StartForked,
    paperclerk: Paperclerk,
) -> None:
    sandbox.model.state.faults.add(MODEL_BLOCKED)
    process = forked_program("scan-now", "--limit", "1")
    held(sandbox.model.state.faults, process)

    said = paperclerk("cancel", "1", "--why", "wrong one")
    out, _ = process.communicate(timeout=LONG)

    assert said.out == "job 1 (home/3) is being cancelled\n"
    assert "cancelled: hand: wrong one" in out
    assert job_one(installation).status is JobStatus.CANCELLED


def test_what_is_accepted_while_another_process_works_is_not_lost(
    installation: Installation,
    sandbox: Sandbox,
    forked_program: StartForked,
    paperclerk: Paperclerk,
) -> None:
    assert paperclerk("process", "home/1").code == 0
    sandbox.model.state.faults.add(MODEL_BLOCKED)
    process = forked_program("scan-now")
    held(sandbox.model.state.faults, process)

    said = paperclerk("review", "accept", "home/1")

    sandbox.model.state.faults.release()
    process.communicate(timeout=LONG)
    assert said.code == 0
    assert f"process {process.pid}" in said.out
    assert fields_of(sandbox)["title"] == "Stromrechnung August 2026"
