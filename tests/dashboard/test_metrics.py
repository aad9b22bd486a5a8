"""What Prometheus reads."""

from collections.abc import AsyncIterator
from decimal import Decimal

import pytest
from prometheus_client.parser import text_string_to_metric_families

from core.holds import model_target
from daemon.wiring import Clerk
from tests.dashboard.api_room import READER, STRANGER, Client, api_of, room_of
from tests.office import Office, drain, scan

Figures = dict[tuple[str, frozenset[tuple[str, str]]], float]


@pytest.fixture
async def clerk(office: Office) -> AsyncIterator[Clerk]:
    office.configure('[limits]\nprice_in = 1000\nprice_out = 1000\ncurrency = "EUR"\n')
    async with office.open() as clerk:
        yield clerk


@pytest.fixture
async def api(clerk: Clerk) -> AsyncIterator[Client]:
    async with api_of(clerk) as client:
        yield client


async def read(api: Client) -> Figures:
    text = await api.text("/metrics")
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def of(name: str, **labels: str) -> tuple[str, frozenset[tuple[str, str]]]:
    return f"paperclerk_{name}", frozenset(labels.items())


async def test_the_figures_tell_what_happened(api: Client, clerk: Clerk) -> None:
    api.become(READER)
    await read(api)
    await scan(clerk)
    waiting = await read(api)
    await drain(clerk)

    done = await read(api)

    assert waiting[of("queue", instance="home", state="pending")] == 3
    assert done[of("queue", instance="home", state="pending")] == 0
    assert done[of("documents_total", instance="home", result="completed")] == 3
    assert done[of("review", instance="home")] == 3
    assert done[of("request_seconds_count", target="model", outcome="ok")] == 3
    assert done[of("tokens_total", instance="home", model="sandbox-model", kind="in")] > 0
    spent = (await clerk.store.calls.spent("home", since=clerk.memory.clock())).cost
    cost = done[of("cost_total", instance="home", currency="EUR")]
    assert (Decimal(str(cost)), spent > 0) == (spent, True)
    at = clerk.memory.clock().timestamp()
    assert done[of("last_scan_timestamp", instance="home")] == at
    assert done[of("build_info", version="1.2.3")] == 1


async def test_an_outage_is_told(api: Client, clerk: Clerk) -> None:
    key = clerk.instances["home"].ladder.server.endpoint.key
    now = clerk.memory.clock()
    await clerk.store.holds.place(model_target(key), "down", next_probe_at=None, now=now)

    told = await read(api)

    assert told[of("up", instance="home", target="model")] == 0
    assert told[of("up", instance="home", target="paperless")] == 1


async def test_nothing_is_told_of_instances_that_are_not_for_these_eyes(
    api: Client, clerk: Clerk
) -> None:
    await scan(clerk)
    api.become(STRANGER)

    assert not [labels for _, labels in await read(api) if ("instance", "home") in labels]


async def test_the_figures_are_not_for_everybody(clerk: Clerk) -> None:
    room = room_of(clerk)
    room.porter.person = None
    async with room.client() as http:
        answer = await http.get("/metrics")

    assert answer.status_code == 401
