"""Four workers share a queue; some are killed or frozen, and PostgreSQL restarts twice."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.kill.fleet import Disturbances, run_fleet
from tests.postgres import Server

SHORT = Disturbances(
    lease=timedelta(seconds=6),
    frozen_for=timedelta(seconds=20),
    kills=frozenset({5, 14, 30, 42}),
    freezes=frozenset({2}),
    restarts=frozenset({10, 36}),
)


@pytest.mark.timeout(900)
def test_every_document_is_filed_once_whatever_happens_to_the_workers(
    tmp_path: Path, postgres: Server
) -> None:
    if postgres.control is None:
        pytest.skip("the server is somebody else's")

    report = run_fleet(tmp_path / "fleet", postgres, SHORT, documents=60, seed=2026)

    assert report.violations == []
    assert (report.kills, report.freezes, report.restarts) == (4, 1, 2)
    assert report.recoveries >= 1
