"""The figures that tell whether all is well, and what is warned of."""

from dataclasses import replace
from datetime import timedelta

import pytest

from actions.health import (
    HealthSnapshot,
    HealthSnapshotCache,
    HealthWarning,
    list_warnings,
    take_health_snapshot,
)
from core.documents import DocumentRef
from core.holds import pause_target
from core.settings import InstanceSettings
from store import Store
from tests.builders import because
from tests.dashboard.conftest import DashboardRig
from tests.store.builders import NOON, PROBLEM, FakeClock, enqueue_and_claim, enqueue_job

MINUTE = timedelta(minutes=1)
WELL = HealthSnapshot(NOON, 0, 0, 0, None, (), timedelta())


@pytest.mark.parametrize(
    ("figures", "warned"),
    [
        (WELL, ()),
        (replace(WELL, waiting=99), ()),
        (replace(WELL, waiting=100), (HealthWarning.MANY_WAITING,)),
        (replace(WELL, failed_last_hour=9, failed_last_day=500), ()),
        (replace(WELL, failed_last_hour=10), (HealthWarning.MANY_FAILED,)),
        (replace(WELL, late_scans=("home",)), (HealthWarning.SCAN_LATE,)),
        (replace(WELL, silent=5 * MINUTE - timedelta.resolution), ()),
        (replace(WELL, silent=5 * MINUTE), (HealthWarning.PROCESSOR_SILENT,)),
        (
            replace(WELL, waiting=100, failed_last_hour=10),
            (HealthWarning.MANY_WAITING, HealthWarning.MANY_FAILED),
        ),
    ],
)
def test_what_is_warned_of(figures: HealthSnapshot, warned: tuple[HealthWarning, ...]) -> None:
    assert list_warnings(figures) == warned


@pytest.fixture
def clock(rig: DashboardRig) -> FakeClock:
    assert isinstance(rig.context.clock, FakeClock)
    return rig.context.clock


@pytest.fixture
def at_home(rig: DashboardRig) -> DashboardRig:
    """A room that looks after `home`."""
    home = InstanceSettings.model_validate(
        {
            "name": "home",
            "paperless": {"url": "http://paperless", "token": "pretend"},
            "ai": {"base_url": "http://ai/v1", "model": "gemma"},
        }
    )
    settings = replace(rig.context.settings, instances={"home": home})
    return replace(rig, context=replace(rig.context, settings=settings))


async def test_the_figures_count_what_there_is(
    rig: DashboardRig, dashboard_store: Store, clock: FakeClock
) -> None:
    for number in (1, 2):
        failed = await enqueue_and_claim(dashboard_store, clock, DocumentRef("home", number))
        await dashboard_store.jobs.fail(failed, PROBLEM, now=clock())
        clock.advance(hours=2)
    done = await enqueue_and_claim(dashboard_store, clock, DocumentRef("home", 3))
    await dashboard_store.jobs.succeed(done, now=clock.advance(seconds=4))
    await enqueue_job(dashboard_store, clock, DocumentRef("home", 4))

    taken = await take_health_snapshot(rig.context, clock())

    assert (taken.waiting, taken.failed_last_hour, taken.failed_last_day) == (1, 0, 2)
    assert taken.mean_time == timedelta(seconds=4)


@pytest.mark.parametrize(
    ("past", "late"), [(-MINUTE, ()), (5 * MINUTE, ()), (6 * MINUTE, ("home",))]
)
async def test_a_scan_is_late_five_minutes_past_its_time(
    at_home: DashboardRig, dashboard_store: Store, past: timedelta, late: tuple[str, ...]
) -> None:
    await planned(dashboard_store, past)

    assert (await take_health_snapshot(at_home.context, NOON)).late_scans == late


async def test_a_scan_that_is_on_hold_or_under_way_is_not_late(
    at_home: DashboardRig, dashboard_store: Store
) -> None:
    await planned(dashboard_store, 6 * MINUTE)
    await dashboard_store.holds.place(
        pause_target("home"), because(""), next_probe_at=None, now=NOON
    )
    resting = await take_health_snapshot(at_home.context, NOON)
    await dashboard_store.holds.lift(pause_target("home"), now=NOON)
    await dashboard_store.scans.start("home", asked_by="timer", now=NOON)
    under_way = await take_health_snapshot(at_home.context, NOON)

    assert (resting.late_scans, under_way.late_scans) == ((), ())


async def test_an_instance_that_is_not_looked_after_any_more_is_not_late(
    rig: DashboardRig, dashboard_store: Store
) -> None:
    await planned(dashboard_store, 6 * MINUTE)

    assert (await take_health_snapshot(rig.context, NOON)).late_scans == ()


async def test_figures_are_taken_anew_after_a_moment_and_not_before(
    rig: DashboardRig, dashboard_store: Store, clock: FakeClock
) -> None:
    vitals = HealthSnapshotCache(lambda: rig.context)
    first = await vitals.get()
    await enqueue_job(dashboard_store, clock, DocumentRef("home", 1))

    assert await vitals.get() is first
    clock.advance(seconds=5)
    assert (await vitals.get()).waiting == 1


async def planned(store: Store, past: timedelta) -> None:
    await store.instances.register("home", endpoint="http://ai/v1", now=NOON)
    await store.instances.plan_scan("home", cron="* * * * *", next_scan_at=NOON - past)
