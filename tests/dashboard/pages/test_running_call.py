"""A model call under way: what it reserved is not shown as used."""

from decimal import Decimal

import httpx

from core.analysis import ModelCall
from core.jobs import Job
from core.spending import SpendingLimits
from daemon.services import Services
from tests.installation import enqueue_document

RESERVED = "€0.1234"


async def start_call(services: Services) -> Job:
    """Return a job whose model call has been reserved."""
    now = services.context.clock()
    await enqueue_document(services, 1)
    job = await services.store.jobs.claim(worker="here", now=now)
    assert job is not None
    await services.store.calls.reserve(
        ModelCall("http://ai/v1", "gemma", "text", "ok", 900, 1224, 0, now, Decimal("0.1234")),
        instance="home",
        job_id=job.id,
        limits=SpendingLimits(),
        day_start=now,
        month_start=now,
        claimed=job,
    )
    return job


async def test_a_running_call_shows_no_usage_yet(
    services: Services, browser: httpx.AsyncClient
) -> None:
    job = await start_call(services)

    page = (await browser.get(f"/jobs/{job.id}")).text

    assert ">running</td>" in page
    assert f"{RESERVED} reserved" in page
    assert "1,224" not in page
    assert "<dt>Model time</dt>" not in page


async def test_a_call_that_never_ended_counts_with_what_it_reserved(
    services: Services, browser: httpx.AsyncClient
) -> None:
    job = await start_call(services)
    await services.store.jobs.recover_orphans(now=services.context.clock())

    page = (await browser.get(f"/jobs/{job.id}")).text

    assert "<code>started</code>" in page
    assert f">{RESERVED}</td>" in page
