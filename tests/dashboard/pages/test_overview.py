"""The overview: state of the instances, what needs attention, and how documents are filed."""

import re
from dataclasses import replace
from datetime import datetime, timedelta

import httpx
import pytest

from core.access import Permission
from core.changes import Change, Decision, Plan
from core.documents import DocumentRef
from core.holds import PAUSE_ALL, limit_target, model_target, paperless_target, pause_target
from core.jobs import CallProgress, NewJob, Stage
from core.scans import ScanPage
from daemon.services import Services
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


def attention_on(page: str) -> list[tuple[str, str]]:
    """Return how urgent each point that needs attention is, and what it says."""
    [listed] = re.findall(r'<h2 id="needs">(.*?)</section>', page, re.DOTALL)
    return re.findall(r'<li(?: class="(.*?)")?>.*?<b>(.*?)</b>', listed, re.DOTALL)


def states_on(page: str) -> dict[str, str]:
    """Return the state of each instance."""
    return dict(re.findall(r'<b>([a-z]+)</b> <span class="state">(.*?)</span>', page))


def tile_on(page: str, name: str) -> str:
    """Return the figure with this name, with what stands under it."""
    [shown] = re.findall(rf"<dt>{name}</dt>\s*<dd>(.*?)</dd>", page, re.DOTALL)
    return " ".join(_text(shown.replace("<small>", " ")).split())


def _text(markup: str) -> str:
    return re.sub(r"<[^>]+>", "", markup).strip()


async def test_the_figures_have_one_time(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    done = await enqueue_and_claim(services.store, installation.clock, DocumentRef("home", 3))
    await services.store.jobs.succeed(done, now=installation.clock.advance(seconds=4))

    page = (await browser.get("/")).text

    time = installation.clock().astimezone(services.context.zone).strftime("%H:%M:%S")
    assert page.count("Updated") == 1
    assert f">{time}</time>" in page
    assert tile_on(page, "Average time per document") == "4.0 s of the latest analyses"


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

    assert "1 in the queue" in page
    assert "Nothing needs your attention." in page


async def test_nothing_is_warned_of_while_all_is_well(
    services: Services,
    installation: Installation,
    services_rig: DashboardRig,
    browser: httpx.AsyncClient,
) -> None:
    await enqueue(services.store, installation.clock, *some("attic", 99))
    services_rig.life.silent = timedelta(minutes=4)

    page = (await browser.get("/")).text

    assert "Nothing needs your attention." in page


async def test_everything_that_needs_attention_is_listed_with_its_action(
    services: Services,
    installation: Installation,
    services_rig: DashboardRig,
    browser: httpx.AsyncClient,
) -> None:
    await suggest(services.store, installation.clock, DocumentRef("attic", 2_000))
    await fail(services.store, installation.clock, *some("home", 10))
    await enqueue(services.store, installation.clock, *some("attic", 1_000))
    await plan_scan(services, installation.clock() - timedelta(minutes=6))
    services_rig.life.silent = timedelta(minutes=5)

    page = (await browser.get("/")).text

    assert attention_on(page) == [
        ("bad", SILENT),
        ("warn", LATE),
        ("warn", "1,000 jobs are waiting in the queue."),
        ("warn", "10 jobs failed within one hour."),
        ("bad", "The model&#39;s answer was no use."),
        ("", "1 document is waiting for review"),
    ]
    assert 'action="/retry"' in page
    assert '<a class="button primary" href="/review">' in page


async def suggest(store: Store, clock: FakeClock, document: DocumentRef) -> Change:
    """Analyse a document, and leave its title for review."""
    job = await enqueue_and_claim(store, clock, document)
    plan = Plan(review=(a_planned_change(),))
    [change] = await store.changes.record_plan(job, plan, made_from="plan", now=clock())
    await store.jobs.succeed(job, now=clock())
    return change


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


async def test_documents_are_counted_by_outcome_once_they_are_decided(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    store, clock = services.store, installation.clock
    change = await suggest(store, clock, DocumentRef("home", 1))
    undecided = (await browser.get("/")).text
    await store.changes.decide(
        change.document, Decision(reject=(change.id,)), by="anna", max_attempts=1, now=clock()
    )
    await store.jobs.succeed(await claim(store, clock), now=clock())

    for path in ("/", "/?chart=weeks"):
        page = (await browser.get(path)).text

        assert '<i class="of-rejected"></i>Rejected <b>1</b>' in page
        assert page.count('<rect class="of-rejected"') == 1
        assert '<td class="num">1</td>' in page
        assert tile_on(page, "Filed in the last 7 days") == "1 0 in the 7 days before"
        assert tile_on(page, "Suggestions accepted unchanged") == "0% in the last 4 weeks"
        assert "compared with the 4 weeks before" not in page
    assert "No documents were filed in this period." in undecided


async def test_a_new_instance_is_told_what_to_do_first(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    new = (await browser.get("/?instance=home")).text
    await fail(services.store, installation.clock, DocumentRef("home", 1))
    later = (await browser.get("/?instance=home")).text

    assert "Try 5 documents (nothing is written)" in new
    assert 'name="dry_run" value="yes"' in new
    assert 'action="/settings/home/paperless"' in new
    assert "What to do first" not in later


async def test_a_running_scan_shows_how_far_it_is_and_when_it_ends(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    store, clock = services.store, installation.clock
    scan = await store.scans.start("home", asked_by="hand", now=clock())
    found = tuple((NewJob(ref), "") for ref in some("home", 4))
    await store.scans.record_page(scan.id, ScanPage(found, seen=9), now=clock())
    listing = " ".join(_text((await browser.get("/")).text).split())
    await store.scans.finish(scan.id, now=clock())
    await store.jobs.succeed(await claim(store, clock), now=clock.advance(minutes=2))

    page = " ".join(_text((await browser.get("/")).text).split())

    end = _clock(clock() + timedelta(minutes=6), services)
    assert "Reading the list: 9 documents seen · 0 of 4 documents done" in listing
    assert f"1 of 4 documents done · 0.5 per minute · finished at about {end}" in page


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


async def test_workflows_that_apply_paperless_own_suggestions_need_attention(
    services_rig: DashboardRig, browser: httpx.AsyncClient
) -> None:
    services_rig.context.suggesting_workflows.update({"home": ("AI",), "attic": ()})

    page = (await browser.get("/")).text

    assert ("warn", "Paperless &#34;home&#34; applies its own AI suggestions") in attention_on(page)
    assert "attic&#34; applies" not in page


@pytest.mark.parametrize(
    ("language", "waiting", "processing"),
    [("en", "Waiting until", "Processing"), ("de", "Wartet bis", "Verarbeitung läuft")],
)
async def test_an_instance_whose_jobs_are_due_later_waits_and_says_until_when(
    services: Services,
    installation: Installation,
    browser: httpx.AsyncClient,
    language: str,
    waiting: str,
    processing: str,
) -> None:
    clock, asked = installation.clock, {"Accept-Language": language}
    due = clock() + timedelta(minutes=2)
    young = NewJob(DocumentRef("home", 1), not_before=due)
    await services.store.jobs.enqueue(young, now=clock())

    before = states_on((await browser.get("/", headers=asked)).text)
    clock.advance(minutes=2)
    after = states_on((await browser.get("/", headers=asked)).text)

    time = due.astimezone(services.context.zone).strftime("%H:%M")
    assert before["home"].startswith(waiting)
    assert time in before["home"]
    assert after["home"] == processing
