"""Start daemons for one installation, and kill them at given points."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random

from sqlalchemy import Engine, func, select, update

from core.calendar import utc_now
from core.jobs import EventName
from store.engine import engines_for
from store.tables import (
    PENDING,
    PROCESSING,
    changes,
    events,
    instances,
    jobs,
    leases,
    scans,
    workers,
)
from tests.kill.daemons import Daemon, Forked
from tests.kill.evidence import Evidence, gather
from tests.kill.killed_daemon import DaemonArguments
from tests.kill.points import AtMoment, AtMove, AtRequest, Point
from tests.kill.recording_sandbox import RecordingSandbox

HOME = "home"
_POLL = 0.02
_MAX_POLLS = 4_500
"""At least a minute and a half, which is enough on a busy machine."""
_MAX_KILLED_ATTEMPTS = 7
"""After this many attempts, a job runs once without a kill: it has ten in total."""
_SILENCE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of the daemons."""

    parallel: int = 1
    url: str | None = None
    """Address of a PostgreSQL; None for SQLite."""
    start: Callable[[DaemonArguments], Daemon] = Forked
    seed: int = 2026
    """Decides the order of the queue and what is cancelled."""
    cancels: float = 0.0
    """Share of the kills at a request that follow a cancel of the running jobs."""


class DaemonKiller:
    """Starts daemons one after the other, and kills them."""

    def __init__(
        self, recording_sandbox: RecordingSandbox, folder: Path, options: RunOptions
    ) -> None:
        self.recording_sandbox = recording_sandbox
        self.options = options
        self.config, self.data = folder / "config", folder / "data"
        self.log = folder / "log"
        self.config.mkdir(parents=True)
        self.data.mkdir()
        self._engines = engines_for(options.url, self.data)
        self._killed: set[int] = set()

    def configure(self, tables: str) -> None:
        database = f'[database]\nurl = "{self.options.url}"\n' if self.options.url else ""
        # A free port: another daemon may use the default one.
        web = "[web]\nport = 0\n"
        daemon = f'time_zone = "Europe/Berlin"\n{database}{web}[processor]\nparallel = '
        (self.config / "daemon.toml").write_text(f"{daemon}{self.options.parallel}\n", "utf-8")
        (self.config / f"{HOME}.toml").write_text(self.recording_sandbox.settings(tables), "utf-8")

    def kill_at(
        self, point: Point, meanwhile: Callable[["DaemonKiller"], None] | None = None
    ) -> bool:
        """Start a daemon and kill it at `point`; return False if it had no work left before.

        `meanwhile` runs just before the kill, while a request is delayed.
        """
        self.run_jobs_near_last_attempt()
        if self.is_drained():
            return False
        match point:
            case AtMove():
                died = self._kill_at_move(point)
            case AtRequest():
                died = self._kill_at_request(point, meanwhile)
            case AtMoment(seconds):
                died = self._kill_after(seconds)
        self.let_time_pass()
        return died

    def drain(self) -> None:
        """Run a daemon without kills until there is no work left, and stop it."""
        self.work_until(self.is_drained)

    def work_until(self, happens: Callable[[], bool]) -> None:
        """Run a daemon without kills until something happens, and stop it."""
        if happens():
            return
        with self._daemon() as daemon:
            self.until(daemon, happens)
            self._stop(daemon)

    @contextmanager
    def frozen(self, when: Callable[[], bool]) -> Iterator[Daemon]:
        """Start a daemon, freeze it when the condition holds, and let it be considered dead."""
        with self._daemon() as daemon:
            self.until(daemon, when)
            os.kill(daemon.pid, signal.SIGSTOP)
            self._killed.add(daemon.pid)
            self.let_time_pass()
            yield daemon
            self._stop(daemon)

    def until(self, daemon: Daemon, happens: Callable[[], bool]) -> None:
        """Wait until something happens; raise AssertionError at the timeout."""
        # Polls are counted, not seconds, because the machine may sleep meanwhile.
        for _ in range(_MAX_POLLS):
            if happens():
                return
            daemon.wait(_POLL)
        raise AssertionError(f"the condition was never met\n{self._log_tail()}")

    def run_jobs_near_last_attempt(self) -> None:
        """Run a daemon without kills until no job is close to its maximum of attempts."""
        self.work_until(lambda: self._most_attempts() < _MAX_KILLED_ATTEMPTS)

    def shuffle(self, random: Random) -> None:
        """Shuffle the queue; the next kill affects the first job."""
        with self._engines.writer.begin() as connection:
            live = select(jobs.c.id).where(jobs.c.status.in_([PENDING, PROCESSING]))
            numbers = list(connection.scalars(live.order_by(jobs.c.id)))
            for place, number in enumerate(random.sample(numbers, len(numbers))):
                connection.execute(update(jobs).where(jobs.c.id == number).values(priority=place))

    def is_drained(self) -> bool:
        with self.engine.connect() as connection:
            left = (
                select(jobs.c.id).where(jobs.c.status.in_([PENDING, PROCESSING])),
                select(scans.c.id).where(scans.c.finished_at.is_(None)),
                select(instances.c.name).where(instances.c.next_scan_at <= utc_now()),
            )
            return not any(connection.execute(query.limit(1)).first() for query in left)

    def has_event(self, name: EventName) -> bool:
        """Return whether such an event has happened to any job."""
        with self.engine.connect() as connection:
            query = select(events.c.id).where(events.c.name == name.value)
            return connection.execute(query.limit(1)).first() is not None

    @property
    def engine(self) -> Engine:
        """The engine to read what the daemons wrote."""
        return self._engines.reader

    def evidence(self) -> Evidence:
        return gather(self.engine, self.recording_sandbox, killed=frozenset(self._killed))

    def close(self) -> None:
        self._engines.dispose()

    def _kill_at_move(self, point: AtMove) -> bool:
        with self._daemon(point) as daemon:
            self.until(daemon, lambda: daemon.exit_code is not None or self.is_drained())
            # A daemon may have recorded the last event and still be about to die at it.
            daemon.wait(_POLL)
            died = daemon.exit_code is not None
            if died:
                self._record_kill(daemon)
            else:
                self._stop(daemon)
            return died

    def _kill_at_request(
        self, point: AtRequest, meanwhile: Callable[["DaemonKiller"], None] | None
    ) -> bool:
        faults = self.recording_sandbox.faults(point.server)
        before = len(faults.struck)
        faults.add(point.fault)
        try:
            with self._daemon() as daemon:
                self.until(
                    daemon,
                    lambda: faults.wait_for_strikes(before + 1, _POLL) or self.is_drained(),
                )
                is_held = len(faults.struck) > before
                if is_held and meanwhile is not None:
                    meanwhile(self)
                self._kill(daemon)
                return is_held
        finally:
            faults.clear()

    def _kill_after(self, seconds: float) -> bool:
        with self._daemon() as daemon:
            daemon.wait(seconds)
            self._kill(daemon)
        return True

    @contextmanager
    def _daemon(self, kill_point: AtMove | None = None) -> Iterator[Daemon]:
        daemon = self.options.start(DaemonArguments(self.config, self.data, self.log, kill_point))
        try:
            yield daemon
        finally:
            if daemon.exit_code is None:
                daemon.kill()

    def _kill(self, daemon: Daemon) -> None:
        daemon.kill()
        self._record_kill(daemon)

    def _record_kill(self, daemon: Daemon) -> None:
        assert daemon.exit_code == -9, f"exit code {daemon.exit_code}\n{self._log_tail()}"
        self._killed.add(daemon.pid)

    def _stop(self, daemon: Daemon) -> None:
        daemon.stop()
        assert daemon.exit_code == 0, f"exit code {daemon.exit_code}\n{self._log_tail()}"

    def let_time_pass(self) -> None:
        """Age the begun writes, and on PostgreSQL the heartbeats, which show dead workers.

        A daemon waits for some minutes before it assumes that a begun write had no effect.
        """
        long_ago = utc_now() - _SILENCE
        with self._engines.writer.begin() as connection:
            for begun_at in (changes.c.write_begun_at, changes.c.undo_begun_at):
                begun = update(changes).where(begun_at.is_not(None))
                connection.execute(begun.values({begun_at: long_ago}))
            waiting = update(jobs).where(jobs.c.status == PENDING, jobs.c.ends_as.is_not(None))
            connection.execute(waiting.values(scheduled_for=utc_now()))
            if self.options.url is None:
                return
            held = update(jobs).where(jobs.c.status == PROCESSING)
            connection.execute(held.values(heartbeat_at=long_ago))
            connection.execute(update(workers).values(beat_at=long_ago))
            connection.execute(update(leases).values(expires_at=long_ago))
            open_scans = update(scans).where(scans.c.finished_at.is_(None))
            connection.execute(open_scans.values(started_at=long_ago))

    def _most_attempts(self) -> int:
        with self.engine.connect() as connection:
            live = jobs.c.status.in_([PENDING, PROCESSING])
            most: int | None = connection.scalar(select(func.max(jobs.c.attempts)).where(live))
            return most or 0

    def _log_tail(self) -> str:
        return "\n".join(self.log.read_text("utf-8").splitlines()[-30:])
