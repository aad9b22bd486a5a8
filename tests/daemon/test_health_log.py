"""Health warnings in the log: once when one begins, once when it is over."""

from dataclasses import replace
from datetime import timedelta

from structlog.testing import capture_logs

from actions.health import HealthSnapshot
from daemon.health_log import HealthLog
from tests.store.builders import NOON

WELL = HealthSnapshot(NOON, 0, 0, 0, None, (), timedelta())
BUSY = replace(WELL, waiting=100)


def test_a_warning_is_logged_once_and_once_when_it_is_over() -> None:
    health = HealthLog()

    with capture_logs() as logs:
        for figures in (WELL, BUSY, replace(BUSY, waiting=180), WELL, WELL):
            health.record(figures)

    assert [(line["event"], line["warning"], line["waiting"]) for line in logs] == [
        ("health warning", "many_waiting", 100),
        ("health warning over", "many_waiting", 0),
    ]


def test_each_warning_is_logged_with_its_figure() -> None:
    with capture_logs() as logs:
        HealthLog().record(
            replace(BUSY, failed_last_hour=10, late_scans=("attic", "home"), silent=timedelta.max)
        )

    assert {line["warning"]: line for line in logs} == {
        "many_waiting": {
            "event": "health warning",
            "log_level": "warning",
            "warning": "many_waiting",
            "waiting": 100,
        },
        "many_failed": {
            "event": "health warning",
            "log_level": "warning",
            "warning": "many_failed",
            "failed_last_hour": 10,
        },
        "scan_late": {
            "event": "health warning",
            "log_level": "warning",
            "warning": "scan_late",
            "instances": "attic,home",
        },
    }
