"""Kill the daemons of one installation at many points, let the last finish, and audit."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from core.jobs import EventName
from tests.kill.audit import violations
from tests.kill.evidence import Evidence, Outcome
from tests.kill.killer import DaemonKiller, RunOptions
from tests.kill.points import Point
from tests.kill.recording_sandbox import RecordingSandbox, small_world
from tests.kill.scenarios import Scenario, cancel_processing, restart_cancelled


@dataclass(slots=True)
class Report:
    """The result of one or several campaigns."""

    kills: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)
    """Points that no daemon reached."""
    documents: int = 0
    jobs: int = 0
    recoveries: int = 0
    asked_again: int = 0
    """Model calls that were running when their daemon died; these are paid for twice."""
    cancelled: int = 0
    """Jobs that were cancelled while being processed, and restarted at the end."""
    hit: frozenset[int] = frozenset()
    """Documents that were being processed when their daemon died."""
    violations: list[str] = field(default_factory=list)

    def __add__(self, other: "Report") -> "Report":
        return Report(
            self.kills + other.kills,
            self.missed + other.missed,
            self.documents + other.documents,
            self.jobs + other.jobs,
            self.recoveries + other.recoveries,
            self.asked_again + other.asked_again,
            self.cancelled + other.cancelled,
            self.hit | other.hit,
            self.violations + other.violations,
        )


def undisturbed(scenario: Scenario, folder: Path) -> Outcome:
    """Run a scenario to its end without a kill."""
    with _killer(folder, RunOptions()) as killer:
        scenario.begin(killer)
        killer.drain()
        return killer.evidence().outcome


def campaign(
    scenario: Scenario,
    points: Iterable[Point],
    folder: Path,
    options: RunOptions,
    expected: Outcome,
) -> Report:
    """Kill a daemon at each point in turn, as long as there is work left.

    The queue is shuffled before each kill, so that any document can be affected.
    """
    report, random = Report(), Random(options.seed)  # noqa: S311 - chance, not secrecy
    with _killer(folder, options) as killer:
        scenario.begin(killer)
        for point in points:
            killer.shuffle(random)
            meanwhile = cancel_processing if random.random() < options.cancels else None
            if killer.kill_at(point, meanwhile):
                report.kills[str(point)] += 1
            else:
                report.missed.append(str(point))
        killer.drain()
        restart_cancelled(killer)
        killer.drain()
        evidence = killer.evidence()
    report += _counted(evidence)
    if report.cancelled:
        # A plan that was cancelled and made again has additional changes in the ledger.
        expected = replace(expected, changes=evidence.outcome.changes)
    report.violations = violations(evidence, expected)
    return report


def _counted(evidence: Evidence) -> Report:
    recovered = [event for event in evidence.events if event.name is EventName.RECOVERED]
    document_of = {job.id: job.document.id for job in evidence.jobs}
    return Report(
        documents=len({job.document for job in evidence.jobs}),
        jobs=len(evidence.jobs),
        recoveries=len(recovered),
        asked_again=sum(max(0, times - 1) for times in evidence.asked.values()),
        cancelled=sum(event.name is EventName.RESTARTED for event in evidence.events),
        hit=frozenset(document_of[event.job_id] for event in recovered),
    )


@contextmanager
def _killer(folder: Path, options: RunOptions) -> Iterator[DaemonKiller]:
    with RecordingSandbox(small_world()) as recording_sandbox:
        killer = DaemonKiller(recording_sandbox, folder, options)
        try:
            yield killer
        finally:
            killer.close()
