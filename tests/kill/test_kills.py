"""A daemon may die at any point, again and again: in the end all is as if it had not.

What is compared, and which rules hold besides, stands in `audit.py`.
"""

from pathlib import Path
from random import Random

import pytest

from tests.kill.audit import differences
from tests.kill.campaign import Report, undisturbed
from tests.kill.conftest import KillAt
from tests.kill.daemons import Program
from tests.kill.killer import RunOptions
from tests.kill.outcomes import expected
from tests.kill.points import (
    ANSWERED,
    ASKING_AND_WRITING,
    NAMING,
    PATCHED,
    PATCHING,
    READING_AGAIN,
    SCANNING,
    SETTLING,
    TAKING,
    AtMoment,
    Point,
)
from tests.kill.scenarios import (
    FILING_SCENARIO,
    REVIEW_SCENARIO,
    SCENARIOS,
    UNDO_SCENARIO,
    Scenario,
)

pytestmark = pytest.mark.timeout(1200)


def drawn(points: tuple[Point, ...], number: int) -> tuple[Point, ...]:
    """Draw some points, the same in every run; few documents bring a name, so that comes first."""
    some = _random().sample(points, number)
    return tuple(sorted(some, key=lambda point: point is not NAMING))


def _random() -> Random:
    return Random(2026)  # noqa: S311 - which test has run before must not matter


def assert_all_is_well(report: Report, points: tuple[Point, ...]) -> None:
    """Hold that every point was come to, and that nothing was lost, doubled or paid for twice."""
    assert report.violations == []
    assert report.missed == []
    assert sum(report.kills.values()) == len(points)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_play_that_nobody_disturbs_ends_as_it_is_listed(
    scenario: Scenario, tmp_path: Path
) -> None:
    outcome = undisturbed(scenario, tmp_path / "daemons")

    assert list(differences(outcome, expected(scenario))) == []


@pytest.mark.parametrize(
    "points",
    [SCANNING + ASKING_AND_WRITING, TAKING, SETTLING],
    ids=["requests", "claims and answers", "plans and ends"],
)
def test_filing_survives_a_kill_at_every_point(points: tuple[Point, ...], kill_at: KillAt) -> None:
    report = kill_at(FILING_SCENARIO, points)

    assert_all_is_well(report, points)
    assert report.documents == 12
    assert len(report.hit) > 3, "the kills fell on few documents"


@pytest.mark.parametrize("scenario", [REVIEW_SCENARIO, UNDO_SCENARIO], ids=["review", "undo"])
def test_what_a_person_asked_for_survives_a_kill_at_every_point(
    scenario: Scenario, kill_at: KillAt
) -> None:
    report = kill_at(scenario, scenario.points)

    assert_all_is_well(report, scenario.points)


def test_three_documents_at_a_time_survive_as_well(kill_at: KillAt) -> None:
    points = drawn(ASKING_AND_WRITING + SETTLING, 9)

    report = kill_at(FILING_SCENARIO, points, RunOptions(parallel=3))

    assert_all_is_well(report, points)


def test_a_cancel_before_each_kill_loses_nothing_either(kill_at: KillAt) -> None:
    points = (ANSWERED, READING_AGAIN, PATCHING, PATCHED)

    report = kill_at(FILING_SCENARIO, points, RunOptions(cancels=1.0))

    assert_all_is_well(report, points)
    assert report.cancelled == len(points)


def test_filing_survives_kills_in_quick_succession(kill_at: KillAt) -> None:
    chance = _random()
    # The shortest delays come first: a fast machine may finish before the longest.
    points = tuple(
        AtMoment(seconds) for seconds in sorted(chance.uniform(0, 0.8) for _ in range(12))
    )

    report = kill_at(FILING_SCENARIO, points, RunOptions(parallel=3))

    assert report.violations == []
    assert report.kills.total() >= 1
    assert report.kills.total() + len(report.missed) == len(points)


def test_a_shared_database_survives_as_well(kill_at: KillAt, postgres_url: str) -> None:
    points = SCANNING + drawn(SETTLING + ASKING_AND_WRITING, 5)

    report = kill_at(FILING_SCENARIO, points, RunOptions(parallel=3, url=postgres_url))

    assert_all_is_well(report, points)


def test_the_installed_program_survives_as_well(kill_at: KillAt) -> None:
    points = (ANSWERED, PATCHED)

    report = kill_at(FILING_SCENARIO, points, RunOptions(start=Program))

    assert_all_is_well(report, points)
