"""What Prometheus reads."""

from collections.abc import AsyncIterator
from decimal import Decimal

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from core.access import NewToken, Permission
from core.holds import model_target
from daemon.services import Services
from dashboard import build_app
from dashboard.auth.account import create_token
from dashboard.auth.sessions import Authenticator
from paperless_client import DocumentGone
from sandbox import Sandbox
from tests.builders import because
from tests.dashboard.api_client import READER, STRANGER, Client, api_of, build_rig
from tests.dashboard.auth.conftest import serve
from tests.installation import Installation, drain, scan
from tests.pages import page, rows
from tests.waiting import LONG

Figures = dict[tuple[str, frozenset[tuple[str, str]]], float]


@pytest.fixture
async def services(installation: Installation) -> AsyncIterator[Services]:
    installation.configure('[limits]\nprice_in = 1000\nprice_out = 1000\ncurrency = "EUR"\n')
    async with installation.open() as services:
        yield services


@pytest.fixture
async def api(services: Services) -> AsyncIterator[Client]:
    async with api_of(services) as client:
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


async def test_the_figures_tell_what_happened(api: Client, services: Services) -> None:
    api.become(READER)
    await read(api)
    await scan(services)
    waiting = await read(api)
    await drain(services)

    done = await read(api)

    assert waiting[of("queue", instance="home", state="pending")] == 3
    assert done[of("queue", instance="home", state="pending")] == 0
    assert done[of("documents_total", instance="home", result="completed")] == 3
    assert done[of("review", instance="home")] == 3
    assert done[of("request_seconds_count", target="model", outcome="ok")] == 3
    assert done[of("request_seconds_sum", target="model", outcome="ok")] > 0
    assert done[of("tokens_total", instance="home", model="sandbox-model", kind="in")] > 0
    spent = (await services.store.calls.sum_spending("home", since=services.context.clock())).cost
    cost = done[of("cost_total", instance="home", currency="EUR")]
    assert (Decimal(str(cost)), spent > 0) == (spent, True)
    at = services.context.clock().timestamp()
    assert done[of("last_scan_timestamp", instance="home")] == at
    assert done[of("build_info", version="1.2.3")] == 1


async def test_requests_to_paperless_are_counted_by_how_they_ended(
    api: Client, services: Services, sandbox: Sandbox
) -> None:
    paperless = services.instances["home"].paperless
    asked = len(sandbox.paperless.requests)
    await paperless.fetch_summary(1)
    before = await read(api)
    with pytest.raises(DocumentGone):
        await paperless.fetch_summary(4711)

    after = await read(api)

    good = of("request_seconds_count", target="paperless", outcome="ok")
    gone = of("request_seconds_count", target="paperless", outcome="document_gone")
    took = of("request_seconds_sum", target="paperless", outcome="document_gone")
    assert (after[good], after[gone]) == (before[good], 1)
    assert after[good] + after[gone] == len(sandbox.paperless.requests) - asked
    assert 0 < after[took] < 60


async def test_a_scrape_by_token_has_every_figure_of_the_reference_with_its_labels(
    services: Services,
) -> None:
    context = build_rig(services).context
    token, _ = await create_token(
        context.store, NewToken("prometheus", Permission.READ), now=context.clock()
    )
    await services.store.instances.plan_scan("home", cron="@daily", next_scan_at=context.clock())
    app = build_app(context, Authenticator(context))
    async with serve(app) as url, httpx.AsyncClient(timeout=LONG) as http:
        headers = {"authorization": f"Bearer {token}"}
        await http.get(f"{url}/metrics", headers=headers)
        await scan(services)
        await drain(services)

        answer = await http.get(f"{url}/metrics", headers=headers)

    assert scraped(answer.text) == written()


def scraped(text: str) -> dict[str, set[str]]:
    """Return the labels of every figure."""
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            name = sample.name.removesuffix("_sum").removesuffix("_count")
            found.setdefault(name, set()).update(sample.labels)
    return found


def written() -> dict[str, set[str]]:
    """Return the labels of every figure as the reference has them."""
    table = page("docs/reference/api.md").section("## Health and metrics")
    return {name: set(labels.split(", ")) - {""} for name, labels, _ in rows(table)}


async def test_an_outage_is_reported(api: Client, services: Services) -> None:
    key = services.instances["home"].model.server.endpoint.key
    now = services.context.clock()
    await services.store.holds.place(
        model_target(key), because("down"), next_probe_at=None, now=now
    )

    metrics = await read(api)

    assert metrics[of("up", instance="home", target="model")] == 0
    assert metrics[of("up", instance="home", target="paperless")] == 1


async def test_nothing_is_shown_of_instances_that_this_person_may_not_see(
    api: Client, services: Services
) -> None:
    await scan(services)
    api.become(STRANGER)

    assert not [labels for _, labels in await read(api) if ("instance", "home") in labels]


async def test_the_figures_are_not_for_everybody(services: Services) -> None:
    rig = build_rig(services)
    rig.authenticator.person = None
    async with rig.client() as http:
        answer = await http.get("/metrics")

    assert answer.status_code == 401
