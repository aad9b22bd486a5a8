"""The processes that share the work, on the page of the settings."""

import re

import httpx

from core.settings import fingerprint
from daemon.services import Services
from tests.dashboard.api_client import READER, limited_to
from tests.dashboard.conftest import DashboardRig, open_browser
from tests.installation import HOME, Installation, enqueue_document

WORKER = "attic:7"


async def register(services: Services, name: str, role: str, settings: str | None = None) -> None:
    host, _, pid = name.partition(":")
    await services.store.workers.record_heartbeat(
        name,
        pid=int(pid),
        host=host,
        role=role,
        now=services.context.clock(),
        settings=settings,
    )


def words_of(page: str) -> str:
    return " ".join(re.sub("<[^>]*>", " ", page).split())


async def test_each_process_is_shown_with_its_jobs_and_last_sign_of_life(
    services: Services, browser: httpx.AsyncClient
) -> None:
    await register(services, "office:1", "daemon")
    await register(services, WORKER, "worker")
    job = await enqueue_document(services, 1)
    await services.store.jobs.claim(worker=WORKER, now=services.context.clock())

    page = (await browser.get("/settings")).text

    assert f'<a href="/jobs/{job.id}">Job {job.id}</a>' in page
    assert f"{WORKER} Worker · Job {job.id} Last sign of life:" in words_of(page)
    assert "office:1 Daemon · idle Last sign of life:" in words_of(page)
    assert "Not responding" not in page


async def test_a_silent_process_does_not_respond(
    services: Services, browser: httpx.AsyncClient, installation: Installation
) -> None:
    await register(services, WORKER, "worker")
    installation.clock.advance(minutes=3)

    page = (await browser.get("/settings")).text

    assert f"{WORKER} Worker · idle Not responding. Last sign of life:" in words_of(page)


async def test_who_may_see_only_some_instances_sees_no_processes(
    services: Services, services_rig: DashboardRig
) -> None:
    await register(services, WORKER, "worker")
    services_rig.authenticator.person = limited_to(READER, HOME)

    async with open_browser(services_rig) as browser:
        page = (await browser.get("/settings")).text

    assert WORKER not in page


async def test_they_are_shown_in_german(services: Services, browser: httpx.AsyncClient) -> None:
    await register(services, WORKER, "worker")

    page = (await browser.get("/settings", headers={"accept-language": "de"})).text

    assert f"{WORKER} Arbeitsprozess · ohne Auftrag Letztes Lebenszeichen:" in words_of(page)


async def test_a_worker_with_other_settings_is_marked(
    services: Services, browser: httpx.AsyncClient
) -> None:
    await register(services, "office:1", "worker", fingerprint(services.context.settings))
    same = (await browser.get("/settings")).text
    await register(services, WORKER, "worker", "other")
    other = (await browser.get("/settings")).text

    marked = "Its settings differ from those of this daemon."
    assert (same.count(marked), other.count(marked)) == (0, 1)
