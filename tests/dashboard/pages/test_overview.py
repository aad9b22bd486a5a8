"""The overview: the figures of an operator, warnings, and holds."""

import re
from dataclasses import replace
from datetime import datetime, timedelta

import httpx
import pytest

from core.changes import Plan
from core.documents import DocumentRef
from core.holds import PAUSE_ALL, limit_target, model_target, paperless_target, pause_target
from core.jobs import CallProgress, NewJob, Stage
from daemon.services import Services
from dashboard.auth import Permission
from store import Store
from tests.builders import because
from tests.dashboard.api_client import limited_to
from tests.dashboard.conftest import ADMIN, DashboardRig
from tests.installation import Installation
from tests.store.builders import PROBLEM, FakeClock, a_planned_change, claim, enqueue_and_claim

SILENT = "The processor has not responded for several minutes."
LATE = "Scan overdue: home."
ATTIC = ("attic",)


@pytest.fixture
def services(services_of_two: Services) -> Services:
    return services_of_two


async def fail(store: Store, clock: FakeClock, *documents: DocumentRef) -> None:
    for document in documents:
        job = await enqueue_and_claim(store, clock, document)
        await store.jobs.fail(job, PROBLEM, now=clock())


async def enqueue(store: Store, clock: FakeClock, *documents: DocumentRef) -> None:
    for document in documents:
        await store.jobs.enqueue(NewJob(document), now=clock())


def some(instance: str, count: int) -> list[DocumentRef]:
    return [DocumentRef(instance, number + 1) for number in range(count)]


def figures_on(page: str) -> dict[str, tuple[str, str]]:
    """Return each figure of an operator, with the time that stands beside it."""
    [shown] = re.findall(r'<dl class="figures">(.*?)</dl>', page, re.DOTALL)
    found = re.findall(r"<dt>(.*?)</dt><dd>(.*?)<small>(.*?)</small>", shown, re.DOTALL)
    return {name: (_text(value), _text(time)) for name, value, time in found}


def _text(markup: str) -> str:
    return re.sub(r"<[^>]+>", "", markup).strip()


