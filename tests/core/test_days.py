"""When a day begins."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from core.days import start_of


@pytest.mark.parametrize(
    ("day", "zone", "begins"),
    [
        ("2026-11-16", "Europe/Berlin", "2026-11-15T23:00"),
        ("2026-07-16", "Europe/Berlin", "2026-07-15T22:00"),
        ("2026-03-29", "Europe/Berlin", "2026-03-28T23:00"),  # an hour is left out later that day
        ("2026-10-25", "Europe/Berlin", "2026-10-24T22:00"),  # an hour comes twice
        ("2026-11-16", "UTC", "2026-11-16T00:00"),
        ("2026-11-16", "Pacific/Auckland", "2026-11-15T11:00"),
    ],
)
def test_a_day_begins_at_its_own_midnight(day: str, zone: str, begins: str) -> None:
    begun = start_of(date.fromisoformat(day), ZoneInfo(zone))

    assert begun == datetime.fromisoformat(begins).replace(tzinfo=UTC)


def test_without_a_zone_the_system_s_counts() -> None:
    local = datetime.combine(date(2026, 11, 16), datetime.min.time()).astimezone()

    assert start_of(date(2026, 11, 16), None) == local
