"""Doing something, but not longer than until the stop."""

import asyncio

import pytest

from core.tasks import run_until
from tests.waiting import LONG


async def test_work_that_ends_before_the_stop_is_done() -> None:
    done = []

    async def work() -> None:
        done.append(1)

    await run_until(asyncio.Event(), work())

    assert done == [1]


async def test_a_stop_ends_the_work_and_waits_for_its_last_words() -> None:
    stop, words = asyncio.Event(), []

    async def work() -> None:
        try:
            stop.set()
            await asyncio.Event().wait()
        finally:
            words.append("bye")

    await asyncio.wait_for(run_until(stop, work()), LONG)

    assert words == ["bye"]


async def test_what_goes_wrong_is_reported() -> None:
    async def work() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await run_until(asyncio.Event(), work())
