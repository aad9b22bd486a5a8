"""`paperclerk worker`: it processes jobs of a shared queue, through the database's bad hours."""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from core.jobs import JobStatus
from core.scans import Scan
from core.workers import ONLY_PROCESSES, Worker
from daemon.cli.exits import Exit
from daemon.context import list_running, open_context
from daemon.worker import Loops
from sandbox import Sandbox
from store import StoreUnavailable
from store.engine import FILE_NAME
from tests.daemon.conftest import Paperclerk
from tests.daemon.processes import a_worker
from tests.daemon.test_run import enqueue, jobs_in
from tests.installation import HOME, MODEL_BLOCKED, Installation, patches
from tests.waiting import LONG

AT_ONCE = timedelta(milliseconds=1)


def request_scan(installation: Installation) -> None:
    async def request() -> None:
        async with open_context(installation.options) as context:
            await context.store.scans.request(HOME, asked_by="hand", now=context.clock())

    asyncio.run(request())


def requested_scan(installation: Installation) -> Scan | None:
    async def read() -> Scan | None:
        async with open_context(installation.options) as context:
            return await context.store.scans.find_requested(HOME)

    return asyncio.run(read())


def running(installation: Installation) -> list[Worker]:
    async def read() -> list[Worker]:
        async with open_context(installation.options) as context:
            return list(await list_running(context))

    return asyncio.run(read())


def test_on_sqlite_it_refuses_and_creates_nothing(
    paperclerk: Paperclerk, installation: Installation
) -> None:
    (installation.data / FILE_NAME).unlink()

    said = paperclerk("worker")

    assert said.code == Exit.CONFIG
    assert "needs PostgreSQL: set database.url" in said.err
    assert not (installation.data / FILE_NAME).exists()


@pytest.mark.usefixtures("on_postgres")
def test_it_processes_what_is_queued_and_stops_in_time(installation: Installation) -> None:
    installation.configure(all_fields="replace")
    enqueue(installation, 1, 2)

    with a_worker(installation) as worker:
        worker.wait_for("job completed", times=2)
        worker.signal(signal.SIGTERM)
        code = worker.end()

    assert code == 0, worker.log
    assert [job.status for job in jobs_in(installation)] == [JobStatus.COMPLETED] * 2
    assert running(installation) == []


@pytest.mark.usefixtures("on_postgres")
def test_it_neither_scans_nor_serves_pages(installation: Installation) -> None:
    installation.configure(all_fields="replace")
    enqueue(installation, 1)
    request_scan(installation)

    with a_worker(installation) as worker:
        worker.wait_for("job completed")
        [registered] = running(installation)
        worker.signal(signal.SIGTERM)
        worker.end()

    assert registered.role == ONLY_PROCESSES
    assert registered.signs.processor_at is not None
    assert (registered.signs.scheduler_at, registered.signs.web_at) == (None, None)
    assert "web=" not in worker.log
    assert requested_scan(installation) is not None


