"""Check a backup of a SQLite database, and put it in place of the present one.

A backup of an older schema is not migrated here: the next start does that, as for any database.
"""

import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import inspect

from core.documents import DocumentRef
from core.messages import message
from core.private_files import make_private_file, make_private_folder
from store import access
from store.backup import backups_folder, open_file, require_intact, sync
from store.data_folder import build_folder_error, require_writable
from store.engine import FILE_NAME, engines_for
from store.errors import CannotOpen, SchemaTooNew
from store.migrate import latest_revision, read_revision, require_known_revision
from store.tables import WAITS

# These columns are the same in every schema.
_DOCUMENTS = f"""
    SELECT instance, document_id, state, trigger_removed, EXISTS (
        SELECT 1 FROM changes WHERE changes.instance = documents.instance
        AND changes.document_id = documents.document_id AND changes.{WAITS}
    ) FROM documents
"""  # noqa: S608 - a constant
_WAL = "-wal"


class BackupUnusable(CannotOpen):
    """A file cannot be restored: it is damaged, or not a database of Paperclerk."""

    code = "backup_unusable"
    user_message = "This file cannot be restored."
    hint = "Nothing was changed. Choose another file in the backups folder."

    def __init__(self, file: Path, why: str) -> None:
        super().__init__(message("{file} cannot be restored: {why}", file=str(file), why=why))


@dataclass(frozen=True, slots=True)
class DocumentStatus:
    """What a database knows of a document, as far as it decides whether it is processed."""

    state: str
    """A DocumentState, or one of a later version."""
    trigger_removed: bool
    for_review: bool


@dataclass(frozen=True, slots=True)
class BackupContent:
    """What a backup has, beside the present database."""

    schema: str
    documents: Mapping[DocumentRef, DocumentStatus]
    present: Mapping[DocumentRef, DocumentStatus] | None
    """None if there is no present database, or it cannot be read."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did."""

    former: Path | None
    """Where the former database is kept; None if there was none."""
    sessions: int
    tokens: int
    """Revoked API tokens."""


def read_backup(file: Path, data: Path) -> BackupContent:
    """Check a backup and read its documents and those of the present database.

    Only for the holder of the work lock. Raise BackupUnusable or SchemaTooNew.
    """
    with _checked_copy(file, data) as (folder, schema):
        return BackupContent(schema, _read_documents(folder / FILE_NAME), _read_present(data))


def restore_backup(file: Path, data: Path, *, keep_tokens: bool, now: datetime) -> Restored:
    """Replace the database by a backup, keep the former one, and end every access.

    Only for the holder of the work lock. Raise BackupUnusable or SchemaTooNew.
    """
    with _checked_copy(file, data) as (folder, _):
        sessions, tokens = _end_access(folder, keep_tokens=keep_tokens, now=now)
        copy = folder / FILE_NAME
        sync(copy)
        former = _keep_former(data, now)
        # The log of the former file: SQLite would read it as part of the new one.
        for ending in (_WAL, "-shm"):
            (data / f"{FILE_NAME}{ending}").unlink(missing_ok=True)
        copy.replace(data / FILE_NAME)
        sync(data)
    return Restored(former, sessions, tokens)


@contextmanager
def _checked_copy(file: Path, data: Path) -> Iterator[tuple[Path, str]]:
    """Yield a folder with a checked copy of a backup, and its schema; delete it at the end.

    The original is only read: SQLite would write to it, and a read-only disk would prevent that.
    """
    if not file.is_file():
        raise BackupUnusable(file, "there is no such file")
    if (data / FILE_NAME).exists() and file.samefile(data / FILE_NAME):
        raise BackupUnusable(file, "it is the present database")
    require_writable(data)
    folder = data / "restoring"
    try:
        # A process that was killed may have left one.
        shutil.rmtree(folder, ignore_errors=True)
        make_private_folder(folder)
        _copy_with_log(file, folder / FILE_NAME)
        require_intact(folder / FILE_NAME)
        yield folder, _read_schema(file, folder)
    except sqlite3.Error as error:
        raise BackupUnusable(file, str(error)) from error
    except OSError as error:
        raise build_folder_error(data, error) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _read_schema(file: Path, folder: Path) -> str:
    engines = engines_for(None, folder)
    try:
        found = read_revision(engines)
        require_known_revision(found)
    except SchemaTooNew as error:
        hint = "Nothing was changed. Update Paperclerk, then restore it."
        raise SchemaTooNew(str(found), known=latest_revision(), hint=hint) from error
    finally:
        engines.dispose()
    if found is None:
        raise BackupUnusable(file, "it is not a database of Paperclerk")
    return found


def _read_present(data: Path) -> Mapping[DocumentRef, DocumentStatus] | None:
    with suppress(sqlite3.Error):
        return _read_documents(data / FILE_NAME)
    return None


def _read_documents(database: Path) -> Mapping[DocumentRef, DocumentStatus]:
    with closing(open_file(database)) as connection:
        return {
            DocumentRef(instance, id_): DocumentStatus(state, bool(removed), bool(waits))
            for instance, id_, state, removed, waits in connection.execute(_DOCUMENTS)
        }


def _end_access(folder: Path, *, keep_tokens: bool, now: datetime) -> tuple[int, int]:
    """End sessions and links, and revoke the API tokens; return how many of the first and last."""
    engines = engines_for(None, folder)
    try:
        with engines.migrator.begin() as connection:
            tables = frozenset(inspect(connection).get_table_names())
            sessions = access.end_every_session(connection, tables)
            tokens = 0 if keep_tokens else access.revoke_every_token(connection, tables, now)
            return sessions, tokens
    finally:
        engines.dispose()


def _keep_former(data: Path, now: datetime) -> Path | None:
    """Copy the present database to the backups folder, where it is never deleted."""
    present = data / FILE_NAME
    if not present.exists():
        return None
    kept = backups_folder(data) / f"replaced-{now.astimezone(UTC):%Y%m%dT%H%M%S%f}Z.db"
    make_private_folder(kept.parent)
    # Without its log, the file is complete at every moment of what follows.
    with suppress(sqlite3.Error), closing(open_file(present)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    _copy_with_log(present, kept)
    return kept


def _copy_with_log(source: Path, target: Path) -> None:
    """Copy the file of a database that no process uses, and its write-ahead log."""
    for ending in ("", _WAL):
        part, copy = (file.with_name(f"{file.name}{ending}") for file in (source, target))
        if part.exists():
            make_private_file(copy)
            shutil.copyfile(part, copy)
            sync(copy)
