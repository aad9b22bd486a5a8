"""Several workers on one PostgreSQL: killed, frozen, disconnected, and audited in the end."""

import asyncio
import os
import re
import signal
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from random import Random
from threading import Event as Pause
from time import monotonic

import psycopg
from starlette.types import Receive, Scope, Send

from core.calendar import utc_now
from core.documents import DocumentRef
from core.jobs import EventName, JobStatus, NewJob
from core.scans import ScanPage
from daemon.cli.arguments import Options
from daemon.cli.session import open_services
from daemon.worker import Worker
from sandbox.model.behaviour import Behaviour
from sandbox.paperless import World, load_world, persons
from sandbox.paperless.records import Kind
from store import open_store
from store.engine import engines_for
from tests.forking import start_forked
from tests.kill.audit import RULES, only_the_dead_are_recovered_from
from tests.kill.evidence import Evidence, gather
from tests.kill.killed_daemon import exit_with_parent, log_into
from tests.kill.killer import HOME
from tests.kill.recording_sandbox import DONE, RecordingSandbox, differences_of, fields_of
from tests.kill.scenarios import FILING_SCENARIO
from tests.postgres import Server
from tests.waiting import LONG

WORKERS = 4
_PAGE = 500
_POLL = 0.1
_ATTEMPTS = 20
_THINKING = 0.2
"""Seconds that the model takes: most workers die in the middle of a call."""
_NUMBER = re.compile(r"Beleg Nr\. (\d+)")
_ONE_DOCUMENT = re.compile(r"/api/documents/(\d+)/")


@dataclass(frozen=True, slots=True)
class Disturbances:
    """Disturbances of the workers, each at a number of completed documents."""

    lease: timedelta
    """A worker without a heartbeat for this long is considered dead."""
    frozen_for: timedelta
    kills: frozenset[int]
    freezes: frozenset[int]
    restarts: frozenset[int]


@dataclass(slots=True)
class FleetReport:
    """The disturbances, and the results for the documents."""

    documents: int
    kills: int = 0
    freezes: int = 0
    restarts: int = 0
    recoveries: int = 0
    recovered_from_the_living: int = 0
    """From workers that got no CPU time for longer than the lease, on a busy machine."""
    paid_twice: int = 0
    seconds: float = 0.0
    violations: list[str] = field(default_factory=list)


