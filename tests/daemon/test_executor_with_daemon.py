"""Commands beside a running daemon: it does the work, and the command shows what came of it."""

import asyncio
import json
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from core.jobs import ANALYZE, DRY_RUN, Job, JobStatus, Scope
from core.scans import Scan
from daemon.cli.exits import Exit
from daemon.context import DAEMON
from daemon.executor import DaemonExecutor, DaemonGone, LocalExecutor, is_within
from daemon.services import Services
from processor.processor import FinishedJob
from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour, Outcome
from scanner.scan import ScanOrder
from tests.daemon.conftest import Paperclerk
from tests.daemon.processes import RunningDaemon, a_daemon
from tests.installation import (
    HOME,
    MODEL_BLOCKED,
    ONLY_BY_HAND,
    Installation,
    drain,
    enqueue_document,
    fields_of,
    home,
    writes,
)
from tests.store.builders import NOON
from tests.waiting import LONG


@pytest.fixture
def daemon(installation: Installation) -> Iterator[RunningDaemon]:
    """A daemon that puts everything before a person, and scans only when asked."""
    installation.configure(ONLY_BY_HAND, all_fields="review")
    with a_daemon(installation) as running:
        running.wait_for("event=started")
        yield running


@pytest.fixture
def writer(installation: Installation) -> Iterator[RunningDaemon]:
    installation.configure(ONLY_BY_HAND, all_fields="replace")
    with a_daemon(installation) as running:
        running.wait_for("event=started")
        yield running


