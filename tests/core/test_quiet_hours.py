"""Quiet hours, by the clock on the wall."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from core.calendar import DailyHours

BERLIN = ZoneInfo("Europe/Berlin")


def hours(text: str) -> DailyHours:
    parsed = DailyHours.parse(text)
    assert parsed is not None
    return parsed


@pytest.mark.parametrize(
    ("span", "at", "quiet"),
    [
        ("22:00-07:00", "21:59", False),
        ("22:00-07:00", "22:00", True),
        ("22:00-07:00", "23:59", True),
        ("22:00-07:00", "00:00", True),
        ("22:00-07:00", "06:59", True),
        ("22:00-07:00", "07:00", False),
        ("22:00-00:00", "23:59", True),
        ("22:00-00:00", "00:00", False),
        ("12:30-14:00", "12:29", False),
        ("12:30-14:00", "12:30", True),
        ("12:30-14:00", "14:00", False),
        ("0:00-7:00", "00:00", True),
    ],
)
def test_it_is_quiet_from_the_first_time_to_before_the_second(
    span: str, at: str, *, quiet: bool
) -> None:
    now = datetime.fromisoformat(f"2026-07-01T{at}:00").replace(tzinfo=BERLIN)

    assert hours(span).covers(now.astimezone(UTC), BERLIN) is quiet


@pytest.mark.parametrize(
    ("moment", "quiet"),
    [
        # The night in which the clock goes forward from 2 to 3 is over an hour earlier.
        ("2026-03-29T00:59:00Z", True),
        ("2026-03-29T01:00:00Z", True),
        ("2026-03-29T04:59:00Z", True),
        ("2026-03-29T05:00:00Z", False),
        # In the night in which it goes back from 3 to 2, what is shown twice is quiet twice.
        ("2026-10-25T00:30:00Z", True),
        ("2026-10-25T01:30:00Z", True),
        ("2026-10-25T05:59:00Z", True),
        ("2026-10-25T06:00:00Z", False),
    ],
)
def test_nights_in_which_the_clock_is_changed_end_when_the_wall_says_so(
    moment: str, *, quiet: bool
) -> None:
    assert hours("22:00-07:00").covers(datetime.fromisoformat(moment), BERLIN) is quiet


def test_nothing_said_means_never() -> None:
    assert DailyHours.parse(" ") is None


@pytest.mark.parametrize(
    "text", ["22:00", "22:00-", "22-7", "24:00-07:00", "22:60-07:00", "7:0-8:00", "07:00-07:00"]
)
def test_what_is_no_span_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a|at the same time"):
        DailyHours.parse(text)
