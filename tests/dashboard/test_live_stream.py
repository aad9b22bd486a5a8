"""The stream of events, on a real port: in order, resumable, and over when the daemon stops."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
import pytest

from core.access import Permission
from core.documents import DocumentRef
from core.holds import pause_target
from core.jobs import NewJob
from core.scans import ScanPage
from dashboard import WebServer, build_app
from dashboard.auth import Person
from dashboard.live import MAX_BEHIND
from store import Store
from tests.builders import because
from tests.dashboard.conftest import DashboardRig
from tests.store.builders import NOON
from tests.waiting import LONG

STREAM = "/api/v1/events/stream"


@dataclass
class Stream:
    """Reads one stream, piece by piece."""

    lines: AsyncIterator[str]

    async def piece(self) -> dict[str, str]:
        """Return the next piece that says something."""
        async with asyncio.timeout(LONG):
            found: dict[str, str] = {}
            async for line in self.lines:
                name, _, value = line.partition(": ")
                if not line and "data" in found:
                    return found
                if name:
                    found[name] = value
            raise EOFError

    async def next_data(self) -> dict[str, object]:
        """Return the data of the next event."""
        said: dict[str, object] = json.loads((await self.piece())["data"])
        return said

    async def expect_end(self) -> None:
        """Wait for the end."""
        async with asyncio.timeout(LONG):
            async for _ in self.lines:
                pass


@dataclass
class Served:
    """A dashboard on a real port."""

    http: httpx.AsyncClient
    stop: asyncio.Event
    serving: "asyncio.Task[None]"

    @asynccontextmanager
    async def listening(
        self, path: str = STREAM, *, after: str | None = None
    ) -> AsyncIterator[Stream]:
        headers = {} if after is None else {"last-event-id": after}
        async with self.http.stream("GET", path, headers=headers) as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            lines = answer.aiter_lines()
            # From here on the reader has begun, and misses nothing.
            assert await anext(lines) == ": listening"
            yield Stream(lines)


@pytest.fixture
async def served(rig: DashboardRig) -> AsyncIterator[Served]:
    server = WebServer(build_app(rig.context, rig.authenticator), host="127.0.0.1", port=0)
    serving = asyncio.create_task(server.serve(rig.context.stopping))
    limits = httpx.Limits(max_connections=100)
    address = f"http://127.0.0.1:{server.port}"
    async with httpx.AsyncClient(base_url=address, limits=limits, timeout=LONG) as http:
        yield Served(http, rig.context.stopping, serving)
    rig.context.stopping.set()
    await serving


async def enqueue(store: Store, number: int, instance: str = "home") -> None:
    await store.jobs.enqueue(NewJob(DocumentRef(instance, number)), now=NOON)


async def enqueue_many(store: Store, count: int) -> None:
    scan = await store.scans.start("home", asked_by="hand", now=NOON)
    jobs = tuple((NewJob(DocumentRef("home", number)), "") for number in range(1, count + 1))
    await store.scans.record_page(scan.id, ScanPage(jobs, seen=count), now=NOON)


async def pause(store: Store, instance: str) -> None:
    target = pause_target(instance)
    await store.holds.place(target, because("paused"), next_probe_at=None, now=NOON)


async def test_what_happens_is_sent_in_order(served: Served, dashboard_store: Store) -> None:
    async with served.listening() as stream:
        for number in range(1, 6):
            await enqueue(dashboard_store, number)
        job = await dashboard_store.jobs.claim(worker="worker", now=NOON)
        assert job is not None
        events = [await stream.next_data() for _ in range(6)]

    assert [event["document"] for event in events[:5]] == [f"home/{n}" for n in range(1, 6)]
    assert [event["name"] for event in events] == ["enqueued"] * 5 + ["claimed"]
    assert [event["id"] for event in events] == [1, 2, 3, 4, 5, 6]


async def test_who_was_cut_off_goes_on_where_he_was(served: Served, dashboard_store: Store) -> None:
    async with served.listening() as stream:
        await enqueue(dashboard_store, 1)
        last = (await stream.piece())["id"]
    for number in (2, 3):
        await enqueue(dashboard_store, number)

    async with served.listening(after=last) as stream:
        missed = [await stream.next_data(), await stream.next_data()]
        await enqueue(dashboard_store, 4)
        then = await stream.next_data()

    assert [event["document"] for event in [*missed, then]] == ["home/2", "home/3", "home/4"]


@pytest.mark.parametrize("after", ["99999", "0"])
async def test_a_follower_who_missed_too_much_is_asked_to_reload_everything(
    served: Served, dashboard_store: Store, after: str
) -> None:
    """Too much is also what never was: another database was put in the place of this one."""
    if after == "0":
        await enqueue_many(dashboard_store, MAX_BEHIND + 1)

    async with served.listening(after=after) as stream:
        piece = await stream.piece()

    assert piece["event"] == "reset"
    assert piece["id"] == str(await dashboard_store.jobs.get_last_event_id())


async def test_a_person_hears_only_of_instances_that_they_may_see(
    served: Served, rig: DashboardRig, dashboard_store: Store
) -> None:
    rig.authenticator.person = Person("reader", Permission.READ, frozenset({"attic"}))

    async with served.listening() as stream:
        await enqueue(dashboard_store, 1, "home")
        await enqueue(dashboard_store, 2, "attic")
        event = await stream.next_data()

    assert event["document"] == "attic/2"


async def test_topics_are_told_apart(served: Served, dashboard_store: Store) -> None:
    async with served.listening(f"{STREAM}?topics=scans,holds") as stream:
        await enqueue(dashboard_store, 1)
        await dashboard_store.scans.request("home", asked_by="hand", now=NOON)
        scan = await stream.piece()
        await pause(dashboard_store, "home")
        hold = await stream.piece()

    assert (scan["event"], json.loads(scan["data"])["instance"]) == ("scans", "home")
    assert (hold["event"], json.loads(hold["data"])) == ("holds", {"count": 1})
    assert "id" not in scan


async def test_of_holds_a_person_learns_only_those_of_visible_instances(
    served: Served, rig: DashboardRig, dashboard_store: Store
) -> None:
    rig.authenticator.person = Person("reader", Permission.READ, frozenset({"attic"}))

    async with served.listening(f"{STREAM}?topics=holds,scans") as stream:
        await pause(dashboard_store, "home")
        await pause(dashboard_store, "cellar")
        await dashboard_store.scans.request("attic", asked_by="hand", now=NOON)
        first = await stream.piece()
        await pause(dashboard_store, "attic")
        second = await stream.piece()

    assert (first["event"], second["event"]) == ("scans", "holds")
    assert json.loads(second["data"]) == {"count": 1}


async def test_pages_have_the_same_stream(served: Served, dashboard_store: Store) -> None:
    async with served.listening("/events") as stream:
        await enqueue(dashboard_store, 1)

        assert (await stream.next_data())["document"] == "home/1"


async def test_a_follower_who_asks_for_it_learns_at_once_that_the_stream_lives(
    served: Served,
) -> None:
    async with served.listening(f"{STREAM}?topics=jobs,beat") as stream:
        assert (await stream.piece())["event"] == "beat"


async def test_a_stream_may_be_for_several_pages(served: Served) -> None:
    async with served.listening("/events?topics=beat&pages=8") as stream:
        assert await stream.next_data() == {"apart_ms": 4000}


async def test_twenty_streams_end_when_the_daemon_stops(
    served: Served, dashboard_store: Store
) -> None:
    async with asyncio.TaskGroup() as streams, asyncio.timeout(LONG):
        begun = asyncio.Semaphore(0)

        async def listen() -> None:
            async with served.listening() as stream:
                begun.release()
                await stream.expect_end()

        for _ in range(20):
            streams.create_task(listen())
        for _ in range(20):
            await begun.acquire()

        served.stop.set()
        async with asyncio.timeout(LONG):
            await served.serving


async def test_nobody_listens_without_being_known(served: Served, rig: DashboardRig) -> None:
    rig.authenticator.person = None

    answer = await served.http.get(STREAM)

    assert answer.status_code == 401
