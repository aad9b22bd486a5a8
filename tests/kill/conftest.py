"""A place to kill daemons in, and how things end where nobody does."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.kill.campaign import Report, campaign, undisturbed
from tests.kill.evidence import Outcome
from tests.kill.plays import Play
from tests.kill.points import Point
from tests.kill.scene import Manner
from tests.postgres import Server

Expected = Callable[[Play], Outcome]
KillAt = Callable[..., Report]


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Expected:
    """Let a play come to its end without a kill, once for all tests."""
    return cache(lambda play: undisturbed(play, tmp_path_factory.mktemp("undisturbed") / "scene"))


@pytest.fixture
def kill_at(expected: Expected, tmp_path: Path) -> KillAt:
    """Kill the daemons of a play at each point, let the last one finish, and audit."""

    def kill(play: Play, points: tuple[Point, ...], manner: Manner | None = None) -> Report:
        return campaign(play, points, tmp_path / "scene", manner or Manner(), expected(play))

    return kill


@pytest.fixture
def postgres_url(postgres: Server) -> Iterator[str]:
    name = postgres.create()
    yield postgres.url(name)
    postgres.drop(name)
