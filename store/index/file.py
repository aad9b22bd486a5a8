"""The file of the archive index on SQLite: create it, delete it, and leave nothing behind."""

from contextlib import suppress

from sqlalchemy import Connection, text
from sqlalchemy.exc import DatabaseError

from core.private_files import make_private_file
from store.engine import Engines, checkpoint_wal
from store.index import sqlite
from store.index.tables import index_metadata
from store.index.text import VERSION


class IndexFile:
    """A file that is created when it is first written to; all methods are for the writer thread."""

    def __init__(self, engines: Engines) -> None:
        assert engines.file is not None
        self._engines = engines
        self._path = engines.file
        self._is_ready = False
        self._is_supported = False

    @property
    def is_supported(self) -> bool:
        """Return whether this SQLite supports the index, once the file was created."""
        return self._is_supported

    def is_ready(self) -> bool:
        """Return whether our connections have the file open."""
        return self._is_ready and self.exists()

    def exists(self) -> bool:
        """Return whether there is a file; an empty one was never finished."""
        return self._path.exists() and self._path.stat().st_size > 0

    def create(self) -> bool:
        """Create the file if needed; return whether this SQLite supports the index."""
        if self.is_ready():
            return self._is_supported
        # The file may have been deleted, and our connections still have it open.
        self._engines.dispose()
        if not self._try_to_create_tables():
            # A file of another version is not migrated: the index can always be built anew.
            self.delete()
            self._create_tables()
        self._is_ready = True
        return self._is_supported

    def delete(self) -> None:
        """Delete the file and its logs."""
        self._is_ready = False
        self._engines.dispose()
        for ending in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)

    def checkpoint(self) -> None:
        """Copy the write-ahead log into the file; on failure, the next call does it."""
        writer = self._engines.writer
        with suppress(writer.dialect.loaded_dbapi.Error):
            checkpoint_wal(writer)

    def truncate_log(self) -> None:
        """Remove deleted text from the write-ahead log."""
        connection = self._engines.writer.raw_connection()
        try:
            connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            connection.close()

    def _try_to_create_tables(self) -> bool:
        """Create the tables; return False if the file has other tables, or is damaged."""
        try:
            return self._create_tables()
        except DatabaseError as error:
            # Subclasses are about locks and disks, which are no reason to delete anything.
            if type(error) is not DatabaseError:
                raise
            return False

    def _create_tables(self) -> bool:
        """Create the tables; return False if the file has other tables."""
        make_private_file(self._path)
        with self._engines.writer.begin() as connection:
            self._is_supported = sqlite.is_supported(connection)
            if not self._is_supported or is_current(connection):
                return True
            if connection.scalar(text("SELECT count(*) FROM sqlite_master")):
                return False
            index_metadata.create_all(connection)
            sqlite.create(connection)
            connection.execute(text(f"PRAGMA user_version = {VERSION}"))
            return True


def is_current(connection: Connection) -> bool:
    """Return whether a file was written by this version of the index."""
    return bool(connection.scalar(text("PRAGMA user_version")) == VERSION)
