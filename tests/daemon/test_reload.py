"""Settings files are changed while the daemon runs, and it follows without a restart."""

from datetime import timedelta

from core.calendar import utc_now
from core.jobs import JobStatus
from sandbox import Sandbox
from tests.daemon.conftest import Paperclerk
from tests.daemon.processes import a_daemon
from tests.daemon.test_run import enqueue, jobs_in
from tests.installation import HOME, MODEL_BLOCKED, ONLY_BY_HAND, Installation, patches
from tests.waiting import LONG

BROKEN = '[paperless]\nurl = "http://webserver:8000"\ntokn = "x"\n'


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


def test_an_edit_counts_for_the_document_under_way_and_a_broken_one_for_none(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(ONLY_BY_HAND, all_fields="replace")
    sandbox.model.state.faults.add(MODEL_BLOCKED)
    enqueue(installation, 1)

    with a_daemon(installation) as daemon:
        assert sandbox.model.state.faults.wait_for_strikes(1, LONG), daemon.log
        installation.configure(ONLY_BY_HAND, all_fields="review")
        daemon.wait_for("home.fields.title")
        sandbox.model.state.faults.release()
        daemon.wait_for("job completed")
        after_mode = patches(sandbox)
        sandbox.model.state.faults.add(MODEL_BLOCKED)
        enqueue(installation, 2)
        assert sandbox.model.state.faults.wait_for_strikes(2, LONG), daemon.log
        installation.settings_file.write_text(BROKEN)
        daemon.wait_for("place=home.toml:3")
        sandbox.model.state.faults.release()
        daemon.wait_for("job completed", times=2)
        after_break = patches(sandbox)
        installation.configure(ONLY_BY_HAND, all_fields="replace")
        installation.settings_file.chmod(0o444)
        installation.config.chmod(0o555)
        daemon.wait_for("settings valid again")
        enqueue(installation, 3)
        daemon.wait_for("job completed", times=3)
        installation.config.chmod(0o755)

    assert (after_mode, after_break) == ([], [])
    assert len(patches(sandbox)) == 1
    assert "Traceback" not in daemon.log


def test_what_needs_a_restart_is_named_and_stays_as_it_is(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    with a_daemon(installation) as daemon:
        daemon.wait_for("event=started")
        text = installation.settings_file.read_text()
        moved = text.replace(installation.sandbox.url, "http://127.0.0.1:9")
        installation.settings_file.write_text(moved)
        daemon.wait_for("home.paperless.url")
        installation.settings_file.write_text(text)
        scanned = paperclerk("scan-now", HOME, "--json")

    assert scanned.code == 0, daemon.log
    assert 'event="settings need a restart"' in daemon.log


def test_changed_hours_end_the_wait_for_the_former_ones(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    opens, closes = (utc_now() + timedelta(hours=hours) for hours in (2, 3))
    hours = f'hours = "{opens:%H}:00-{closes:%H}:00"\n'
    (installation.config / "daemon.toml").write_text('time_zone = "UTC"\n')
    installation.configure(hours + ONLY_BY_HAND)
    enqueue(installation, 1)

    with a_daemon(installation) as daemon:
        daemon.wait_for("target=hours:home")
        held = paperclerk("status").out
        installation.configure(ONLY_BY_HAND)
        daemon.wait_for("home.ai.hours")
        daemon.wait_for("job completed")

    assert "outside the model's hours" in held
    assert [job.status for job in jobs_in(installation)] == [JobStatus.COMPLETED]
