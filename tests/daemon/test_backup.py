"""Backups while the daemon works: once a day, and what a restore predicts is what happens."""

import asyncio
import os
import signal
from datetime import timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from core.documents import DocumentRef, DocumentState
from core.jobs import JobStatus
from core.settings import Settings, load_settings
from daemon.backup import DailyBackup, find_lost_work, is_due
from daemon.cli.exits import Exit
from daemon.run import Daemon
from daemon.services import Services
from sandbox import Sandbox
from store.backup import backups_folder, database_file, list_backups
from store.restore import BackupContent, DocumentStatus
from tests.daemon.conftest import Paperclerk, StartForked
from tests.daemon.processes import a_daemon
from tests.installation import COMPLETIONS, ONLY_BY_HAND, Installation, blocked, home
from tests.store.builders import NOON, FakeClock
from tests.store.test_backup import ENORMOUS
from tests.waiting import LONG, SOON, until

SECOND_ANSWER = blocked(COMPLETIONS, nth=2)
DONE = DocumentStatus(DocumentState.DONE, trigger_removed=False, for_review=False)
QUEUED = DocumentStatus(DocumentState.QUEUED, trigger_removed=False, for_review=False)


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        (None, True),
        (timedelta(hours=23, minutes=59), False),
        (timedelta(days=1), True),
        (-timedelta(hours=1), True),
    ],
)
def test_a_backup_is_due_after_a_day(age: timedelta | None, *, expected: bool) -> None:
    assert is_due(None if age is None else NOON - age, NOON) is expected


async def test_a_backup_is_written_once_a_day_however_often_the_daemon_starts(
    installation: Installation, clock: FakeClock
) -> None:
    folder = backups_folder(installation.data)
    for _ in range(3):
        await DailyBackup(installation.data, clock).write_if_due()
    first = list_backups(folder)

    clock.advance(days=1)
    await DailyBackup(installation.data, clock).write_if_due()

    assert len(first) == 1
    assert len(list_backups(folder)) == 2


async def test_a_backup_without_room_is_skipped_with_one_warning(
    installation: Installation, clock: FakeClock
) -> None:
    daily = DailyBackup(installation.data, clock)
    database = database_file(installation.data)
    size = database.stat().st_size

    with capture_logs() as logs:
        os.truncate(database, ENORMOUS)
        await daily.write_if_due()
        await daily.write_if_due()
        os.truncate(database, size)
        await daily.write_if_due()

    assert [(entry["log_level"], entry["event"]) for entry in logs] == [
        ("warning", "backup skipped"),
        ("info", "backup written"),
    ]
    assert "MB are free" in logs[0]["error"]


async def test_the_daemon_writes_the_backup_of_the_day(
    installation: Installation, services: Services
) -> None:
    folder = backups_folder(installation.data)
    daemon = Daemon(services, backup_delay=timedelta(0))

    run = asyncio.create_task(daemon.run())
    await until(lambda: bool(list_backups(folder)))
    daemon.stop()
    await run

    assert len(list_backups(folder)) == 1


def settings_with(folder: Path, scan: str = "") -> Settings:
    paperless = '[paperless]\nurl = "http://paperless:8000"\ntoken = "t"\n'
    model = '[ai]\nbase_url = "http://model:8000/v1"\nmodel = "m"\n'
    (folder / "home.toml").write_text(f"{paperless}{model}[scan]\n{scan}\n")
    return load_settings(folder, {})


@pytest.mark.parametrize(
    ("scan", "present", "backup", "processed"),
    [
        ("", DONE, None, True),
        ("", DONE, QUEUED, True),
        ("", DONE, DONE, False),
        ("", QUEUED, None, False),
        ("", DocumentStatus("failed", trigger_removed=False, for_review=False), None, True),
        ("", DocumentStatus("gone", trigger_removed=False, for_review=False), None, False),
        # The tag says that it was processed, unless something is still to be reviewed.
        ('done_tag = "Done"', DONE, None, False),
        ('done_tag = "Done"', DONE, QUEUED, True),
        (
            'done_tag = "Done"',
            DocumentStatus("done", trigger_removed=False, for_review=True),
            None,
            True,
        ),
        # Without its trigger tag, a scan does not find it any more.
        (
            'include_tags = ["Inbox"]\nremove_tags = ["Inbox"]',
            DocumentStatus("done", trigger_removed=True, for_review=False),
            None,
            False,
        ),
    ],
)
def test_what_a_backup_does_not_know_is_processed_again(
    tmp_path: Path,
    scan: str,
    present: DocumentStatus,
    backup: DocumentStatus | None,
    *,
    processed: bool,
) -> None:
    content = BackupContent("0001", {} if backup is None else {home(1): backup}, {home(1): present})

    lost = find_lost_work(content, settings_with(tmp_path, scan))

    assert lost.processed == (frozenset({home(1)}) if processed else frozenset())
    assert lost.ignored == frozenset()


def test_what_is_ignored_since_is_counted_apart_and_instances_that_are_gone_not_at_all(
    tmp_path: Path,
) -> None:
    ignored = DocumentStatus("ignored", trigger_removed=False, for_review=False)
    sold = DocumentRef("sold", 1)
    content = BackupContent("0001", {}, {home(1): ignored, home(2): DONE, sold: DONE})

    lost = find_lost_work(content, settings_with(tmp_path))

    assert (lost.processed, lost.ignored) == (frozenset({home(2)}), frozenset({home(1)}))


def test_what_a_restore_predicts_is_what_the_next_start_does(
    installation: Installation,
    sandbox: Sandbox,
    paperclerk: Paperclerk,
    forked_program: StartForked,
) -> None:
    installation.configure(ONLY_BY_HAND, all_fields="replace")
    faults = sandbox.model.state.faults
    with a_daemon(installation) as first:
        first.wait_for("event=started")
        faults.add(SECOND_ANSWER)
        scan = forked_program("scan-now", "--limit", "2")
        assert faults.wait_for_strikes(1, SOON)
        backed_up = paperclerk("backup")
        refused = paperclerk("restore", str(installation.data), "--yes")
        faults.release()
        scan.communicate(LONG)
        # The third document is not known to the backup.
        assert "home: 1 done" in paperclerk("scan-now").out
        first.signal(signal.SIGTERM)
        assert first.end() == 0
    [backup] = list_backups(backups_folder(installation.data))

    asked = paperclerk("restore", str(backup))
    restored = paperclerk("restore", str(backup), "--yes")
    with a_daemon(installation, name="second") as second:
        second.wait_for("job completed")
        again = paperclerk("scan-now")

    assert backed_up.code == Exit.OK, backed_up.err
    assert "integrity checked" in backed_up.out
    assert refused.code == Exit.LOOK
    assert f"process {first.pid} is using this data folder" in refused.err
    assert asked.code == Exit.CONFIG
    assert "2 documents would be processed again." in asked.out
    assert restored.code == Exit.OK, restored.err
    assert "The previous database is " in restored.out
    assert "1 new document of 3 seen" in again.out
    assert asyncio.run(count_completed(installation)) == 3
    assert second.log.count("job completed") == 2


async def count_completed(installation: Installation) -> int:
    async with installation.open() as services:
        jobs = await services.store.jobs.list()
        return sum(job.status is JobStatus.COMPLETED for job in jobs)
