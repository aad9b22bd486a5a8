"""Activity: let an instance or everything rest, and cancel what a scan has brought."""

import re
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest

from actions.decisions import accept_unchanged
from actions.documents import get_titles
from core.access import Permission
from core.documents import DocumentRef
from core.holds import PAUSE_ALL, pause_target
from core.jobs import JobStatus, NewJob
from core.scans import ScanPage
from daemon.services import Services
from tests.builders import because
from tests.dashboard.api_client import limited_to
from tests.dashboard.conftest import ADMIN, DashboardRig
from tests.installation import Installation, drain, home, process
from tests.store.builders import PROBLEM, enqueue_and_claim

AT_HOME = "/activity?instance=home"
SCANS_AT_HOME = "/activity/scans?instance=home"


@pytest.fixture
def services(services_of_two: Services) -> Services:
    return services_of_two


async def resting(services: Services) -> set[str]:
    return {hold.target for hold in await services.store.holds.list_active()}


async def press(browser: httpx.AsyncClient, path: str, label: str) -> str:
    """Press a button of a page, with all that its form holds; return where it leads."""
    page = (await browser.get(path)).text
    forms = re.findall(r'<form method="post" action="([^"]+)"(.*?)</form>', page, re.DOTALL)
    [(action, form)] = [
        found for found in forms if re.search(rf">{label}(</span>)?</button>", found[1])
    ]
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
    answer = await browser.post(action, data=fields)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


async def test_everything_is_paused_and_goes_on(
    services: Services, browser: httpx.AsyncClient
) -> None:
    assert await press(browser, "/activity", "Pause everything") == "/activity"
    paused = await resting(services)
    said = (await browser.get("/activity")).text

    assert await press(browser, "/activity", "Resume everything") == "/activity"

    assert (paused, await resting(services)) == ({PAUSE_ALL}, set())
    assert "Everything is paused." in said


async def test_one_instance_is_paused_and_goes_on(
    services: Services, browser: httpx.AsyncClient
) -> None:
    assert await press(browser, AT_HOME, "Pause") == AT_HOME
    paused = await resting(services)

    # Also from where all are seen: by the button of the hold.
    assert await press(browser, "/activity?status=failed", "Resume") == "/activity?status=failed"

    assert (paused, await resting(services)) == ({pause_target("home")}, set())


async def test_who_may_not_see_all_cannot_pause_everything(
    services: Services,
    installation: Installation,
    services_rig: DashboardRig,
    browser: httpx.AsyncClient,
) -> None:
    await services.store.holds.place(
        PAUSE_ALL, because("paused"), next_probe_at=None, now=installation.clock()
    )
    services_rig.authenticator.person = limited_to(ADMIN, "attic", "home")
    page = (await browser.get("/activity")).text

    for path in ("/pause", "/resume"):
        await browser.post(path)
        assert "you do not have access to all of them" in (await browser.get("/activity")).text

    assert await resting(services) == {PAUSE_ALL}
    assert "All instances</b> on hold" in page
    assert "Pause everything" not in page
    assert "/resume" not in page


async def test_who_may_only_read_is_offered_no_pause(
    services: Services, services_rig: DashboardRig, browser: httpx.AsyncClient
) -> None:
    services_rig.authenticator.person = replace(ADMIN, right=Permission.READ)

    for path in ("/activity", AT_HOME):
        assert "/pause" not in (await browser.get(path)).text


