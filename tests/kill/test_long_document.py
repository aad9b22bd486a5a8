"""A daemon that dies in the middle of a long document goes on with the next pass."""

from pathlib import Path

from core.jobs import EventName, JobStatus
from sandbox.faults import Fault, Hang
from sandbox.paperless import Kind, World, load_world
from tests.kill.killer import DaemonKiller, RunOptions
from tests.kill.points import AtMove, AtRequest, Point, Server, Side
from tests.kill.recording_sandbox import DONE, RecordingSandbox
from tests.kill.scenarios import FILING_SCENARIO
from tests.long_documents import a_long_text, parts_asked

LONG = 1
_FOURTH = Fault(path="/v1/chat/completions", nth=4, effect=Hang(seconds=60))
POINTS: tuple[Point, ...] = (
    AtMove(EventName.RESULT_STORED, Side.AFTER_COMMIT, nth=3),
    AtRequest("while the model reads the fourth", Server.MODEL, _FOURTH),
    AtMove(EventName.RESULT_STORED, Side.AFTER_COMMIT, nth=1),
)


def a_world() -> World:
    """Return one document, of more passes than there are kills."""
    world = load_world()
    world.add_name(Kind.TAG, DONE)
    world.documents = {LONG: world.documents[LONG]}
    world.documents[LONG].content = a_long_text(160_000)
    return world


def test_no_pass_that_was_completed_is_asked_about_again(tmp_path: Path) -> None:
    with RecordingSandbox(a_world()) as recording_sandbox:
        killer = DaemonKiller(recording_sandbox, tmp_path / "daemons", RunOptions())
        FILING_SCENARIO.begin(killer)

        killed = [killer.kill_at(point) for point in POINTS]
        killer.drain()
        [job] = killer.evidence().jobs
        killer.close()
        asked = parts_asked(recording_sandbox.model.state.chats())

    assert killed == [True, True, True]
    assert (job.status, job.attempts) == (JobStatus.COMPLETED, len(POINTS) + 1)
    assert asked == [(number, asked[0][1]) for number in range(1, asked[0][1] + 1)]
    assert len(asked) > 8
