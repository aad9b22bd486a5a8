"""`make soak`: hundreds of kills, at random points of random scenarios, each campaign audited."""

import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from random import Random
from time import monotonic

from core.jobs import EventName
from daemon.cli.terminal import console, print_table
from tests.kill.campaign import Report, campaign
from tests.kill.killer import RunOptions
from tests.kill.outcomes import expected
from tests.kill.points import SCANNING, AtMoment, AtMove, Point, Side
from tests.kill.scenarios import SCENARIOS, Scenario
from tests.postgres import Server, running_postgres

KILLS = 500
_POINTS = 14
_SHARE_OF_MOMENTS = 0.3
_SHARE_OF_POSTGRES = 0.25
_SHARE_WITH_CANCELS = 0.3
_CANCELS = 0.5
_MAX_MOMENT = 1.0


def soak(kills: int, seed: int) -> Report:
    """Kill this many daemons, and sum up the audits."""
    random, total = Random(seed), Report()  # noqa: S311 - chance, not secrecy
    with tempfile.TemporaryDirectory(prefix="clerk-soak-") as name, running_postgres() as server:
        folder = Path(name)
        for number in count(1):
            scenario = random.choice(SCENARIOS)
            left = kills - sum(total.kills.values())
            points = _points(scenario, random)[:left]
            with _run_options(random, server) as options:
                place = folder / str(number)
                report = campaign(scenario, points, place, options, expected(scenario))
            _print_campaign(number, scenario, options, report)
            total += report
            if sum(total.kills.values()) >= kills:
                return total
    raise AssertionError("counting has no end")


def _points(scenario: Scenario, random: Random) -> tuple[Point, ...]:
    """Choose points, in an order in which all can be reached."""
    moments = int(_POINTS * _SHARE_OF_MOMENTS)
    chosen: list[Point] = random.sample(
        scenario.points, min(_POINTS - moments, len(scenario.points))
    )
    chosen += [AtMoment(random.uniform(0, _MAX_MOMENT)) for _ in range(moments)]
    random.shuffle(chosen)
    in_order = sorted(chosen, key=_sort_key)
    return tuple(step for point in in_order for step in _with_preceding_kill(point))


def _sort_key(point: Point) -> int:
    """Sort the points of the scan first and in order: a finished scan cannot be interrupted."""
    return SCANNING.index(point) if point in SCANNING else len(SCANNING)


def _with_preceding_kill(point: Point) -> tuple[Point, ...]:
    """Add a kill during processing before a point that interrupts a recovery."""
    if isinstance(point, AtMove) and point.event is EventName.RECOVERED:
        return (AtMove(EventName.CLAIMED, Side.AFTER_COMMIT), point)
    return (point,)


@contextmanager
def _run_options(random: Random, server: Server) -> Iterator[RunOptions]:
    parallel, seed = random.choice([1, 3]), random.randrange(10**6)
    cancels = _CANCELS if random.random() < _SHARE_WITH_CANCELS else 0.0
    if random.random() >= _SHARE_OF_POSTGRES:
        yield RunOptions(parallel, seed=seed, cancels=cancels)
        return
    name = server.create()
    yield RunOptions(parallel, server.url(name), seed=seed, cancels=cancels)
    server.drop(name)


def _print_campaign(number: int, scenario: Scenario, options: RunOptions, report: Report) -> None:
    where = "PostgreSQL" if options.url else "SQLite"
    kills, wrong = sum(report.kills.values()), len(report.violations)
    console().print(
        f"{number:3}  {scenario.name}, {where}, {options.parallel} at a time: "
        f"{kills} kills, {report.recoveries} recoveries, {wrong} violations"
    )
    for sentence in report.violations:
        console().print(f"     ! {sentence}")


def _print_summary(report: Report, seed: int, took: float) -> None:
    print_table(
        ("died", "times"), ((point, str(times)) for point, times in report.kills.most_common())
    )
    figures = {
        "kills": sum(report.kills.values()),
        "documents": report.documents,
        "jobs": report.jobs,
        "recoveries": report.recoveries,
        "asked again": report.asked_again,
        "cancelled": report.cancelled,
        "documents being processed at a kill": len(report.hit),
        "seconds": round(took),
        "seed": seed,
        "violations": len(report.violations),
    }
    for name, figure in figures.items():
        console().print(f"{name}: {figure}")


def main() -> int:
    """Soak; `python -m tests.kill.soak KILLS SEED`."""
    kills, seed = (*map(int, sys.argv[1:]), *(KILLS, 0)[len(sys.argv) - 1 :])
    seed = seed or Random().randrange(1, 10**6)  # noqa: S311 - printed, so that it can be repeated
    # On SIGTERM, leave no process running.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    began = monotonic()
    report = soak(kills, seed)
    _print_summary(report, seed, monotonic() - began)
    return 1 if report.violations else 0


if __name__ == "__main__":
    sys.exit(main())
