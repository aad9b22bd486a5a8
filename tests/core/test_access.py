"""When a login has to wait."""

from datetime import UTC, datetime, timedelta

import pytest

from core.access import LoginLimits

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PATIENCE = LoginLimits(per_address=2, in_total=4, span=timedelta(minutes=15))


def ago(*minutes: int) -> list[datetime]:
    return [NOON - timedelta(minutes=count) for count in minutes]


@pytest.mark.parametrize(
    ("here", "everywhere", "minutes"),
    [
        ([], [], None),
        ([1], [1], None),
        ([9, 1], [9, 1], 6),
        ([20, 9, 1], [20, 9, 1], 6),
        ([20, 1], [20, 1], None),
        ([15, 1], [15, 1], None),
        ([], [9, 3, 2], None),
        ([], [9, 3, 2, 1], 6),
        ([3, 2], [9, 4, 3, 2], 12),
    ],
    ids=[
        "nobody tried",
        "one wrong word",
        "the measure is full from here",
        "older ones do not lengthen it",
        "one of the two is long ago",
        "one of the two is just long enough ago",
        "others tried",
        "others filled the measure of all",
        "both are full: the later counts",
    ],
)
def test_the_door_is_shut_until_the_tries_are_a_span_ago(
    here: list[int], everywhere: list[int], minutes: int | None
) -> None:
    shut = PATIENCE.locked_until(ago(*here), ago(*everywhere), now=NOON)

    assert shut == (None if minutes is None else NOON + timedelta(minutes=minutes))
