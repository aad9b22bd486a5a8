"""Names of holds, and how patient their probes are."""

from datetime import UTC, datetime, timedelta

import pytest

from core.holds import (
    PAUSE_ALL,
    Hold,
    HoldKind,
    address_target,
    backlog_target,
    filter_holds,
    hours_target,
    kind_of,
    limit_target,
    model_target,
    next_probe_after,
    paperless_target,
    pause_target,
    rate_target,
    targets_of,
)
from core.jobs import ANALYZE, APPLY, DRY_RUN, UNDO, Priority
from tests.builders import because

ENDPOINT = "http://ollama/v1#12345678"
MODEL = model_target(ENDPOINT)
EVERYTHING = {ANALYZE, DRY_RUN, APPLY, UNDO}
NEW = Priority.NEW
SINCE = datetime(2026, 11, 16, tzinfo=UTC)


def a_hold(target: str) -> Hold:
    return Hold(target, because("why"), SINCE, next_probe_at=None, probes=0)


def test_each_kind_of_hold_has_its_own_names() -> None:
    names = {
        paperless_target("home"),
        address_target("home"),
        model_target("home"),
        limit_target("home"),
        hours_target("home"),
        backlog_target("home"),
        rate_target("home"),
        pause_target("home"),
        PAUSE_ALL,
    }

    assert names == {*(f"{kind}:home" for kind in HoldKind), "pause:*"}


@pytest.mark.parametrize(("probes", "minutes"), [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (99, 5)])
def test_probes_become_slower_up_to_every_five_minutes(probes: int, minutes: int) -> None:
    assert next_probe_after(probes) == timedelta(minutes=minutes)


def test_probes_are_counted_from_one() -> None:
    with pytest.raises(ValueError, match="counted from 1, got 0"):
        next_probe_after(0)


@pytest.mark.parametrize(
    ("target", "kind", "subject"),
    [
        (paperless_target("home"), HoldKind.PAPERLESS, "home"),
        (MODEL, HoldKind.MODEL, "http://ollama/v1"),
        (limit_target("home"), HoldKind.LIMIT, "home"),
        (hours_target("home"), HoldKind.HOURS, "home"),
        (backlog_target("home"), HoldKind.BACKLOG, "home"),
        (rate_target(ENDPOINT), HoldKind.RATE, "http://ollama/v1"),
        (pause_target("home"), HoldKind.PAUSE, "home"),
        (pause_target("odd:name#1"), HoldKind.PAUSE, "odd:name#1"),
        (PAUSE_ALL, HoldKind.PAUSE, "*"),
        (address_target("home"), HoldKind.ADDRESS, "home"),
    ],
)
def test_a_hold_tells_its_kind_and_what_it_is_about(
    target: str, kind: HoldKind, subject: str
) -> None:
    hold = a_hold(target)

    assert (hold.kind, hold.subject) == (kind, subject)
    assert hold.is_outage is (kind in {HoldKind.PAPERLESS, HoldKind.MODEL})
    ended_by_person = {HoldKind.PAUSE, HoldKind.ADDRESS}
    assert hold.is_timed is not (hold.is_outage or kind in ended_by_person)


@pytest.mark.parametrize("text", ["home", "admin: tired", ""])
def test_what_is_no_target_is_not_taken_for_one(text: str) -> None:
    with pytest.raises(ValueError, match="HoldKind"):
        kind_of(text)


@pytest.mark.parametrize(
    ("target", "held_jobs", "holds_scans"),
    [
        (PAUSE_ALL, EVERYTHING, True),
        (pause_target("home"), EVERYTHING, True),
        (paperless_target("home"), EVERYTHING, True),
        (limit_target("home"), {ANALYZE, DRY_RUN}, False),
        (MODEL, {ANALYZE, DRY_RUN}, False),
        (hours_target("home"), {ANALYZE, DRY_RUN}, False),
        (rate_target(ENDPOINT), {ANALYZE, DRY_RUN}, False),
        (pause_target("office"), set(), False),
        (paperless_target("office"), set(), False),
        (limit_target("office"), set(), False),
        (model_target("http://other/v1#0"), set(), False),
    ],
)
def test_an_instance_is_held_for_what_it_needs_and_for_nothing_else(
    target: str, held_jobs: set[str], *, holds_scans: bool
) -> None:
    targets = targets_of("home", ENDPOINT)

    assert {kind for kind in EVERYTHING if target in targets.for_job(kind, NEW)} == held_jobs
    assert (target in targets.all_targets) is bool(held_jobs)
    assert (target in targets.all_jobs) is holds_scans


def test_the_hours_of_the_backlog_hold_no_new_document() -> None:
    target, targets = backlog_target("home"), targets_of("home", ENDPOINT)

    assert target in targets.for_job(ANALYZE, Priority.BACKLOG)
    assert target in targets.all_targets
    assert target not in targets.for_job(APPLY, Priority.BACKLOG)
    assert target not in targets.for_job(ANALYZE, NEW)


def test_without_its_model_an_instance_is_held_for_the_rest() -> None:
    of_endpoint = {MODEL, rate_target(ENDPOINT)}

    assert targets_of("home").all_targets == targets_of("home", ENDPOINT).all_targets - of_endpoint


@pytest.mark.parametrize(
    ("asked_for", "is_daily", "wait"),
    [
        (None, False, timedelta(minutes=2)),
        (timedelta(0), False, timedelta(minutes=2)),
        (timedelta(minutes=59), False, timedelta(minutes=59)),
        (timedelta(days=1), False, timedelta(hours=1)),
        (timedelta(hours=9), True, timedelta(hours=9)),
        (timedelta.max, True, timedelta(days=1)),
    ],
)
def test_a_server_is_left_alone_for_an_hour_at_most_or_a_day_for_a_daily_quota(
    asked_for: timedelta | None, wait: timedelta, *, is_daily: bool
) -> None:
    cause = because("too many", is_daily_quota=is_daily)

    assert cause.wait_before_probe(2, retry_after=asked_for) == wait


def test_of_all_holds_those_on_the_targets_are_found() -> None:
    holds = [a_hold(target) for target in (pause_target("office"), MODEL, PAUSE_ALL)]

    assert filter_holds(holds, targets_of("home", ENDPOINT).all_targets) == (holds[1], holds[2])
