"""A document that kills its daemon every time ends as failed, and its neighbours do not pay."""

from dataclasses import replace
from pathlib import Path

from core.jobs import JobStatus
from sandbox.faults import Fault, Hang
from tests.kill.killer import DaemonKiller, RunOptions
from tests.kill.points import AtRequest, Server
from tests.kill.recording_sandbox import LETTERS, RecordingSandbox, small_world
from tests.kill.scenarios import FILING_SCENARIO

CRASHER = 7
DEADLY = AtRequest(
    "the crasher",
    Server.PAPERLESS,
    Fault(method="GET", path=f"/api/documents/{CRASHER}/", effect=Hang(seconds=60)),
)


def test_a_crasher_fails_after_its_three_attempts_and_costs_its_neighbours_one_at_most(
    tmp_path: Path,
) -> None:
    with RecordingSandbox(small_world()) as recording_sandbox:
        killer = DaemonKiller(recording_sandbox, tmp_path / "daemons", RunOptions(parallel=3))
        replace(FILING_SCENARIO, attempts=3).begin(killer)

        kills = 0
        while kills < 9 and killer.kill_at(DEADLY):
            kills += 1
        killer.drain()
        jobs = {job.document.id: job for job in killer.evidence().jobs}
        killer.close()

    crasher = jobs.pop(CRASHER)
    assert kills == 3
    assert (crasher.status, crasher.attempts) == (JobStatus.FAILED, 3)
    assert crasher.problem is not None
    assert crasher.problem.code == "crashed"
    assert sorted([*jobs, CRASHER]) == sorted(LETTERS)
    assert {job.status for job in jobs.values()} == {JobStatus.COMPLETED}
    assert max(job.attempts for job in jobs.values()) <= 2
