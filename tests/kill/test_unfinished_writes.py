"""A job that ends during a write: what Paperless has is known and can be undone.

There are four cases: a cancel and a kill while the PATCH hangs, a kill at the last attempt, a PATCH
that fails after it took effect and cannot be read back, and one that is carried out after its
timeout.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from core.changes import ChangeState
from core.jobs import MAX_RECONCILES, EventName, JobStatus
from sandbox.faults import Answer, Delay, Fault
from tests.kill.audit import broken_rules, effects_that_stayed
from tests.kill.evidence import Evidence
from tests.kill.killer import DaemonKiller, RunOptions
from tests.kill.points import PATCHED, PATCHING, AtRequest, Server
from tests.kill.recording_sandbox import RecordingSandbox, small_world
from tests.kill.scenarios import SCENARIOS, UNDO_SCENARIO, Scenario, cancel_processing
from tests.waiting import LONG

LETTER = 1
LAST = 1
"""Attempts of a job whose first one is its last."""
BROKEN = Answer(status=500, body="<h1>Server Error (500)</h1>")
WRITTEN_AND_YET_500 = Fault(
    method="PATCH", path=f"/api/documents/{LETTER}/", moment="after", effect=BROKEN
)
UNREADABLE = Fault(method="GET", path=f"/api/documents/{LETTER}/", times=None, effect=BROKEN)
"""Only this document: were the list broken as well, Paperless would count as away."""
LATE = Fault(method="PATCH", path=f"/api/documents/{LETTER}/", effect=Delay(seconds=3600))
"""The write is carried out once it is released, long after its client has given up."""
EVERY_SCENARIO = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
Meanwhile = Callable[[DaemonKiller], None]


@contextmanager
def begun_scenario(folder: Path, scenario: Scenario) -> Iterator[DaemonKiller]:
    """Yield a killer with one letter, at the point where the scenario begins."""
    with RecordingSandbox(small_world([LETTER])) as recording_sandbox:
        killer = DaemonKiller(recording_sandbox, folder / "daemons", RunOptions())
        try:
            replace(scenario, attempts=LAST).begin(killer)
            yield killer
        finally:
            killer.close()


def ends_as(evidence: Evidence) -> JobStatus:
    """Return how the job of the scenario ended: it is the newest one."""
    return evidence.jobs[-1].status


def states(evidence: Evidence) -> set[ChangeState]:
    return {change.state for change in evidence.changes}


def undo_all(killer: DaemonKiller) -> Evidence:
    """Undo everything that can be undone, without kills."""
    killer.recording_sandbox.paperless.faults.clear()
    UNDO_SCENARIO.ask(killer)
    killer.drain()
    return killer.evidence()


def assert_can_be_undone(killer: DaemonKiller) -> None:
    """Check that nothing of ours is left in Paperless or marked as written in the ledger."""
    evidence = undo_all(killer)

    assert broken_rules(evidence) == []
    assert list(effects_that_stayed(evidence)) == []
    assert not states(evidence) & {ChangeState.APPLIED, ChangeState.UNCONFIRMED}


def after(scenario: Scenario) -> ChangeState:
    """Return the state of a change whose write, or undo, took effect."""
    return ChangeState.UNDONE if scenario is UNDO_SCENARIO else ChangeState.APPLIED


@EVERY_SCENARIO
@pytest.mark.parametrize("point", [PATCHING, PATCHED], ids=["not carried out", "carried out"])
@pytest.mark.parametrize(
    ("meanwhile", "ending"),
    [(cancel_processing, JobStatus.CANCELLED), (None, JobStatus.FAILED)],
    ids=["cancel", "last attempt"],
)
def test_a_job_that_dies_while_its_write_hangs_ends_when_the_effect_is_known(
    scenario: Scenario,
    point: AtRequest,
    meanwhile: Meanwhile | None,
    ending: JobStatus,
    tmp_path: Path,
) -> None:
    with begun_scenario(tmp_path, scenario) as killer:
        assert killer.kill_at(point, meanwhile)
        killer.drain()
        evidence = killer.evidence()

        assert broken_rules(evidence) == []
        assert ends_as(evidence) is ending
        assert ChangeState.UNCONFIRMED not in states(evidence)
        assert (after(scenario) in states(evidence)) is (point is PATCHED)
        assert_can_be_undone(killer)


def blinded(recording_sandbox: RecordingSandbox) -> None:
    """Let the write fail after it took effect, and from then on every read of the document."""
    faults = recording_sandbox.faults(Server.PAPERLESS)
    faults.add(WRITTEN_AND_YET_500)
    recording_sandbox.when_written = lambda: faults.add(UNREADABLE)


@EVERY_SCENARIO
def test_a_write_that_can_never_be_read_back_is_unconfirmed_and_offered_to_undo(
    scenario: Scenario, tmp_path: Path
) -> None:
    with begun_scenario(tmp_path, scenario) as killer:
        blinded(killer.recording_sandbox)
        killer.drain()
        evidence = killer.evidence()

        assert broken_rules(evidence) == []
        [job] = [job for job in evidence.jobs if job.status is JobStatus.FAILED]
        assert (job.attempts, job.reconciles) == (LAST, MAX_RECONCILES)
        assert ChangeState.UNCONFIRMED in states(evidence)
        assert_can_be_undone(killer)


@EVERY_SCENARIO
def test_a_write_that_is_read_back_after_the_last_attempt_is_known_again(
    scenario: Scenario, tmp_path: Path
) -> None:
    with begun_scenario(tmp_path, scenario) as killer:
        blinded(killer.recording_sandbox)
        killer.work_until(lambda: killer.has_event(EventName.RECONCILING))
        killer.recording_sandbox.paperless.faults.clear()
        killer.drain()
        evidence = killer.evidence()

        assert broken_rules(evidence) == []
        assert ends_as(evidence) is JobStatus.FAILED
        assert ChangeState.UNCONFIRMED not in states(evidence)
        assert after(scenario) in states(evidence)
        assert_can_be_undone(killer)


@EVERY_SCENARIO
def test_a_write_that_is_carried_out_after_the_last_timeout_is_known(
    scenario: Scenario, tmp_path: Path
) -> None:
    with begun_scenario(tmp_path, scenario) as killer:
        settings = killer.config / "home.toml"
        impatient = settings.read_text("utf-8").replace("[ai]", 'timeout = "2s"\n[ai]', 1)
        settings.write_text(impatient, "utf-8")
        killer.recording_sandbox.faults(Server.PAPERLESS).add(LATE)
        killer.work_until(lambda: killer.has_event(EventName.RECONCILING))
        carried_out = threading.Event()
        killer.recording_sandbox.when_written = carried_out.set
        killer.recording_sandbox.paperless.faults.release()
        assert carried_out.wait(LONG)
        killer.let_time_pass()
        killer.drain()
        evidence = killer.evidence()

        assert broken_rules(evidence) == []
        assert ends_as(evidence) is JobStatus.FAILED
        assert ChangeState.UNCONFIRMED not in states(evidence)
        assert after(scenario) in states(evidence)
        assert_can_be_undone(killer)
