"""Doing something, but not longer than until the stop."""

import asyncio

import pytest

from core.tasks import run_beside, run_until
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


async def test_work_beside_a_block_returns_its_result() -> None:
    began = asyncio.Event()

    async def work() -> int:
        began.set()
        return 7

    async with run_beside(work()) as beside:
        await asyncio.wait_for(began.wait(), LONG)
        result = await beside

    assert result == 7


async def test_work_beside_a_block_that_fails_is_cancelled() -> None:
    began, words = asyncio.Event(), []

    async def work() -> None:
        try:
            began.set()
            await asyncio.Event().wait()
        finally:
            words.append("bye")

    async def block() -> None:
        async with run_beside(work()):
            await asyncio.wait_for(began.wait(), LONG)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await block()

    assert words == ["bye"]


async def test_if_both_fail_the_error_of_the_block_is_raised() -> None:
    async def work() -> None:
        raise LookupError

    async def block() -> None:
        async with run_beside(work()) as beside:
            await asyncio.wait({beside})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await block()
