"""Everything that differs between SQLite and PostgreSQL.

On both there is one writer at a time. SQLite locks the file when a transaction begins; on
PostgreSQL every writing transaction takes one advisory lock. So a transaction may read and then
write what follows from it, and the ids of events grow in the order of commits, which readers rely
on that ask for "everything after number 7". A transaction takes about a millisecond and a model
call takes seconds, so the lock does not slow the workers down.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import quote

from sqlalchemy import (
    CTE,
    URL,
    ColumnElement,
    Connection,
    Engine,
    Executable,
    Insert,
    Select,
    Table,
    Update,
    column,
    create_engine,
    event,
    exists,
    literal_column,
    make_url,
    select,
    true,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection, QueuePool
from sqlalchemy.sql.dml import ReturningUpdate

from core.messages import message
from store.errors import CannotOpen
from store.rows import Row

READERS = 2
FILE_NAME = "paperclerk.db"
INDEX_FILE_NAME = "index.db"
BUSY_TIMEOUT_MS = 10_000
# Any fixed number works; this one spells "clerk".
WRITER_LOCK = 0x636C65726B
POSTGRES_OPTIONS = "-c idle_in_transaction_session_timeout=30000 -c lock_timeout=30000"
# A process that freezes inside a writing transaction blocks all others: the server ends the
# transaction when the next statement is so late. Between two statements pass milliseconds.
WRITER_OPTIONS = "-c idle_in_transaction_session_timeout=4000 -c lock_timeout=30000"
# The moves are few and always the same: planning a claim takes longer than running it.
PLAN_ONCE = "-c plan_cache_mode=force_generic_plan"
IDLE_BEFORE_PING = timedelta(seconds=1)
"""A connection that was idle for longer may be dead, for example after a restart of the server."""

_SAFE = ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA foreign_keys=ON")
_READ_ONLY = ("PRAGMA query_only=ON",)
# A power cut may lose the newest documents of the index, which is then filled again.
_REBUILDABLE = (
    # A compressed text fills half of a usual page, and would leave the other half empty.
    "PRAGMA page_size=32768",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA secure_delete=ON",
    # Copying the log into the file takes longer than a transaction, so it is done after merges.
    "PRAGMA wal_autocheckpoint=0",
)
# Batch migrations drop and rename tables; with foreign keys on, rows that refer to them would go.
_MIGRATING = ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA foreign_keys=OFF")

StatementBuilder = Callable[[ColumnElement[bool]], Update | Insert]
"""Builds a statement that runs only if a condition is true; always the same statement."""


@dataclass(frozen=True, slots=True)
class Engines:
    """The connections of a store: one writer and a few readers."""

    migrator: Engine
    writer: Engine
    reader: Engine
    watcher: Engine
    """Begins no transactions: inside of one, commits of others are invisible."""
    file: Path | None
    """The database file; None for PostgreSQL."""
    announcer: Engine | None = None
    """Commits each statement by itself; None for SQLite, which has no announcements."""

    @property
    def shared(self) -> bool:
        """Return whether processes on several machines may use this database at once."""
        return self.file is None

    def dispose(self) -> None:
        for engine in (self.migrator, self.watcher, self.reader, self.writer, self.announcer):
            if engine is not None:
                engine.dispose()


def engines_for(url: str | None, data: Path) -> Engines:
    """Build the engines for `url`, or for the SQLite file in the data folder; do not connect."""
    if url is None:
        return _sqlite_engines(data / FILE_NAME, _SAFE)
    return _postgres_engines(_parse_url(url))


def index_engines_for(url: str | None, data: Path) -> Engines:
    """Build the engines of the archive index: on SQLite for a file of its own.

    On PostgreSQL its writer does not take the writers' lock, so that no claim waits for it.
    """
    if url is None:
        return _sqlite_engines(data / INDEX_FILE_NAME, _REBUILDABLE)
    parsed = _parse_url(url)
    writer = _postgres_engine(parsed, options=POSTGRES_OPTIONS, size=1)
    reader = _postgres_reader(parsed)
    return Engines(migrator=writer, writer=writer, reader=reader, watcher=reader, file=None)


def _parse_url(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise CannotOpen(message("database.url is not a database address")) from error
    if parsed.get_backend_name() not in {"postgresql", "postgres"}:
        raise CannotOpen(
            message(
                'database.url must begin with "postgresql://", not {name}', name=parsed.drivername
            )
        )
    return parsed.set(drivername="postgresql+psycopg")


def insert_into(connection: Connection, table: Table) -> "sqlite.Insert | postgresql.Insert":
    """Build an INSERT with ON CONFLICT, which both dialects spell the same."""
    if connection.dialect.name == "sqlite":
        return sqlite.insert(table)
    return postgresql.insert(table)


def replace_into(
    connection: Connection, table: Table, *key: str
) -> "sqlite.Insert | postgresql.Insert":
    """Build an INSERT that replaces the values of rows with the same key, except their `id`."""
    return _replace_into(connection.dialect.name, table, key)


# Building the statement takes longer than executing it.
@lru_cache(maxsize=16)
def _replace_into(
    dialect: str, table: Table, key: tuple[str, ...]
) -> "sqlite.Insert | postgresql.Insert":
    new = sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)
    kept = {"id", *key}
    values = {c.name: new.excluded[c.name] for c in table.c if c.name not in kept}
    return new.on_conflict_do_update(index_elements=key, set_=values)


def version_of(connection: Connection) -> str:
    """Return the name and version of the database."""
    name = "SQLite" if connection.dialect.name == "sqlite" else "PostgreSQL"
    version = connection.dialect.server_version_info or ()
    return " ".join([name, ".".join(str(part) for part in version)]).strip()


@dataclass(frozen=True, slots=True)
class Step:
    """A statement that follows a move, and its parameters."""

    build: StatementBuilder
    values: Mapping[str, object]


def execute_step(connection: Connection, step: Step) -> None:
    connection.execute(_build_unconditional(step.build), step.values)


def execute_move(
    connection: Connection, move: Update, values: Mapping[str, object], following: Sequence[Step]
) -> Row | None:
    """Run a move and the steps that follow it; None, and no steps, if the move matched no row.

    PostgreSQL gets all of it as one statement, because a round trip takes longer than a statement.
    The move must be the same object each time, because the combined statement is cached.
    """
    if connection.dialect.name == "sqlite":
        row = _first_row(connection, move, values)
        for step in following if row is not None else ():
            execute_step(connection, step)
        return row
    statement = _move_with_steps(move, tuple(step.build for step in following))
    every: dict[str, object] = {}
    for step in reversed(following):
        every.update(step.values)
    every.update(values)
    return _first_row(connection, statement, every)


@dataclass(frozen=True, slots=True)
class MoveEvent:
    """How the event of a move is written if it depends on the moved row."""

    after: Callable[[Row], Step]
    """Builds the step from the moved row."""
    within: Callable[[CTE], Insert]
    """Builds the same step as part of the move's own statement; always the same statement.

    The CTE returns the whole moved row, but SQLAlchemy does not know its columns.
    """


def execute_move_with_event(
    connection: Connection,
    move: Update,
    columns: tuple[str, ...],
    values: Mapping[str, object],
    word: MoveEvent,
) -> Row | None:
    """Run a move, write its event and return these columns of the moved row.

    Return None and write no event if the move matched no row. As in `execute_move`, PostgreSQL
    gets one statement, and the move must be the same object.
    """
    if connection.dialect.name == "sqlite":
        returning = _move_returning(move, columns)
        row = _first_row(connection, returning, values)
        if row is not None:
            execute_step(connection, word.after(row))
        return row
    statement = _move_with_event(move, columns, word.within)
    return _first_row(connection, statement, values)


def _first_row(
    connection: Connection, statement: Executable, values: Mapping[str, object]
) -> Row | None:
    """Return the first row of the result; None if there is none.

    It is a dict because it is read several times, and SQLAlchemy's own mapping is slower.
    """
    row = connection.execute(statement, values).first()
    return None if row is None else dict(zip(row._fields, row, strict=True))


@lru_cache(maxsize=64)
def _move_returning(move: Update, columns: tuple[str, ...]) -> ReturningUpdate[Any]:
    return move.returning(*(move.table.c[name] for name in columns))


@lru_cache(maxsize=64)
def _move_with_event(
    move: Update, columns: tuple[str, ...], within: Callable[[CTE], Insert]
) -> Select[Any]:
    """Build one statement for a move and its event.

    The columns are listed only once, to keep the statement short: psycopg parses a statement of
    more than 4096 characters again at each execution.
    """
    moved = move.returning(literal_column("*")).cte("moved")
    read = (column(name, move.table.c[name].type) for name in columns)
    return select(*read).select_from(moved).add_cte(within(moved).cte("event"))


@lru_cache(maxsize=16)
def _build_unconditional(build: StatementBuilder) -> Update | Insert:
    return build(true())


@lru_cache(maxsize=64)
def _move_with_steps(move: Update, following: tuple[StatementBuilder, ...]) -> Select[Any]:
    moved = move.cte("moved")
    # A refused move must not use up an id of an event.
    was_made = exists().select_from(moved)
    steps = [build(was_made).cte(f"step_{number}") for number, build in enumerate(following)]
    return select(moved).add_cte(*steps)


def allow_long_pauses(connection: Connection) -> None:
    """Let this transaction take its time between statements, as a migration does."""
    if connection.dialect.name != "sqlite":
        connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")


def data_version(engine: Engine) -> object:
    """Return a value that differs after any commit to a SQLite database by another connection."""
    with engine.connect() as connection:
        # The versions of two connections cannot be compared, so each connection has its own mark.
        mark = connection.info.setdefault("mark", object())
        return (mark, connection.exec_driver_sql("PRAGMA data_version").scalar())


def stay_connected(engine: Engine) -> None:
    """Keep a connection to the current file open, for `checkpoint_wal`."""
    with engine.connect():
        pass


def checkpoint_wal(engine: Engine) -> None:
    """Copy the write-ahead log into the file that a connection has open."""
    if isinstance(engine.pool, QueuePool) and not engine.pool.checkedin():
        return
    connection = engine.raw_connection()
    try:
        connection.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)")
    finally:
        connection.close()


def _sqlite_engines(file: Path, pragmas: tuple[str, ...]) -> Engines:
    # None of them creates the file: a missing file must not be replaced by an empty one.
    url = URL.create(
        "sqlite",
        database=f"file:{quote(str(file.absolute()))}",
        query={"mode": "rw", "uri": "true"},
    )
    return Engines(
        migrator=_sqlite_engine(url, begin="BEGIN IMMEDIATE", pragmas=_MIGRATING, size=1),
        # A deferred BEGIN that becomes a write fails at once instead of waiting.
        writer=_sqlite_engine(url, begin="BEGIN IMMEDIATE", pragmas=pragmas, size=1),
        reader=_sqlite_engine(url, begin="BEGIN DEFERRED", pragmas=_READ_ONLY, size=READERS),
        watcher=_sqlite_engine(url, begin=None, pragmas=_READ_ONLY, size=1),
        file=file,
    )


def _sqlite_engine(url: URL, *, begin: str | None, pragmas: tuple[str, ...], size: int) -> Engine:
    engine = create_engine(url, pool_size=size, max_overflow=0, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def on_connect(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        # The driver's own transactions lose updates and commit a failed migration; ours do not.
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in (f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}", *pragmas):
            cursor.execute(pragma)
        cursor.close()

    if begin is not None:
        _begin_with(engine, begin)
    return engine


def _begin_with(engine: Engine, sql: str) -> None:
    """Begin each transaction with this statement."""

    def do_begin(dbapi_connection: PoolProxiedConnection) -> None:
        cursor = dbapi_connection.cursor()
        cursor.execute(sql)
        cursor.close()

    # Passed straight to the driver, errors are raised and the connection is closed as usual.
    # A listener that executes the statement costs as much as the rest of a BEGIN.
    engine.dialect.do_begin = do_begin  # type: ignore[method-assign]


def _postgres_engines(url: URL) -> Engines:
    writer = _postgres_engine(url, options=f"{WRITER_OPTIONS} {PLAN_ONCE}", size=1)

    @event.listens_for(writer, "connect")
    def on_connect(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        # Otherwise the driver begins by itself, with a round trip of its own.
        connection.autocommit = True

    _begin_with(writer, f"BEGIN; SELECT pg_advisory_xact_lock({WRITER_LOCK})")
    reader = _postgres_reader(url)
    announcer = _postgres_engine(url, options=POSTGRES_OPTIONS, size=1).execution_options(
        isolation_level="AUTOCOMMIT"
    )
    return Engines(
        migrator=writer,
        writer=writer,
        reader=reader,
        watcher=reader,
        file=None,
        announcer=announcer,
    )


def _postgres_reader(url: URL) -> Engine:
    # One snapshot for all queries of a reading transaction, as on SQLite.
    return _postgres_engine(url, options=POSTGRES_OPTIONS, size=READERS).execution_options(
        isolation_level="REPEATABLE READ", postgresql_readonly=True
    )


def _postgres_engine(url: URL, *, options: str, size: int) -> Engine:
    try:
        from store.postgres_cursor import BriefCursor

        engine = create_engine(
            url,
            pool_size=size,
            max_overflow=0,
            hide_parameters=True,
            connect_args={
                "connect_timeout": 10,
                "application_name": "paperclerk",
                "options": options,
                "cursor_factory": BriefCursor,
            },
        )
    except ModuleNotFoundError as error:
        raise CannotOpen(
            message("PostgreSQL needs psycopg: pip install 'paperclerk[postgres]'")
        ) from error
    _ping_after_idle(engine)
    return engine


def _ping_after_idle(engine: Engine) -> None:
    """Replace a connection that died while idle; a ping before each use would cost a tenth."""

    @event.listens_for(engine, "checkin")
    def on_checkin(_: DBAPIConnection | None, entry: ConnectionPoolEntry) -> None:
        entry.info["used_at"] = monotonic()

    @event.listens_for(engine, "checkout")
    def on_checkout(
        connection: DBAPIConnection, entry: ConnectionPoolEntry, _: PoolProxiedConnection
    ) -> None:
        rested = timedelta(seconds=monotonic() - entry.info.get("used_at", monotonic()))
        if rested > IDLE_BEFORE_PING and not _answers(engine, connection):
            raise DisconnectionError


def _answers(engine: Engine, connection: DBAPIConnection) -> bool:
    try:
        return engine.dialect.do_ping(connection)
    except engine.dialect.loaded_dbapi.Error:
        return False