async def test_the_figures_of_an_operator_are_shown_with_their_time(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    await fail(services.store, installation.clock, *some("home", 2))
    installation.clock.advance(hours=23)
    done = await enqueue_and_claim(services.store, installation.clock, DocumentRef("home", 3))
    await services.store.jobs.succeed(done, now=installation.clock.advance(seconds=4))
    await enqueue(services.store, installation.clock, *some("attic", 3))

    page = await browser.get("/")

    time = installation.clock().astimezone(services.context.zone).strftime("Updated %H:%M:%S")
    assert figures_on(page.text) == {
        "Pending jobs": ("3", time),
        "Failed in the last 24 hours": ("2", time),
        "Average time per document": ("4.0\u00a0s", time),
    }


@pytest.mark.parametrize("by", ["who may see it", "the choice of an instance"])
async def test_the_figures_are_those_of_the_instances_that_are_looked_at(
    services: Services,
    installation: Installation,
    services_rig: DashboardRig,
    browser: httpx.AsyncClient,
    by: str,
) -> None:
    await fail(services.store, installation.clock, *some("home", 10))
    await enqueue(services.store, installation.clock, *some("home", 100), *some("attic", 1))
    await plan_scan(services, installation.clock() - timedelta(minutes=6))
    if by == "who may see it":
        services_rig.authenticator.person = limited_to(ADMIN, *ATTIC)

    page = (
        await browser.get("/" if services_rig.authenticator.person != ADMIN else "/?instance=attic")
    ).text

    shown = figures_on(page)
    assert (shown["Pending jobs"][0], shown["Failed in the last 24 hours"][0]) == ("1", "0")
    assert '<div class="strip' not in page


async def test_nothing_is_warned_of_while_all_is_well(
    services: Services,
    installation: Installation,
    services_rig: DashboardRig,
    browser: httpx.AsyncClient,
) -> None:
    await fail(services.store, installation.clock, *some("home", 9))
    await enqueue(services.store, installation.clock, *some("attic", 99))
    services_rig.life.silent = timedelta(minutes=4)

    page = (await browser.get("/")).text

    assert '<div class="strip' not in page


async def test_each_warning_has_a_strip_of_its_own(
    services: Services,
    installation: Installation,
    services_rig: DashboardRig,
    browser: httpx.AsyncClient,
) -> None:
    await fail(services.store, installation.clock, *some("home", 10))
    await enqueue(services.store, installation.clock, *some("attic", 1_000))
    await plan_scan(services, installation.clock() - timedelta(minutes=6))
    services_rig.life.silent = timedelta(minutes=5)

    page = (await browser.get("/")).text

    strips = re.findall(r'<div class="strip([ a-z]*)">.*?<b>(.*?)</b>', page, re.DOTALL)
    assert strips == [
        (" bad", SILENT),
        ("", LATE),
        ("", "1,000 jobs are waiting in the queue."),
        ("", "10 jobs failed within one hour."),
    ]


async def test_an_outage_tells_how_many_wait_and_can_be_tested(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    await enqueue(services.store, installation.clock, *some("attic", 5), *some("home", 2))
    await place(services, installation, limit_target("attic"))
    await place(services, installation, paperless_target("home"))

    for path in ("/", "/activity"):
        page = (await browser.get(path)).text

        waiting = re.findall(r"(\d+) documents are waiting; nothing is lost.", page)
        assert waiting == ["2", "5"], path
        assert re.findall(r'action="(/settings/.*?)"', page) == ["/settings/home/paperless"], path


async def test_a_model_that_is_away_stops_every_instance_that_asks_it(
    services: Services,
    installation: Installation,
    services_rig: DashboardRig,
    browser: httpx.AsyncClient,
) -> None:
    await enqueue(services.store, installation.clock, *some("attic", 2), *some("home", 5))
    await place(services, installation, services.instances["home"].model_target)
    await place(services, installation, model_target("http://of-nobody"))

    all_of_it = (await browser.get("/")).text
    services_rig.authenticator.person = replace(limited_to(ADMIN, *ATTIC), right=Permission.READ)
    reader = (await browser.get("/")).text

    assert "7 documents are waiting; nothing is lost." in all_of_it
    assert 'action="/settings/attic/model"' in all_of_it
    assert "of-nobody" not in all_of_it
    assert "2 documents are waiting; nothing is lost." in reader
    assert "/settings/attic/model" not in reader


async def test_a_running_job_can_be_cancelled_where_it_is_seen(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    job = await enqueue_and_claim(services.store, installation.clock, DocumentRef("home", 1))

    page = (await browser.get("/?instance=home")).text
    answer = await browser.post(f"/jobs/{job.id}/cancel", data={"back": "/?instance=home"})

    assert f'action="/jobs/{job.id}/cancel"' in page
    assert 'name="back" value="/?instance=home"' in page
    assert (answer.status_code, answer.headers["location"]) == (303, "/?instance=home")
    assert (await services.store.jobs.get(job.id)).cancel_requested


NEXT_SCANS = {
    "planned": (timedelta(minutes=5), (), "Next scan: 12:05"),
    "missed": (-timedelta(minutes=1), (), "Next scan: due"),
    "paused": (timedelta(minutes=5), (pause_target("home"),), "Next scan: paused"),
    "everything paused": (timedelta(minutes=5), (PAUSE_ALL,), "Next scan: paused"),
    "unreachable": (-timedelta(minutes=5), (paperless_target("home"),), "Next scan: unreachable"),
    "at a limit": (timedelta(minutes=5), (limit_target("home"),), "Next scan: 12:05"),
}


@pytest.mark.parametrize("case", NEXT_SCANS)
async def test_the_next_scan_is_never_in_the_past_nor_announced_while_it_cannot_come(
    services: Services, installation: Installation, browser: httpx.AsyncClient, case: str
) -> None:
    ahead, held, said = NEXT_SCANS[case]
    await services.store.instances.register("home", endpoint="http://ai", now=installation.clock())
    await plan_scan(services, installation.clock() + ahead)
    for target in held:
        await place(services, installation, target)

    page = (await browser.get("/?instance=home")).text
    instance = (await browser.get("/api/v1/instances/home")).json()

    expected = said.replace("12:05", _clock(installation.clock() + ahead, services))
    assert expected in " ".join(_text(page).split())
    assert (instance["next_scan_at"] is None) == (instance["next_scan"] != "planned")


async def test_a_scan_that_runs_is_not_announced_as_the_next(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    await services.store.instances.register("home", endpoint="http://ai", now=installation.clock())
    await plan_scan(services, installation.clock() - timedelta(seconds=1))
    await services.store.scans.start("home", asked_by="timer", now=installation.clock())

    page = (await browser.get("/?instance=home")).text

    assert "Next scan: running" in " ".join(_text(page).split())


async def test_a_document_is_counted_as_done_once_and_not_while_it_waits_for_review(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    twice, waiting = DocumentRef("home", 1), DocumentRef("home", 2)
    for _ in range(2):
        job = await enqueue_and_claim(services.store, installation.clock, twice)
        await services.store.jobs.succeed(job, now=installation.clock())
    job = await enqueue_and_claim(services.store, installation.clock, waiting)
    plan = Plan(review=(a_planned_change(),))
    await services.store.changes.record_plan(job, plan, made_from="plan", now=installation.clock())
    await services.store.jobs.succeed(job, now=installation.clock())

    page = (await browser.get("/")).text

    [done] = re.findall(r"<dt>Completed today</dt><dd>(.*?)</dd>", page, re.DOTALL)
    assert _text(done) == "1"
    assert ": 1 completed</title>" in page


def _clock(moment: datetime, services: Services) -> str:
    return moment.astimezone(services.context.zone).strftime("%H:%M")


async def place(services: Services, installation: Installation, target: str) -> None:
    soon = installation.clock() + timedelta(minutes=1)
    await services.store.holds.place(
        target, because("no answer"), next_probe_at=soon, now=installation.clock()
    )


async def plan_scan(services: Services, at: datetime) -> None:
    await services.store.instances.plan_scan("home", cron="@daily", next_scan_at=at)


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        ("en", "Asking model · 12\u00a0s (usually about 40\u00a0s) · thinking · 85 tokens · 33%"),
        (
            "de",
            "Modell fragen · 12\u00a0s (meist etwa 40\u00a0s) · denkt nach · 85 Tokens · 33\u00a0%",
        ),
    ],
)
async def test_a_model_call_under_way_is_shown_with_its_progress(
    services: Services,
    installation: Installation,
    browser: httpx.AsyncClient,
    language: str,
    shown: str,
) -> None:
    store, clock = services.store, installation.clock
    job = await enqueue_and_claim(store, clock, DocumentRef("home", 7))
    await store.jobs.record_progress(job, Stage.ANALYZE, 20, now=clock())
    call = CallProgress(clock(), tokens=85, is_thinking=True, usual_ms=40_000)
    await store.jobs.record_model_call(job, call, 33, now=clock())
    clock.advance(seconds=12)

    for path in ("/", "/activity", f"/jobs/{job.id}"):
        page = await browser.get(path, headers={"accept-language": language})
        assert shown in page.text


async def test_a_second_attempt_is_named(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    store, clock = services.store, installation.clock
    first = await enqueue_and_claim(store, clock, DocumentRef("home", 7))
    await store.jobs.retry(first, PROBLEM, at=clock(), now=clock())
    await claim(store, clock)

    assert "Reading document · attempt 2 · 0%" in (await browser.get("/")).text
