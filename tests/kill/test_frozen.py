"""A daemon that froze, was taken for dead and comes back finds its job gone, and writes nothing."""

import os
import signal
from pathlib import Path

from core.jobs import EventName
from sandbox.faults import Delay, Fault
from tests.kill.audit import violations
from tests.kill.outcomes import expected
from tests.kill.plays import FILING_PLAY
from tests.kill.points import Server
from tests.kill.scene import Manner, Scene
from tests.kill.stage import Stage, small_world

THINKING = Fault(path="/v1/chat/completions", effect=Delay(seconds=200))


def test_a_daemon_that_comes_back_too_late_settles_nothing(
    tmp_path: Path, postgres_url: str
) -> None:
    with Stage(small_world()) as stage:
        scene = Scene(stage, tmp_path / "scene", Manner(url=postgres_url))
        FILING_PLAY.begin(scene)
        faults = stage.faults(Server.MODEL)
        faults.add(THINKING)

        with scene.frozen(lambda: faults.wait_for_strikes(1, 0.02)) as late:
            scene.drain()
            os.kill(late.pid, signal.SIGCONT)
            faults.release()
            scene.until(late, lambda: "job lost" in scene.log.read_text("utf-8"))
        evidence = scene.evidence()
        scene.close()

    [recovered] = [event for event in evidence.events if event.name is EventName.RECOVERED]
    assert str(recovered.data["worker"]).endswith(f":{late.pid}")
    assert violations(evidence, expected(FILING_PLAY)) == []
