"""The results of a dry run, and how one gets to them."""

import re

import httpx
import pytest

from core.jobs import DRY_RUN
from core.scans import Scan
from daemon.services import Services
from scanner.scan import ScanOrder
from tests.installation import drain, enqueue_document, scan

TITLE = "scan_0031"


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


@pytest.fixture
async def dry_run(services: Services) -> Scan:
    """A dry run of every document, before anything was processed."""
    done = await scan(services, ScanOrder(kind=DRY_RUN))
    await drain(services)
    return done


async def test_the_overview_leads_to_what_would_be_written(
    browser: httpx.AsyncClient, dry_run: Scan
) -> None:
    overview = (await browser.get("/")).text
    page = text_of((await browser.get(f"/dry-runs/{dry_run.id}")).text)

    assert "3 documents tried, nothing written." in text_of(overview)
    assert f'href="/dry-runs/{dry_run.id}"' in overview
    assert "Nothing was written to Paperless." in page
    assert f"title {TITLE} → becomes" in page
    assert "checks passed" in page
    assert "for review" in page


async def test_a_dry_run_under_way_is_not_called_done(
    browser: httpx.AsyncClient, services: Services
) -> None:
    done = await scan(services, ScanOrder(kind=DRY_RUN))

    overview = text_of((await browser.get("/")).text)
    page = text_of((await browser.get(f"/dry-runs/{done.id}")).text)

    assert "tried, nothing written" not in overview
    assert "0 of 3 documents done" in page


@pytest.mark.usefixtures("dry_run")
async def test_a_document_that_was_only_tried_has_its_title_and_the_suggestions(
    browser: httpx.AsyncClient, services: Services
) -> None:
    [job] = [job for job in await services.store.jobs.list() if job.title == TITLE]

    document = text_of((await browser.get("/documents/home/1")).text)
    activity = text_of((await browser.get("/activity")).text)
    page = text_of((await browser.get(f"/jobs/{job.id}")).text)

    assert TITLE in document
    assert TITLE in activity
    assert re.search(r"\d for review dry run", activity)
    for shown in (document, page):
        assert f"title {TITLE} → becomes" in shown
        assert "checks passed" in shown


async def test_a_scan_that_writes_has_no_page_of_a_dry_run(
    browser: httpx.AsyncClient, services: Services
) -> None:
    done = await scan(services)

    assert (await browser.get(f"/dry-runs/{done.id}")).status_code == 404
    assert (await browser.get("/dry-runs/999")).status_code == 404


async def test_a_processed_document_keeps_its_title_after_a_dry_run(
    browser: httpx.AsyncClient, services: Services
) -> None:
    await enqueue_document(services, 1)
    await drain(services)
    await enqueue_document(services, 1, DRY_RUN)
    await drain(services)

    assert f"<h1>{TITLE}</h1>" in (await browser.get("/documents/home/1")).text