async def test_the_jobs_of_a_scan_are_cancelled_as_long_as_some_are_left(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    now, store = installation.clock(), services.store
    for instance in ("home", "attic"):
        scan = await store.scans.start(instance, asked_by="hand", now=now)
        found = tuple((NewJob(DocumentRef(instance, number)), "") for number in (1, 2))
        await store.scans.record_page(scan.id, ScanPage(found, seen=2), now=now)
    page = (await browser.get(SCANS_AT_HOME)).text

    assert await press(browser, SCANS_AT_HOME, "Cancel scan") == SCANS_AT_HOME
    after = (await browser.get(SCANS_AT_HOME)).text

    assert 'action="/scans/1/cancel"' in page
    assert "/scans/2/cancel" not in page
    assert "2 jobs cancelled." in after
    assert "Cancel scan" not in after
    assert [job.status for job in await store.jobs.list()] == [JobStatus.PENDING] * 2 + [
        JobStatus.CANCELLED
    ] * 2
    assert "Cancel scan" in (await browser.get("/activity/scans?instance=attic")).text


async def test_a_scan_tells_what_became_of_its_jobs_and_leads_to_them(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    now, store = installation.clock(), services.store
    scan = await store.scans.start("home", asked_by="hand", now=now)
    found = tuple((NewJob(DocumentRef("home", number)), "") for number in (1, 2, 3))
    await store.scans.record_page(scan.id, ScanPage(found, seen=3), now=now)
    await store.jobs.enqueue(NewJob(DocumentRef("home", 9)), now=now)
    await store.jobs.cancel(2, by="hand", now=now)

    page = (await browser.get("/activity/scans")).text
    of_it = (await browser.get("/activity?scan=1")).text

    assert '<a href="/activity?scan=1">2 pending, 1 cancelled</a>' in page
    assert "Jobs of scan 1" in of_it
    assert [f'href="/jobs/{number}"' in of_it for number in (1, 2, 3, 4)] == [True] * 3 + [False]
    assert "Cancel scan" in of_it
    assert (await browser.get("/activity?scan=7")).status_code == 404


async def test_scans_that_found_nothing_stand_in_nobodys_way(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    now, store = installation.clock(), services.store
    for found in (1, *[0] * 30):
        scan = await store.scans.start("home", asked_by="hand", now=now)
        jobs = tuple((NewJob(DocumentRef("home", 1)), "") for _ in range(found))
        await store.scans.record_page(scan.id, ScanPage(jobs, seen=1), now=now)
        await store.scans.finish(scan.id, now=now)

    page = (await browser.get("/activity/scans")).text
    every = (await browser.get("/activity/scans?empty=yes")).text
    older = (await browser.get("/activity/scans?empty=yes&before=7")).text

    assert ("scan 1 " in page, "scan 2 " in page) == (True, False)
    assert ("scan 31 " in every, "scan 7 " in every, "scan 6 " in every) == (True, True, False)
    assert 'href="/activity/scans?before=7&amp;empty=yes"' in every
    assert ("scan 6 " in older, "scan 1 " in older) == (True, True)


def rows_on(page: str) -> list[str]:
    """Return each run that is listed, as text."""
    listed = "".join(re.findall(r'<ul class="rows runs">(.*?)</ul>', page, re.DOTALL))
    rows = re.split(r"<li>", listed)[1:]
    return [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows]


async def test_a_run_shows_what_came_of_it_and_a_written_decision_no_row_of_its_own(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    await process(services, 1)
    [*waiting] = await services.store.changes.list_for_review(document=home(1))
    decision = accept_unchanged(waiting[:2])
    await services.store.changes.decide(
        home(1), decision, by="anna", max_attempts=1, now=installation.clock()
    )
    pending = rows_on((await browser.get("/activity")).text)
    await drain(services)

    [row] = rows_on((await browser.get("/activity")).text)

    left = len(waiting) - 2
    assert len(pending) == 2
    assert f"{left} for review" in row
    assert "2 written" in row
    assert "sandbox-model" in row
    assert len(rows_on((await browser.get("/activity?status=completed")).text)) == 2


async def test_a_failed_run_says_why_and_when_it_is_retried(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    store, clock = services.store, installation.clock
    job = await enqueue_and_claim(store, clock, home(7))
    await store.jobs.retry(job, PROBLEM, at=clock() + timedelta(hours=1), now=clock())

    [row] = rows_on((await browser.get("/activity")).text)

    again = (clock() + timedelta(hours=1)).astimezone(services.context.zone)
    assert "pending The model&#39;s answer was no use." in row
    assert f"next retry: {again:%H:%M}" in row


async def test_runs_are_found_by_title_and_day(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    store, clock = services.store, installation.clock
    zone = services.context.zone
    days = []
    for number in (1, 2, 3):
        await process(services, number)
        days.append(clock().astimezone(zone).date())
        clock.advance(days=1)
    titles = await get_titles(store, [home(2)])

    found = {
        "title": f"/activity?q={titles[home(2)]}",
        "day": f"/activity?since={days[1]}&until={days[1]}",
    }
    for how, path in found.items():
        [row] = rows_on((await browser.get(path)).text)
        assert "home/2" in row, how
    assert len(rows_on((await browser.get(f"/activity?since={days[1]}")).text)) == 2
    assert len(rows_on((await browser.get(f"/activity?until={days[1]}")).text)) == 2
    assert "No matching jobs." in (await browser.get("/activity?q=nowhere")).text


async def test_selected_jobs_are_cancelled_and_retried_together(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    store, clock = services.store, installation.clock
    done = await enqueue_and_claim(store, clock, home(9))
    await store.jobs.succeed(done, now=clock())
    for number in (1, 2, 3):
        await store.jobs.enqueue(NewJob(home(number)), now=clock())

    async def press_selected(action: str, *ids: int) -> str:
        form = {"action": action, "job": [str(id_) for id_ in ids], "back": AT_HOME}
        answer = await browser.post("/activity/jobs", data=form)
        assert (answer.status_code, answer.headers["location"]) == (303, AT_HOME)
        return (await browser.get(AT_HOME)).text

    cancelled = await press_selected("cancel", 1, 2, 3, 99)
    retried = await press_selected("retry", 2)

    assert "2 jobs cancelled." in cancelled
    assert "1 job queued again." in retried
    assert [(await store.jobs.get(number)).status for number in (1, 2, 3, 4)] == [
        JobStatus.COMPLETED,
        JobStatus.PENDING,
        JobStatus.CANCELLED,
        JobStatus.PENDING,
    ]


async def test_jobs_of_other_instances_cannot_be_cancelled(
    services: Services,
    services_rig: DashboardRig,
    installation: Installation,
    browser: httpx.AsyncClient,
) -> None:
    await services.store.jobs.enqueue(NewJob(home(1)), now=installation.clock())
    services_rig.authenticator.person = limited_to(ADMIN, "attic")

    await browser.post("/activity/jobs", data={"action": "cancel", "job": "1"})

    assert (await services.store.jobs.get(1)).status is JobStatus.PENDING


async def test_a_decision_that_was_undone_is_named_and_cannot_be_retried(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    await process(services, 1)
    waiting = await services.store.changes.list_for_review(document=home(1))
    job = await services.store.changes.decide(
        home(1), accept_unchanged(waiting), by="anna", max_attempts=1, now=installation.clock()
    )

    await browser.post("/review/undo", data={"job": job.id})

    [row] = rows_on((await browser.get("/activity?status=cancelled")).text)
    page = (await browser.get(f"/jobs/{job.id}")).text
    assert "review decision" in row
    assert "cancelled the decision was undone" in row
    for shown in (row, page):
        assert "Retry" not in shown
