"""Loops: steps again and again until the stop, through the database's bad hours."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

from structlog.testing import capture_logs

from daemon.loops import Loops
from store import StoreUnavailable
from tests.waiting import LONG

AT_ONCE = timedelta(milliseconds=1)


def step_of(outcomes: list[bool], stop: asyncio.Event) -> Callable[[], Awaitable[None]]:
    """Make a step that goes as the outcomes say, one after the other; after the last it stops."""

    async def step() -> None:
        if not outcomes:
            stop.set()
        elif not outcomes.pop(0):
            raise StoreUnavailable("the disk is full")

    return step


async def run(*outcomes: list[bool]) -> list[str]:
    """Take one step for each outcome; return what was logged."""
    stop = asyncio.Event()
    loops = Loops(stop)
    with capture_logs() as logs:
        async with asyncio.timeout(LONG), asyncio.TaskGroup() as tasks:
            for outcome in outcomes:
                tasks.create_task(loops.every(AT_ONCE, step_of(outcome, stop)))
    return [entry["event"] for entry in logs]


async def test_a_step_is_taken_until_the_stop() -> None:
    assert await run([True, True, True]) == []


async def test_an_outage_is_reported_at_its_begin_and_at_its_end() -> None:
    logged = await run([True, False, False, False, True, True])

    assert logged == ["database unavailable", "database available again"]


async def test_an_outage_that_all_steps_meet_is_reported_once() -> None:
    stop = asyncio.Event()
    loops, away, taken = Loops(stop), True, 0

    def step() -> Callable[[], Awaitable[None]]:
        async def one() -> None:
            nonlocal taken
            taken += 1
            if away:
                raise StoreUnavailable("gone")

        return one

    with capture_logs() as logs:
        async with asyncio.timeout(LONG), asyncio.TaskGroup() as tasks:
            for _ in range(5):
                tasks.create_task(loops.every(AT_ONCE, step()))
            while taken < 20:
                await asyncio.sleep(0.001)
            away = False
            while taken < 60:
                await asyncio.sleep(0.001)
            stop.set()

    assert [entry["event"] for entry in logs] == [
        "database unavailable",
        "database available again",
    ]


async def test_a_loop_that_is_ended_ends_its_step_and_leaves_nothing_behind() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def long() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    task = asyncio.create_task(Loops(asyncio.Event()).every(AT_ONCE, long))
    await asyncio.wait_for(begun.wait(), LONG)
    task.cancel()
    await asyncio.wait({task}, timeout=LONG)

    assert task.cancelled()
    assert ended.is_set()


async def test_an_unforeseen_error_is_reported_once_and_ends_neither_its_part_nor_another() -> None:
    stop = asyncio.Event()
    loops, is_broken, taken, others = Loops(stop), True, 0, 0

    async def breaking() -> None:
        nonlocal taken
        taken += 1
        if is_broken:
            raise ValueError("words of a letter")

    async def sound() -> None:
        nonlocal others
        others += 1

    with capture_logs() as logs:
        async with asyncio.timeout(LONG), asyncio.TaskGroup() as tasks:
            for step in (breaking, sound):
                tasks.create_task(loops.every(AT_ONCE, step))
            while taken < 20:
                await asyncio.sleep(0.001)
            is_broken, before = False, others
            while taken < 40 or others < before + 20:
                await asyncio.sleep(0.001)
            stop.set()

    assert [entry["event"] for entry in logs] == ["part failed", "part works again"]
    assert logs[0]["part"].endswith("breaking")
    assert "ValueError in test_loops.py:" in logs[0]["error"]
    assert "letter" not in str(logs)


async def test_another_error_of_the_same_part_is_reported_as_well() -> None:
    stop = asyncio.Event()
    errors: list[Exception] = [ValueError(), ValueError(), KeyError()]

    async def breaking() -> None:
        if errors:
            raise errors.pop(0)
        stop.set()

    with capture_logs() as logs:
        async with asyncio.timeout(LONG):
            await Loops(stop).every(AT_ONCE, breaking)

    failed = [entry["error"] for entry in logs if entry["event"] == "part failed"]
    assert [error.split()[0] for error in failed] == ["ValueError", "KeyError"]


async def test_a_step_that_fails_while_it_is_being_ended_leaves_one_line() -> None:
    stop, begun = asyncio.Event(), asyncio.Event()

    async def step() -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            raise ZeroDivisionError

    with capture_logs() as logs:
        running = asyncio.create_task(Loops(stop).every(AT_ONCE, step))
        await begun.wait()
        running.cancel()
        await asyncio.wait({running}, timeout=LONG)

    assert running.cancelled()
    assert [entry["event"] for entry in logs] == ["part failed while being ended"]
