"""Migrate a database to the schema of this version, after a backup."""

import threading
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from core.private_files import make_private_file
from store import document_search
from store.backup import add_backup, backups_folder
from store.data_folder import require_writable
from store.engine import Engines, allow_long_pauses
from store.errors import SchemaTooNew

SCRIPTS = Path(__file__).parent / "migrations"

# Alembic keeps the running migration in a global of its own module.
_mutex = threading.Lock()


def prepare_database(
    engines: Engines, data: Path, *, now: datetime, scripts: Path = SCRIPTS
) -> None:
    """Create or migrate the database: folder, file, backup, migrations, index.

    Only for a caller that knows that no other process is using it.
    """
    if engines.file is not None:
        require_writable(data)
        # SQLite creates the write-ahead log with the mode of the database file.
        make_private_file(engines.file)
    found = read_revision(engines)
    if found != latest_revision(scripts):
        require_known_revision(found, scripts)
        if engines.file is not None and found is not None:
            add_backup(engines.file, backups_folder(data), now=now)
        with _mutex, engines.migrator.begin() as connection:
            allow_long_pauses(connection)
            upgrade(connection, scripts)
    if engines.file is not None:
        with engines.migrator.begin() as connection:
            document_search.update_index(
                connection, able=document_search.can_have_index(connection)
            )


def read_revision(engines: Engines) -> str | None:
    """Return the schema of a database; None if there is no database. Nothing is created."""
    if engines.file is not None and not (engines.file.exists() and engines.file.stat().st_size):
        return None
    with engines.watcher.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
        return found


def require_known_revision(found: str | None, scripts: Path = SCRIPTS) -> None:
    """Raise SchemaTooNew if this version does not know that schema."""
    if found is not None and found not in _revisions(scripts):
        raise SchemaTooNew(found, known=latest_revision(scripts))


@lru_cache(maxsize=8)
def latest_revision(scripts: Path = SCRIPTS) -> str:
    """Return the newest schema that this version knows."""
    return max(_revisions(scripts))


def _revisions(scripts: Path) -> frozenset[str]:
    """Return the revisions by the names of their files, as in `0001_first_tables.py`.

    Alembic would load every file for that, and it is not needed while the schema is current.
    """
    return frozenset(
        file.name.partition("_")[0] for file in (scripts / "versions").glob("[0-9]*.py")
    )


def upgrade(connection: Connection, scripts: Path = SCRIPTS) -> None:
    """Run the missing migrations; none if another process has run them in the meantime."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
