"""A daemon with an empty database and an archive whose documents carry the done tag."""

from sandbox import Sandbox
from sandbox.paperless import Kind
from tests.daemon.processes import a_daemon
from tests.installation import Installation, writes


def test_a_daemon_that_lost_its_database_pays_for_no_finished_document_again(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure('[scan]\ndone_tag = "clerk-done"\n', all_fields="fill")
    done = sandbox.world.add_name(Kind.TAG, "clerk-done").id
    for document in sandbox.world.documents.values():
        document.tags.add(done)

    with a_daemon(installation) as daemon:
        daemon.wait_for('event="scan finished"')

    assert "seen=3 enqueued=0 skipped=3" in daemon.log
    assert sandbox.model.state.chats() == []
    assert writes(sandbox) == []
