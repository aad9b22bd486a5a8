"""A daemon that froze, was taken for dead and comes back finds its job gone, and writes nothing."""

import os
import signal
from pathlib import Path

from core.jobs import EventName
from sandbox.faults import Delay, Fault
from tests.kill.audit import violations
from tests.kill.killer import DaemonKiller, RunOptions
from tests.kill.outcomes import expected
from tests.kill.points import Server
from tests.kill.recording_sandbox import RecordingSandbox, small_world
from tests.kill.scenarios import FILING_SCENARIO

MODEL_BLOCKED = Fault(path="/v1/chat/completions", effect=Delay(seconds=200))


def test_a_daemon_that_comes_back_too_late_settles_nothing(
    tmp_path: Path, postgres_url: str
) -> None:
    with RecordingSandbox(small_world()) as recording_sandbox:
        killer = DaemonKiller(recording_sandbox, tmp_path / "daemons", RunOptions(url=postgres_url))
        FILING_SCENARIO.begin(killer)
        faults = recording_sandbox.faults(Server.MODEL)
        faults.add(MODEL_BLOCKED)

        with killer.frozen(lambda: faults.wait_for_strikes(1, 0.02)) as late:
            killer.drain()
            os.kill(late.pid, signal.SIGCONT)
            faults.release()
            killer.until(late, lambda: "job lost" in killer.log.read_text("utf-8"))
        evidence = killer.evidence()
        killer.close()

    [recovered] = [event for event in evidence.events if event.name is EventName.RECOVERED]
    assert str(recovered.data["worker"]).endswith(f":{late.pid}")
    assert violations(evidence, expected(FILING_SCENARIO)) == []
