"""A document that kills its daemon every time ends as failed, and its neighbours do not pay."""

from dataclasses import replace
from pathlib import Path

from core.jobs import JobStatus
from sandbox.faults import Fault, Hang
from tests.kill.plays import FILING_PLAY
from tests.kill.points import AtRequest, Server
from tests.kill.scene import Manner, Scene
from tests.kill.stage import LETTERS, Stage, small_world

CRASHER = 7
DEADLY = AtRequest(
    "the crasher",
    Server.PAPERLESS,
    Fault(method="GET", path=f"/api/documents/{CRASHER}/", effect=Hang(seconds=60)),
)


def test_a_crasher_fails_after_its_three_attempts_and_costs_its_neighbours_one_at_most(
    tmp_path: Path,
) -> None:
    with Stage(small_world()) as stage:
        scene = Scene(stage, tmp_path / "scene", Manner(parallel=3))
        replace(FILING_PLAY, attempts=3).begin(scene)

        kills = 0
        while kills < 9 and scene.kill_at(DEADLY):
            kills += 1
        scene.drain()
        jobs = {job.document.id: job for job in scene.evidence().jobs}
        scene.close()

    crasher = jobs.pop(CRASHER)
    assert kills == 3
    assert (crasher.status, crasher.attempts) == (JobStatus.FAILED, 3)
    assert crasher.problem is not None
    assert crasher.problem.code == "crashed"
    assert sorted([*jobs, CRASHER]) == sorted(LETTERS)
    assert {job.status for job in jobs.values()} == {JobStatus.COMPLETED}
    assert max(job.attempts for job in jobs.values()) <= 2
