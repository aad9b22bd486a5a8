"""Scan now: the choices of a scan, its estimate, and its cancellation."""

import re

import httpx
import pytest

from core.jobs import ANALYZE, DRY_RUN
from daemon.services import Services
from scanner.scan import ScanOrder
from tests.installation import Installation, drain, snapshot

PAGE = "/instances/home/scan"
CHOICES = {
    "all": ({"which": "all", "limit": "20"}, (ANALYZE, None)),
    "newest": ({"which": "newest", "limit": "3"}, (ANALYZE, 3)),
    "newest, no number": ({"which": "newest", "limit": ""}, (ANALYZE, 20)),
    "dry run": ({"which": "newest", "limit": "5", "dry_run": "yes"}, (DRY_RUN, 5)),
    "nothing chosen": ({}, (ANALYZE, None)),
}


@pytest.mark.parametrize("chosen", CHOICES)
async def test_a_scan_is_requested_as_it_was_chosen(
    services: Services, browser: httpx.AsyncClient, chosen: str
) -> None:
    form, expected = CHOICES[chosen]

    answer = await browser.post(PAGE, data=form)

    [scan] = await services.store.scans.list("home")
    to = f"/dry-runs/{scan.id}" if scan.kind == DRY_RUN else "/"
    assert (answer.status_code, answer.headers["location"]) == (303, to)
    assert (scan.kind, scan.limit) == expected


async def test_an_estimate_requests_nothing_and_keeps_the_choice(
    services: Services, browser: httpx.AsyncClient
) -> None:
    page = (
        await browser.post(PAGE, data={"which": "newest", "limit": "3", "estimate": "yes"})
    ).text

    assert "<dt>Documents</dt><dd>3" in page
    assert 'value="newest" checked' in page
    assert 'name="limit" min="1" max="1000000" inputmode="numeric" value="3"' in page
    assert await services.store.scans.list("home") == ()


async def test_a_dry_run_of_the_newest_documents_writes_nothing(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    before = snapshot(installation.sandbox)
    await browser.post(PAGE, data={"which": "newest", "limit": "2", "dry_run": "yes"})

    await services.scanners["home"].scan(ScanOrder())
    await drain(services)

    jobs = await services.store.jobs.list()
    assert {job.kind for job in jobs} == {DRY_RUN}
    assert len(jobs) == 2
    assert snapshot(installation.sandbox) == before
    page = (await browser.get("/activity")).text
    assert page.count('<span class="badge">dry run</span>') == 2


async def test_the_page_shows_the_scan_that_is_running_and_cancels_it(
    services: Services, installation: Installation, browser: httpx.AsyncClient
) -> None:
    scan = await services.store.scans.start("home", asked_by="hand", now=installation.clock())

    page = (await browser.get(PAGE)).text
    answer = await browser.post(f"/scans/{scan.id}/cancel", data={"back": "/"})

    closed = await services.store.scans.get(scan.id)
    assert "Scan of home" in page
    assert f'action="/scans/{scan.id}/cancel"' in page
    assert answer.status_code == 303
    assert closed.finished_at == installation.clock()
    assert closed.problem is not None
    assert closed.problem.code == "cancelled"
    assert "The last scan failed" not in (await browser.get("/")).text


async def test_an_unknown_instance_has_no_page(browser: httpx.AsyncClient) -> None:
    assert (await browser.get("/instances/cellar/scan")).status_code == 404


async def test_a_number_that_makes_no_sense_is_refused(
    services: Services, browser: httpx.AsyncClient
) -> None:
    for limit in ("0", "-1", "many"):
        answer = await browser.post(PAGE, data={"which": "newest", "limit": limit})

        assert answer.status_code == 400, limit
    assert await services.store.scans.list("home") == ()


async def test_choices_are_those_of_the_command_line(browser: httpx.AsyncClient) -> None:
    page = (await browser.get(PAGE)).text

    named = set(re.findall(r"<code>(--[a-z-]+)</code>", page))
    assert named == {"--limit", "--estimate", "--dry-run"}
