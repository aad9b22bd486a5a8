"""Timers: one per instance, late rather than never, and no date too far."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

from core.calendar import utc_now
from scanner.scheduler import Timers
from tests.waiting import SOON, until

"""Seconds in which a timer must have come."""
FAR = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)


class Fired:
    """Remembers whose time has come."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._something = asyncio.Event()

    def __call__(self, name: str) -> None:
        self.names.append(name)
        self._something.set()

    async def wait(self) -> None:
        await asyncio.wait_for(self._something.wait(), SOON)


@contextmanager
def running(due: Fired) -> Iterator[Timers]:
    timers = Timers(due)
    timers.start()
    try:
        yield timers
    finally:
        timers.stop()


@pytest.mark.parametrize("wait", [timedelta(milliseconds=50), timedelta(0), -timedelta(days=400)])
async def test_a_timer_comes_at_its_time_or_late_but_it_comes(wait: timedelta) -> None:
    fired = Fired()

    with running(fired) as timers:
        timers.set("home", utc_now() + wait)
        await fired.wait()

    assert fired.names == ["home"]


async def test_an_instance_has_one_timer_and_the_last_time_counts() -> None:
    fired = Fired()

    with running(fired) as timers:
        timers.set("home", utc_now() + timedelta(hours=1))
        timers.set("home", utc_now() + timedelta(milliseconds=50))
        await fired.wait()
        timers.set("office", utc_now() + timedelta(milliseconds=50))
        timers.set("office", utc_now() + timedelta(hours=1))
        await asyncio.wait({asyncio.ensure_future(asyncio.sleep(0.2))})

    assert fired.names == ["home"]


async def test_a_date_of_another_age_stands_in_nobodys_way() -> None:
    fired = Fired()

    with running(fired) as timers:
        timers.set("home", FAR)
        timers.recheck()
        timers.set("office", utc_now() + timedelta(milliseconds=50))
        await fired.wait()

    assert fired.names == ["office"]


async def test_a_timer_may_be_set_anew_by_whoever_it_woke() -> None:
    fired = Fired()
    timers: Timers

    def again(name: str) -> None:
        if not fired.names:
            timers.set(name, utc_now())
        fired(name)

    timers = Timers(again)
    timers.start()
    timers.set("home", utc_now())
    await until(lambda: len(fired.names) == 2)
    timers.stop()

    assert fired.names == ["home", "home"]


async def test_looking_again_is_harmless_before_the_start_and_when_all_is_over() -> None:
    fired = Fired()

    Timers(fired).recheck()
    with running(fired) as timers:
        timers.recheck()
    timers.recheck()

    assert fired.names == []
