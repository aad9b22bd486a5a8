"""Fixtures for tests that kill daemons."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.kill.campaign import Report, campaign
from tests.kill.killer import RunOptions
from tests.kill.outcomes import expected
from tests.kill.points import Point
from tests.kill.scenarios import Scenario
from tests.postgres import Server

KillAt = Callable[..., Report]


@pytest.fixture
def kill_at(tmp_path: Path) -> KillAt:
    """Kill the daemons of a scenario at each point, let the last one finish, and audit."""

    def kill(
        scenario: Scenario, points: tuple[Point, ...], options: RunOptions | None = None
    ) -> Report:
        return campaign(
            scenario, points, tmp_path / "daemons", options or RunOptions(), expected(scenario)
        )

    return kill


@pytest.fixture
def postgres_url(postgres: Server) -> Iterator[str]:
    name = postgres.create()
    yield postgres.url(name)
    postgres.drop(name)
