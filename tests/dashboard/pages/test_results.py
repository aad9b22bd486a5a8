"""The page of a result: what the model suggested, and what became of it."""

from dataclasses import replace

import httpx

from core.analysis import Chunk
from daemon.services import Services
from tests.dashboard.api.test_resources import AT_ONCE
from tests.dashboard.api_client import STRANGER, build_rig
from tests.dashboard.conftest import open_browser
from tests.installation import Installation, enqueue_document, process
from tests.store.builders import FakeClock, an_analysis


async def test_a_final_result_is_shown_with_the_changes_that_it_led_to(
    installation: Installation,
) -> None:
    installation.configure(all_fields="replace")
    async with installation.open() as services, open_browser(build_rig(services)) as browser:
        await process(services, 1)
        job = (await browser.get("/jobs/1")).text

        page = (await browser.get("/results/1")).text

    assert 'href="/results/1"' in job
    assert 'href="/jobs/1"' in page
    assert "Suggestions of the model" in page
    assert 'class="badge applied"' in page


async def test_a_partial_result_links_to_the_final_one(
    browser: httpx.AsyncClient, services: Services, clock: FakeClock
) -> None:
    await enqueue_document(services, 1)
    job = await services.store.jobs.claim(worker="worker", now=clock())
    assert job is not None
    chunk = replace(an_analysis(), part=Chunk(2, 3))
    partial = await services.store.results.save_chunk(job, chunk, now=clock())
    final = await services.store.results.save(job, an_analysis(), now=clock())

    page = (await browser.get(f"/results/{partial.id}")).text

    assert "chunk 2 of 3" in page
    assert f'href="/results/{final.id}"' in page


async def test_a_deleted_result_says_so_and_only_to_those_who_may_see_it(
    services: Services, clock: FakeClock
) -> None:
    await process(services, 1)
    clock.advance(days=1)
    await services.store.retention.prune(AT_ONCE, now=clock())
    rig = build_rig(services)

    async with open_browser(rig) as browser:
        gone = await browser.get("/results/1")
        never = await browser.get("/results/4711")
        rig.authenticator.person = STRANGER
        hidden = await browser.get("/results/1")

    assert gone.status_code == 410
    assert "This result has been deleted because of its age." in gone.text
    assert (never.status_code, hidden.status_code) == (404, 404)