class FleetSandbox(RecordingSandbox):
    """Compares only the document that a request is about: there are thousands."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._current = dict(self.first)

    async def _noting(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.paperless(scope, receive, send)
        found = _ONE_DOCUMENT.fullmatch(scope["path"])
        if found and scope["method"] == "PATCH":
            self._note_document(int(found[1]))

    def _note_document(self, id_: int) -> None:
        with self.world.lock:
            now = fields_of(persons.describe_document(self.world, self.world.documents[id_]))
        self.effects += differences_of({id_: self._current[id_]}, {id_: now})
        self._current[id_] = now


class Fleet:
    """Keeps a number of workers running, and kills, freezes and resumes them."""

    def __init__(self, folder: Path, url: str, sandbox: FleetSandbox, lease: timedelta) -> None:
        self._options = Options(folder / "config", folder / "data")
        self._log = folder / "log"
        self._lease = lease
        self._workers: list[ForkServerProcess] = []
        self._frozen: dict[ForkServerProcess, float] = {}
        """When each is resumed, by the monotonic clock."""
        self.disturbed: set[int] = set()
        """Processes that were killed or frozen."""
        for path in (self._options.config, self._options.data):
            path.mkdir(parents=True)
        daemon = f'time_zone = "Europe/Berlin"\n[database]\nurl = "{url}"\n'
        (self._options.config / "daemon.toml").write_text(daemon, "utf-8")
        tables = f"{FILING_SCENARIO.tables}[limits]\ndocuments_per_day = 0\n"
        (self._options.config / f"{HOME}.toml").write_text(sandbox.settings(tables), "utf-8")

    def keep_alive(self) -> None:
        """Start a worker for each missing one, and resume those that are due."""
        for worker, at in list(self._frozen.items()):
            if monotonic() >= at:
                self._thaw(worker)
        self._workers = [worker for worker in self._workers if worker.is_alive()]
        while len(self._workers) < WORKERS:
            self._workers.append(start_forked(_work, self._options, self._log, self._lease))

    def kill(self, random: Random) -> None:
        victim = self._choose(random)
        victim.kill()
        victim.join(LONG)

    def freeze(self, random: Random, seconds: float) -> None:
        victim = self._choose(random)
        os.kill(_pid_of(victim), signal.SIGSTOP)
        self._frozen[victim] = monotonic() + seconds

    @property
    def has_frozen(self) -> bool:
        return bool(self._frozen)

    def stop(self) -> list[int | None]:
        """Stop all workers; return their exit codes."""
        for worker in list(self._frozen):
            self._thaw(worker)
        for worker in self._workers:
            worker.terminate()
        for worker in self._workers:
            worker.join(LONG)
        return [worker.exitcode for worker in self._workers]

    def end(self) -> None:
        """Kill all remaining processes."""
        for worker in self._workers:
            if worker.is_alive():
                worker.kill()
                worker.join(LONG)

    def _choose(self, random: Random) -> ForkServerProcess:
        """Choose a worker that is neither dead nor frozen."""
        victim = random.choice([worker for worker in self._workers if worker not in self._frozen])
        self.disturbed.add(_pid_of(victim))
        return victim

    def _thaw(self, worker: ForkServerProcess) -> None:
        del self._frozen[worker]
        os.kill(_pid_of(worker), signal.SIGCONT)


def run_fleet(
    folder: Path, server: Server, disturbances: Disturbances, *, documents: int, seed: int
) -> FleetReport:
    """Let workers process a queue while they are disturbed, and audit the result."""
    name = server.create()
    url, random, report = server.url(name), Random(seed), FleetReport(documents)  # noqa: S311
    with FleetSandbox(build_world(documents)) as sandbox:
        sandbox.model.behave(Behaviour(delay=_THINKING))
        fleet = Fleet(folder, url, sandbox, disturbances.lease)
        asyncio.run(_enqueue(url, folder, sorted(sandbox.world.documents)))
        began = monotonic()
        try:
            _disturb(fleet, url, server, disturbances, random, report)
            codes = fleet.stop()
        finally:
            fleet.end()
        report.seconds = monotonic() - began
        if any(codes):
            report.violations.append(f"workers ended with {codes}")
        _audit(url, sandbox, fleet.disturbed, report)
    server.drop(name)
    return report


def build_world(documents: int) -> World:
    """Build a Paperless with unfiled letters, each with its own number."""
    world = load_world()
    world.add_name(Kind.TAG, DONE)
    letters = [letter.content for letter in world.documents.values() if letter.content.strip()]
    world.documents.clear()
    for number in range(1, documents + 1):
        letter = letters[number % len(letters)]
        world.add_document(f"Beleg Nr. {number}\n{letter}", f"beleg{number}.pdf")
    return world


def _work(options: Options, log: Path, lease: timedelta) -> None:
    """Run a worker until a signal."""
    log_into(log)
    exit_with_parent()

    async def run() -> None:
        async with open_services(options, None) as services:
            await Worker(services, lease=lease).run()

    asyncio.run(run())


async def _enqueue(url: str, data: Path, ids: list[int]) -> None:
    async with open_store(url, data) as store:
        now = utc_now()
        await store.instances.register(HOME, endpoint="", now=now)
        scan = await store.scans.start(HOME, asked_by="hand", now=now)
        for first in range(0, len(ids), _PAGE):
            wanted = [
                (NewJob(DocumentRef(HOME, id_), asked_by="hand", max_attempts=_ATTEMPTS), "Brief")
                for id_ in ids[first : first + _PAGE]
            ]
            await store.scans.record_page(scan.id, ScanPage(tuple(wanted)), now=now)
        await store.scans.finish(scan.id, now=now)


def _disturb(
    fleet: Fleet,
    url: str,
    server: Server,
    disturbances: Disturbances,
    random: Random,
    report: FleetReport,
) -> None:
    """Disturb the workers at the given numbers of documents, until every job has ended."""
    reached = -1
    while reached < report.documents or fleet.has_frozen:
        fleet.keep_alive()
        done = _count_ended(url)
        passed = range(reached + 1, done + 1)
        if disturbances.kills.intersection(passed):
            fleet.kill(random)
            report.kills += 1
        if disturbances.freezes.intersection(passed):
            fleet.freeze(random, disturbances.frozen_for.total_seconds())
            report.freezes += 1
        if disturbances.restarts.intersection(passed):
            with server.stopped():
                pass
            report.restarts += 1
        reached = max(reached, done)
        Pause().wait(_POLL)


def _count_ended(url: str) -> int:
    """Return the number of jobs that have ended; 0 while the server is unreachable."""
    ended = "SELECT count(*) FROM jobs WHERE status NOT IN ('pending', 'processing')"
    with suppress(psycopg.OperationalError), psycopg.connect(url) as connection:
        row = connection.execute(ended).fetchone()
        return int(row[0]) if row else 0
    return 0


def _audit(url: str, sandbox: FleetSandbox, disturbed: set[int], report: FleetReport) -> None:
    engines = engines_for(url, Path())
    found = gather(
        engines.reader, sandbox, killed=frozenset(disturbed), asked=_count_asked(sandbox)
    )
    engines.dispose()
    recovered = Counter(event.job_id for event in found.events if event.name is EventName.RECOVERED)
    rules = [rule for rule in RULES if rule is not only_the_dead_are_recovered_from]
    report.violations += [sentence for rule in rules for sentence in rule(found)]
    report.violations += _unfiled(found)
    report.violations += _paid_without_reason(found, recovered)
    report.recoveries = recovered.total()
    report.recovered_from_the_living = len(list(only_the_dead_are_recovered_from(found)))
    report.paid_twice = sum(times - 1 for times in found.asked.values() if times > 1)


def _count_asked(sandbox: FleetSandbox) -> Mapping[int, int]:
    """Count by document how often its text was sent to the model."""
    with sandbox.world.lock:
        by_number = {
            int(found[1]): document.id
            for document in sandbox.world.documents.values()
            if (found := _NUMBER.search(document.content))
        }
    counted: Counter[int] = Counter()
    for chat in sandbox.model.state.chats():
        if found := _NUMBER.search(str(chat.messages)):
            counted[by_number[int(found[1])]] += 1
    return counted


def _unfiled(found: Evidence) -> list[str]:
    """Return each document that was not completed exactly once."""
    completed = Counter(job.document.id for job in found.jobs if job.status is JobStatus.COMPLETED)
    return [
        f"document {id_} was completed {completed[id_]} times"
        for id_ in found.first
        if completed[id_] != 1
    ]


def _paid_without_reason(found: Evidence, recovered: Mapping[int, int]) -> list[str]:
    """Return each document that was paid for again although its job was not recovered."""
    return [
        f"document {job.document.id} was paid for {found.asked[job.document.id]} times"
        for job in found.jobs
        if found.asked.get(job.document.id, 0) > 1 + recovered.get(job.id, 0)
    ]


def _pid_of(worker: ForkServerProcess) -> int:
    assert worker.pid is not None
    return worker.pid
