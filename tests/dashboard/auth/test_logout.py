"""Whoever logs out or loses access receives no further events."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from core.access import Permission
from tests.dashboard.auth.conftest import AuthSite, csrf_of, log_in
from tests.waiting import LONG

STREAMS = ("/events", "/api/v1/events/stream")


class Listening:
    """Someone who listens to a stream."""

    def __init__(self, answer: httpx.Response) -> None:
        self._lines = answer.aiter_lines()

    async def expect_beat(self) -> None:
        """Wait until the authenticator was asked again, and allowed it."""
        async with asyncio.timeout(LONG):
            async for line in self._lines:
                if line == ": beat":
                    return
        raise EOFError

    async def expect_end(self) -> None:
        async with asyncio.timeout(LONG):
            async for _ in self._lines:
                pass


@asynccontextmanager
async def listening(client: httpx.AsyncClient, path: str) -> AsyncIterator[Listening]:
    async with client.stream("GET", path) as answer:
        assert answer.status_code == 200
        listener = Listening(answer)
        for _ in range(3):
            await listener.expect_beat()
        yield listener


@pytest.mark.parametrize("path", STREAMS)
async def test_a_stream_ends_when_the_token_is_revoked(site: AuthSite, path: str) -> None:
    program = await site.browser(**await site.token(Permission.READ))

    async with listening(program, path) as stream:
        await site.context.store.access.tokens.revoke("READ of a test", now=site.clock())

        await stream.expect_end()


@pytest.mark.parametrize("path", STREAMS)
async def test_a_stream_ends_when_one_logs_out(site: AuthSite, path: str) -> None:
    browser = await site.logged_in_browser()
    csrf = await csrf_of(browser)

    async with listening(browser, path) as stream:
        await browser.post("/logout", data={"csrf": csrf})

        await stream.expect_end()


async def test_another_stream_goes_on(site: AuthSite) -> None:
    mine, other = await site.logged_in_browser(), await site.browser()
    await log_in(other)
    csrf = await csrf_of(other)

    async with listening(mine, STREAMS[0]) as stream:
        await other.post("/logout", data={"csrf": csrf})

        for _ in range(3):
            await stream.expect_beat()


async def test_to_listen_is_no_visit(site: AuthSite) -> None:
    """Else an open page would keep a session alive for ever, and the cookie would not follow."""
    browser = await site.logged_in_browser()

    async with listening(browser, STREAMS[0]) as stream:
        site.clock.advance(days=29)
        for _ in range(3):
            await stream.expect_beat()
        site.clock.advance(days=1)

        await stream.expect_end()
