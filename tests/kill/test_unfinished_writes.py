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
from tests.kill.plays import PLAYS, UNDO_PLAY, Play, cancel_in_hand
from tests.kill.points import PATCHED, PATCHING, AtRequest, Server
from tests.kill.scene import Manner, Scene
from tests.kill.stage import Stage, small_world
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
EVERY_PLAY = pytest.mark.parametrize("play", PLAYS, ids=lambda play: play.name)
Meanwhile = Callable[[Scene], None]


@contextmanager
def a_scene(folder: Path, play: Play) -> Iterator[Scene]:
    """Yield a scene with one letter, at the point where the play begins."""
    with Stage(small_world([LETTER])) as stage:
        scene = Scene(stage, folder / "scene", Manner())
        try:
            replace(play, attempts=LAST).begin(scene)
            yield scene
        finally:
            scene.close()


def ends_as(evidence: Evidence) -> JobStatus:
    """Return how the job of the play ended: it is the newest one."""
    return evidence.jobs[-1].status


def states(evidence: Evidence) -> set[ChangeState]:
    return {change.state for change in evidence.changes}


def undo_all(scene: Scene) -> Evidence:
    """Undo everything that can be undone, without kills."""
    scene.stage.paperless.faults.clear()
    UNDO_PLAY.ask(scene)
    scene.drain()
    return scene.evidence()


def assert_can_be_undone(scene: Scene) -> None:
    """Check that nothing of ours is left in Paperless or marked as written in the ledger."""
    evidence = undo_all(scene)

    assert broken_rules(evidence) == []
    assert list(effects_that_stayed(evidence)) == []
    assert not states(evidence) & {ChangeState.APPLIED, ChangeState.UNCONFIRMED}


def after(play: Play) -> ChangeState:
    """Return the state of a change whose write, or undo, took effect."""
    return ChangeState.UNDONE if play is UNDO_PLAY else ChangeState.APPLIED


@EVERY_PLAY
@pytest.mark.parametrize("point", [PATCHING, PATCHED], ids=["not carried out", "carried out"])
@pytest.mark.parametrize(
    ("meanwhile", "ending"),
    [(cancel_in_hand, JobStatus.CANCELLED), (None, JobStatus.FAILED)],
    ids=["cancel", "last attempt"],
)
def test_a_job_that_dies_while_its_write_hangs_ends_when_the_effect_is_known(
    play: Play,
    point: AtRequest,
    meanwhile: Meanwhile | None,
    ending: JobStatus,
    tmp_path: Path,
) -> None:
    with a_scene(tmp_path, play) as scene:
        assert scene.kill_at(point, meanwhile)
        scene.drain()
        evidence = scene.evidence()

        assert broken_rules(evidence) == []
        assert ends_as(evidence) is ending
        assert ChangeState.UNCONFIRMED not in states(evidence)
        assert (after(play) in states(evidence)) is (point is PATCHED)
        assert_can_be_undone(scene)


def blinded(stage: Stage) -> None:
    """Let the write fail after it took effect, and from then on every read of the document."""
    faults = stage.faults(Server.PAPERLESS)
    faults.add(WRITTEN_AND_YET_500)
    stage.when_written = lambda: faults.add(UNREADABLE)


@EVERY_PLAY
def test_a_write_that_can_never_be_read_back_is_unconfirmed_and_offered_to_undo(
    play: Play, tmp_path: Path
) -> None:
    with a_scene(tmp_path, play) as scene:
        blinded(scene.stage)
        scene.drain()
        evidence = scene.evidence()

        assert broken_rules(evidence) == []
        [job] = [job for job in evidence.jobs if job.status is JobStatus.FAILED]
        assert (job.attempts, job.reconciles) == (LAST, MAX_RECONCILES)
        assert ChangeState.UNCONFIRMED in states(evidence)
        assert_can_be_undone(scene)


@EVERY_PLAY
def test_a_write_that_is_read_back_after_the_last_attempt_is_known_again(
    play: Play, tmp_path: Path
) -> None:
    with a_scene(tmp_path, play) as scene:
        blinded(scene.stage)
        scene.work_until(lambda: scene.has_told(EventName.RECONCILING))
        scene.stage.paperless.faults.clear()
        scene.drain()
        evidence = scene.evidence()

        assert broken_rules(evidence) == []
        assert ends_as(evidence) is JobStatus.FAILED
        assert ChangeState.UNCONFIRMED not in states(evidence)
        assert after(play) in states(evidence)
        assert_can_be_undone(scene)


@EVERY_PLAY
def test_a_write_that_is_carried_out_after_the_last_timeout_is_known(
    play: Play, tmp_path: Path
) -> None:
    with a_scene(tmp_path, play) as scene:
        settings = scene.config / "home.toml"
        impatient = settings.read_text("utf-8").replace("[ai]", 'timeout = "2s"\n[ai]', 1)
        settings.write_text(impatient, "utf-8")
        scene.stage.faults(Server.PAPERLESS).add(LATE)
        scene.work_until(lambda: scene.has_told(EventName.RECONCILING))
        carried_out = threading.Event()
        scene.stage.when_written = carried_out.set
        scene.stage.paperless.faults.release()
        assert carried_out.wait(LONG)
        scene.let_time_pass()
        scene.drain()
        evidence = scene.evidence()

        assert broken_rules(evidence) == []
        assert ends_as(evidence) is JobStatus.FAILED
        assert ChangeState.UNCONFIRMED not in states(evidence)
        assert after(play) in states(evidence)
        assert_can_be_undone(scene)
