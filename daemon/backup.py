"""The daily backup of a SQLite database, and what restoring one would mean."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import structlog

from core.calendar import Clock
from core.documents import DocumentRef, DocumentState
from core.settings import ScanSettings, Settings
from store import CannotOpen
from store.backup import add_backup, backups_folder, database_file, newest_backup_time
from store.restore import BackupContent, DocumentStatus

log = structlog.get_logger()

BACKUP_INTERVAL = timedelta(days=1)
_UNFINISHED = {DocumentState.QUEUED, DocumentState.GONE, DocumentState.READ_ONLY}


@dataclass(frozen=True, slots=True)
class LostWork:
    """What the present database knows and a backup does not."""

    processed: frozenset[DocumentRef]
    """These documents would be processed again."""
    ignored: frozenset[DocumentRef]
    """These documents would not be ignored any more, and be processed."""


class DailyBackup:
    """Writes a backup once a day, however often the daemon is restarted."""

    def __init__(self, data: Path, clock: Clock) -> None:
        self._data = data
        self._folder = backups_folder(data)
        self._clock = clock
        self._skipped = ""
        """Why the last backup was skipped, which is logged once."""

    async def write_if_due(self) -> None:
        """Write a backup if the newest one is a day old; log a warning if that is not possible."""
        now = self._clock()
        if not is_due(newest_backup_time(self._folder), now):
            return
        try:
            file = await asyncio.to_thread(self._write, now)
        except CannotOpen as error:
            if error.code != self._skipped:
                log.warning("backup skipped", error=str(error), hint=error.hint)
            self._skipped = error.code
            return
        self._skipped = ""
        log.info("backup written", file=file.name, bytes=file.stat().st_size)

    def _write(self, now: datetime) -> Path:
        return add_backup(database_file(self._data), self._folder, now=now)


def is_due(newest: datetime | None, now: datetime) -> bool:
    """Return whether a backup is due; a time in the future comes from a clock that was wrong."""
    return newest is None or not timedelta(0) <= now - newest < BACKUP_INTERVAL


def find_lost_work(content: BackupContent, settings: Settings) -> LostWork:
    """Return the documents that would be processed after restoring a backup."""
    ignored: set[DocumentRef] = set()
    processed: set[DocumentRef] = set()
    for ref, status in (content.present or {}).items():
        instance = settings.instances.get(ref.instance)
        if instance is None or status.state in _UNFINISHED:
            continue
        known = content.documents.get(ref)
        if known is None and _is_skipped(status, instance.scan):
            continue
        if known is None or known.state == DocumentState.QUEUED:
            (ignored if status.state == DocumentState.IGNORED else processed).add(ref)
    return LostWork(frozenset(processed), frozenset(ignored))


def _is_skipped(status: DocumentStatus, scan: ScanSettings) -> bool:
    """Return whether a scan would skip a document that it does not know, by its tags."""
    has_done_tag = bool(scan.done_tag) and not status.for_review
    lost_its_trigger = status.trigger_removed and not set(scan.include_tags).isdisjoint(
        scan.remove_tags
    )
    return status.state == DocumentState.DONE and (has_done_tag or lost_its_trigger)