def test_a_scan_is_done_by_the_daemon_and_shown_here(
    writer: RunningDaemon, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    said = paperclerk("scan-now")

    assert said.code == 0, said.err
    assert "3 new documents of 3 seen" in said.out
    assert "home: 3 done" in said.out
    assert "Stromrechnung August 2026  [written]" in said.out
    assert writer.log.count("job completed") == 3
    assert "job completed" not in said.err


def test_a_dry_run_is_done_by_the_daemon_and_writes_nothing(
    writer: RunningDaemon, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    said = paperclerk("scan-now", "--dry-run", "--limit", "1")

    assert said.code == 0, said.err
    assert "would be written" in said.out
    assert "home: 1 done" in said.out
    assert writes(sandbox) == []


def test_json_tells_what_the_daemon_did(writer: RunningDaemon, paperclerk: Paperclerk) -> None:
    output = json.loads(paperclerk("scan-now", "--json", "--limit", "2").out)

    assert (output["enqueued"], output["completed"], output["pending"]) == (2, 2, 0)


def test_one_document_after_the_other_by_every_command(
    daemon: RunningDaemon, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    processed = paperclerk("process", "home/1")
    accepted = paperclerk("review", "accept", "home/1")
    title = fields_of(sandbox)["title"]
    undone = paperclerk("undo", "--document", "home/1")

    assert [said.code for said in (processed, accepted, undone)] == [0, 0, 0]
    assert "[for review" in processed.out
    assert "[written]" in accepted.out
    assert title == "Stromrechnung August 2026"
    assert fields_of(sandbox)["title"] == "scan_0031"
    assert "undone" in undone.out
    assert daemon.log.count("job completed") == 3


def test_a_retry_waits_for_the_attempt_and_not_for_the_one_before(
    writer: RunningDaemon, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    sandbox.model.behave(Behaviour(outcome=Outcome.REFUSAL), times=1)
    failed = paperclerk("process", "home/1")

    again = paperclerk("retry")

    assert (failed.code, again.code) == (Exit.LOOK, 0)
    assert "failed: the model refused to answer" in failed.out
    assert "[written]" in again.out
    assert again.out.count("home/1") == 1


def test_a_cancel_ends_what_the_daemon_does(
    writer: RunningDaemon, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    sandbox.model.state.faults.add(MODEL_BLOCKED)
    with ThreadPoolExecutor() as others:
        following = others.submit(paperclerk, "process", "home/1")
        assert sandbox.model.state.faults.wait_for_strikes(1, LONG)
        writer.wait_for("event=started")
        cancelled = paperclerk("cancel", "1", "--why", "a mistake")
        followed = following.result(LONG)

    assert cancelled.code == 0
    assert followed.code == Exit.LOOK
    assert "cancelled: hand: a mistake" in followed.out


def test_following_a_daemon_that_is_killed_says_so_and_can_go_on_alone(
    writer: RunningDaemon, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    sandbox.model.state.faults.add(MODEL_BLOCKED)
    with ThreadPoolExecutor() as others:
        following = others.submit(paperclerk, "process", "home/1")
        assert sandbox.model.state.faults.wait_for_strikes(1, LONG)
        writer.signal(signal.SIGKILL)
        writer.end()
        followed = following.result(LONG)
    sandbox.model.state.faults.clear()
    alone = paperclerk("process", "home/1")

    assert followed.code == Exit.LOOK
    assert "the daemon has stopped" in followed.err
    assert alone.code == 0
    assert "[written]" in alone.out


def test_status_tells_of_the_daemon_its_timers_and_its_queue(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.configure('[scan]\ncron = "@yearly"\n', all_fields="review")
    with a_daemon(installation) as daemon:
        daemon.wait_for("scan finished")
        paperclerk("scan-now")
        words, output = paperclerk("status"), json.loads(paperclerk("status", "--json").out)

    assert f"process {daemon.pid}" in words.out
    assert output["daemon"]["pid"] == daemon.pid
    [instance] = output["instances"]
    assert instance["instance"] == HOME
    assert instance["last_scan_at"] is not None
    assert instance["next_scan_at"] is not None
    assert (instance["pending"], instance["for_review"], instance["documents_today"]) == (0, 3, 3)


async def a_daemon_lives(services: Services) -> None:
    now = services.context.clock()
    await services.store.workers.record_heartbeat("vm:1", pid=1, host="vm", role=DAEMON, now=now)


async def followed(executor: DaemonExecutor, scope: Scope) -> list[FinishedJob]:
    return [finished async for finished in executor.work(scope)]


async def test_what_was_done_before_anyone_looked_is_shown(services: Services) -> None:
    await a_daemon_lives(services)
    job = await enqueue_document(services, 1)
    await drain(services)

    [finished] = await followed(DaemonExecutor(services), Scope(jobs=frozenset({job.id})))

    assert finished.job.status is JobStatus.COMPLETED


async def test_of_a_dry_run_only_its_own_jobs_are_shown_and_waited_for(services: Services) -> None:
    await a_daemon_lives(services)
    executor = DaemonExecutor(services)
    await enqueue_document(services, 2)

    assert await followed(executor, Scope(instances=(HOME,), kinds=frozenset({DRY_RUN}))) == []


async def test_a_daemon_that_does_not_take_it_up_is_not_waited_for(services: Services) -> None:
    await a_daemon_lives(services)
    executor = DaemonExecutor(services, patience=timedelta(0))
    job = await enqueue_document(services, 1)

    with pytest.raises(DaemonGone, match="does not process this"):
        await followed(executor, Scope(jobs=frozenset({job.id})))
    with pytest.raises(DaemonGone, match="does not process this"):
        await executor.scan(HOME, ScanOrder())


async def test_a_job_that_was_started_again_has_not_ended(
    services: Services, sandbox: Sandbox
) -> None:
    await a_daemon_lives(services)
    sandbox.model.behave(Behaviour(outcome=Outcome.REFUSAL), times=1)
    job = await enqueue_document(services, 1)
    await drain(services)
    await services.store.jobs.restart(job.id, by="hand", now=services.context.clock())
    executor = DaemonExecutor(services, patience=timedelta(0))

    with pytest.raises(DaemonGone):
        await anext(executor.work(Scope(jobs=frozenset({job.id}))))


async def test_a_scan_of_another_kind_is_done_first_and_then_ones_own(
    services: Services, sandbox: Sandbox
) -> None:
    now = services.context.clock()
    await services.store.scans.request(HOME, asked_by="someone", kind=DRY_RUN, limit=1, now=now)

    scan = await LocalExecutor(services, services.processor(), asyncio.Event()).scan(
        HOME, ScanOrder()
    )

    assert (scan.kind, scan.enqueued) == (ANALYZE, 3)
    assert len(await services.store.scans.list(HOME)) == 2


@pytest.mark.parametrize(
    ("kind", "limit", "order", "fits"),
    [
        (ANALYZE, None, ScanOrder(), True),
        (ANALYZE, None, ScanOrder(limit=3), True),
        (ANALYZE, 3, ScanOrder(limit=3), True),
        (ANALYZE, 3, ScanOrder(), False),
        (DRY_RUN, None, ScanOrder(), False),
        (ANALYZE, None, ScanOrder(kind=DRY_RUN), False),
    ],
)
def test_a_scan_that_is_joined_must_be_the_one_that_was_asked_for(
    kind: str, limit: int | None, order: ScanOrder, *, fits: bool
) -> None:
    scan = Scan(1, HOME, "timer", NOON, kind=kind, limit=limit)

    assert scan.satisfies(order.kind, order.limit) is fits


@pytest.mark.parametrize(
    ("scope", "inside"),
    [
        (Scope(), True),
        (Scope(jobs=frozenset({1})), True),
        (Scope(jobs=frozenset({2})), False),
        (Scope(instances=(HOME,)), True),
        (Scope(instances=("office",)), False),
        (Scope(instances=(HOME,), kinds=frozenset({ANALYZE})), True),
        (Scope(instances=(HOME,), kinds=frozenset({DRY_RUN})), False),
    ],
)
def test_a_job_is_within_what_a_command_is_about(scope: Scope, *, inside: bool) -> None:
    job = Job(1, home(7), ANALYZE, JobStatus.PENDING, 0, 0, 0, 3, NOON, NOON, "scan")

    assert is_within(job, scope) is inside
