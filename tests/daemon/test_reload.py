"""Settings files are changed while the daemon runs, and it follows without a restart."""

from core.jobs import JobStatus
from tests.daemon.conftest import Paperclerk
from tests.daemon.processes import a_daemon
from tests.daemon.test_run import jobs_in
from tests.installation import HOME, Installation


def test_the_first_file_is_taken_into_operation_and_a_removed_one_stops(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    file = installation.settings_file
    text = file.read_text()
    file.unlink()
    installation.config.rmdir()

    with a_daemon(installation) as daemon:
        daemon.wait_for("event=started")
        healthy = paperclerk("healthcheck")
        installation.config.mkdir()
        status = paperclerk("status")
        file.write_text(text)
        daemon.wait_for("added=home")
        daemon.wait_for("job completed", times=3)
        file.unlink()
        daemon.wait_for("removed=home")
        file.write_text(text)
        daemon.wait_for("added=home", times=2)
        scanned = paperclerk("scan-now", HOME, "--json")

    assert (healthy.code, status.code) == (0, 0), status.err
    assert scanned.code == 0, daemon.log
    assert [job.status for job in jobs_in(installation)] == [JobStatus.COMPLETED] * 3
    assert "Traceback" not in daemon.log