@pytest.mark.usefixtures("on_postgres")
def test_the_health_check_is_about_the_worker_where_there_is_no_daemon(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    with a_worker(installation) as worker:
        worker.wait_for("event=started")
        alive = paperclerk("healthcheck")
        daemon = paperclerk("status")
        worker.kill()
        dead = paperclerk("healthcheck")

    assert (alive.code, alive.out) == (0, "alive\n")
    assert daemon.out.startswith("no daemon is running")
    assert (dead.code, dead.out) == (1, "no daemon or worker is running here\n")


@pytest.mark.usefixtures("on_postgres")
def test_a_stop_releases_the_job_for_the_other_workers(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="replace")
    sandbox.model.state.faults.add(MODEL_BLOCKED)
    enqueue(installation, 1)

    with a_worker(installation) as first:
        assert sandbox.model.state.faults.wait_for_strikes(1, LONG), first.log
        first.signal(signal.SIGTERM)
        code = first.end()
    sandbox.model.state.faults.clear()
    with a_worker(installation, name="second") as second:
        second.wait_for("job completed")

    assert code == 0, first.log
    [job] = jobs_in(installation)
    assert (job.status, job.attempts) == (JobStatus.COMPLETED, 1)


@pytest.mark.usefixtures("on_postgres")
def test_status_lists_each_process_with_what_it_does(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="replace")
    sandbox.model.state.faults.add(MODEL_BLOCKED)
    enqueue(installation, 1)

    with a_worker(installation) as first, a_worker(installation, name="second") as second:
        assert sandbox.model.state.faults.wait_for_strikes(1, LONG), first.log
        second.wait_for("event=started")
        first.wait_for("event=started")
        shown = [line.split() for line in paperclerk("status").out.splitlines()]

    by_pid = {words[0].rpartition(":")[2]: words for words in shown if ":" in (words or [""])[0]}
    found = [by_pid[str(worker.pid)] for worker in (first, second)]
    assert sorted(words[1:3] for words in found) == [["worker", "1"], ["worker", "idle"]]


@pytest.mark.usefixtures("on_postgres")
def test_an_edited_file_counts_without_a_restart_and_a_broken_one_does_not(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="replace")
    sandbox.model.state.faults.add(MODEL_BLOCKED)
    enqueue(installation, 1)

    with a_worker(installation) as worker:
        assert sandbox.model.state.faults.wait_for_strikes(1, LONG), worker.log
        installation.configure(all_fields="review")
        worker.wait_for("home.fields.title")
        sandbox.model.state.faults.release()
        worker.wait_for("job completed")
        after_review = patches(sandbox)
        sandbox.model.state.faults.add(MODEL_BLOCKED)
        enqueue(installation, 2)
        assert sandbox.model.state.faults.wait_for_strikes(2, LONG), worker.log
        installation.settings_file.write_text("[paperless]\ntokn = 1\n")
        worker.wait_for("place=home.toml:2")
        sandbox.model.state.faults.release()
        worker.wait_for("job completed", times=2)
        after_break = patches(sandbox)
        installation.configure(all_fields="replace")
        worker.wait_for("settings valid again")
        enqueue(installation, 3)
        worker.wait_for("job completed", times=3)

    assert (after_review, after_break) == ([], [])
    assert len(patches(sandbox)) == 1
    assert "Traceback" not in worker.log


def step_of(outcomes: list[bool], stop: asyncio.Event) -> Callable[[], Awaitable[None]]:
    """Make a step that goes as the outcomes say, one after the other; after the last it stops."""

    async def step() -> None:
        if not outcomes:
            stop.set()
        elif not outcomes.pop(0):
            raise StoreUnavailable("the disk is full")

    return step


async def run(*outcomes: list[bool]) -> list[str]:
    """Take one step for each outcome; return what was logged."""
    stop = asyncio.Event()
    loops = Loops(stop)
    with capture_logs() as logs:
        async with asyncio.timeout(LONG), asyncio.TaskGroup() as tasks:
            for outcome in outcomes:
                tasks.create_task(loops.every(AT_ONCE, step_of(outcome, stop)))
    return [entry["event"] for entry in logs]


async def test_a_step_is_taken_until_the_stop() -> None:
    assert await run([True, True, True]) == []


async def test_an_outage_is_reported_at_its_begin_and_at_its_end() -> None:
    logged = await run([True, False, False, False, True, True])

    assert logged == ["database unavailable", "database available again"]


async def test_an_outage_that_all_steps_meet_is_reported_once() -> None:
    stop = asyncio.Event()
    loops, away, taken = Loops(stop), True, 0

    def step() -> Callable[[], Awaitable[None]]:
        async def one() -> None:
            nonlocal taken
            taken += 1
            if away:
                raise StoreUnavailable("gone")

        return one

    with capture_logs() as logs:
        async with asyncio.timeout(LONG), asyncio.TaskGroup() as tasks:
            for _ in range(5):
                tasks.create_task(loops.every(AT_ONCE, step()))
            while taken < 20:
                await asyncio.sleep(0.001)
            away = False
            while taken < 60:
                await asyncio.sleep(0.001)
            stop.set()

    assert [entry["event"] for entry in logs] == [
        "database unavailable",
        "database available again",
    ]


async def test_a_loop_that_is_ended_ends_its_step_and_leaves_nothing_behind() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def long() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    task = asyncio.create_task(Loops(asyncio.Event()).every(AT_ONCE, long))
    await asyncio.wait_for(begun.wait(), LONG)
    task.cancel()
    await asyncio.wait({task}, timeout=LONG)

    assert task.cancelled()
    assert ended.is_set()


async def test_an_unforeseen_error_is_reported_once_and_ends_neither_its_part_nor_another() -> None:
    stop = asyncio.Event()
    loops, is_broken, taken, others = Loops(stop), True, 0, 0

    async def breaking() -> None:
        nonlocal taken
        taken += 1
        if is_broken:
            raise ValueError("words of a letter")

    async def sound() -> None:
        nonlocal others
        others += 1

    with capture_logs() as logs:
        async with asyncio.timeout(LONG), asyncio.TaskGroup() as tasks:
            for step in (breaking, sound):
                tasks.create_task(loops.every(AT_ONCE, step))
            while taken < 20:
                await asyncio.sleep(0.001)
            is_broken, before = False, others
            while taken < 40 or others < before + 20:
                await asyncio.sleep(0.001)
            stop.set()

    assert [entry["event"] for entry in logs] == ["part failed", "part works again"]
    assert logs[0]["part"].endswith("breaking")
    assert "ValueError in test_worker.py:" in logs[0]["error"]
    assert "letter" not in str(logs)


async def test_another_error_of_the_same_part_is_reported_as_well() -> None:
    stop = asyncio.Event()
    errors: list[Exception] = [ValueError(), ValueError(), KeyError()]

    async def breaking() -> None:
        if errors:
            raise errors.pop(0)
        stop.set()

    with capture_logs() as logs:
        async with asyncio.timeout(LONG):
            await Loops(stop).every(AT_ONCE, breaking)

    failed = [entry["error"] for entry in logs if entry["event"] == "part failed"]
    assert [error.split()[0] for error in failed] == ["ValueError", "KeyError"]


async def test_a_step_that_fails_while_it_is_being_ended_leaves_one_line() -> None:
    stop, begun = asyncio.Event(), asyncio.Event()

    async def step() -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            raise ZeroDivisionError

    with capture_logs() as logs:
        running = asyncio.create_task(Loops(stop).every(AT_ONCE, step))
        await begun.wait()
        running.cancel()
        await asyncio.wait({running}, timeout=LONG)

    assert running.cancelled()
    assert [entry["event"] for entry in logs] == ["part failed while being ended"]
