"""The state of an instance's next scan."""

from datetime import UTC, datetime, timedelta

import pytest

from core.holds import HoldKind
from core.scans import NextScan, next_scan_of

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
SOON, PAST = NOW + timedelta(minutes=5), NOW - timedelta(minutes=5)


@pytest.mark.parametrize(
    ("planned_at", "stopped_by", "running", "said"),
    [
        (None, (), False, NextScan.ON_REQUEST),
        (None, (HoldKind.PAUSE,), False, NextScan.ON_REQUEST),
        (SOON, (), False, NextScan.PLANNED),
        (SOON, (), True, NextScan.PLANNED),
        (SOON, (HoldKind.PAUSE,), False, NextScan.PAUSED),
        (SOON, (HoldKind.PAPERLESS,), False, NextScan.UNREACHABLE),
        (PAST, (HoldKind.PAPERLESS, HoldKind.PAUSE), False, NextScan.PAUSED),
        (PAST, (), True, NextScan.RUNNING),
        (PAST, (), False, NextScan.DUE),
        (NOW, (), False, NextScan.DUE),
    ],
)
def test_a_scan_is_announced_only_if_it_will_come(
    planned_at: datetime | None, stopped_by: tuple[HoldKind, ...], *, running: bool, said: NextScan
) -> None:
    assert next_scan_of(planned_at, stopped_by=stopped_by, running=running, now=NOW) is said
