"""Activity: let an instance or everything rest, and cancel what a scan has brought."""

import re
from dataclasses import replace

import httpx
import pytest

from core.documents import DocumentRef
from core.holds import PAUSE_ALL, pause_target
from core.jobs import JobStatus, NewJob
from core.scans import ScanPage
from daemon.services import Services
from dashboard.auth import Permission
from tests.builders import because
from tests.dashboard.api_client import limited_to
from tests.dashboard.conftest import ADMIN, DashboardRig
from tests.installation import Installation

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
        found for found in forms if re.search(rf"(</svg>|>){label}</button>", found[1])
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
