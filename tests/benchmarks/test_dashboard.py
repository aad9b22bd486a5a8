"""The benchmarks of the dashboard: they run, and what they promise of behaviour holds."""

from pathlib import Path

import pytest

from benchmarks import followers, pages_time
from benchmarks.copies import Size

SMALL = Size(jobs=20, waiting=2, failed=2, pending=1)


def test_twenty_followers_hear_everything_and_leave_nothing_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    size = {"documents": 4, "followers": 20}

    found = followers.measure(tmp_path, **size, delay=0.0)
    followers.show(found, **size, delay=0.0)

    assert found.complete
    assert found.after is not None
    assert found.after.clients == 0
    assert "Each received every event, in order: yes." in capsys.readouterr().out


def test_the_time_of_each_page_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pages_time.running_dashboard(tmp_path, SMALL) as dashboard:
        found = pages_time.measure(dashboard, dashboard, rounds=1)
    pages_time.show(found, SMALL, SMALL, rounds=1)

    assert found.keys() == dashboard.pages.keys()
    assert all(took > 0 for both in found.values() for took in both)
    assert "More than twice as long:" in capsys.readouterr().out
