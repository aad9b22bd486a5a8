"""Durations as people write them."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.calendar import format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("30s", timedelta(seconds=30)),
        ("5m", timedelta(minutes=5)),
        ("2h", timedelta(hours=2)),
        ("1d", timedelta(days=1)),
        ("1h30m", timedelta(minutes=90)),
        ("1d2h3m4s", timedelta(days=1, hours=2, minutes=3, seconds=4)),
        ("90s", timedelta(seconds=90)),
        ("0s", timedelta()),
        (" 5m ", timedelta(minutes=5)),
    ],
)
def test_a_duration_is_a_number_and_its_unit_once_or_more(text: str, duration: timedelta) -> None:
    assert parse_duration(text) == duration


@pytest.mark.parametrize(
    "text", ["", " ", "5", "m", "-5m", "1.5h", "5 m", "5min", "30m1h", "5m5m", "1w", "٣m"]
)
def test_anything_else_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(ValueError, match='is not a duration - write "30s", "5m", "2h" or "1d"'):
        parse_duration(text)


def test_a_duration_beyond_what_can_be_counted_is_refused() -> None:
    with pytest.raises(ValueError, match="too long"):
        parse_duration("999999999d999999999h")


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (timedelta(), "0s"),
        (timedelta(seconds=30), "30s"),
        (timedelta(seconds=90), "1m30s"),
        (timedelta(minutes=120), "2h"),
        (timedelta(days=2), "2d"),
    ],
)
def test_a_duration_is_written_in_its_largest_units(duration: timedelta, text: str) -> None:
    assert format_duration(duration) == text


@pytest.mark.parametrize("duration", [timedelta(seconds=-1), timedelta(milliseconds=1)])
def test_what_is_not_whole_seconds_is_not_written(duration: timedelta) -> None:
    with pytest.raises(ValueError, match="whole seconds"):
        format_duration(duration)


@given(st.integers(min_value=0, max_value=10**9))
def test_what_is_written_is_read_back(seconds: int) -> None:
    duration = timedelta(seconds=seconds)

    assert parse_duration(format_duration(duration)) == duration
