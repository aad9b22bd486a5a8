"""Pages say that documents wait for the model's rate and hours, until when, and when they end."""

from collections.abc import AsyncIterator

import httpx
import pytest

from daemon.services import Services
from scanner.scan import ScanOrder
from tests.installation import HOME, Installation, drain, process

HOURS = 'requests_per_minute = 30\nhours = "22:00-13:30"\n'


@pytest.fixture
async def services(installation: Installation) -> AsyncIterator[Services]:
    """Process one document, with two that wait for the hours from half past one on."""
    installation.configure(HOURS)
    (installation.config / "daemon.toml").write_text('time_zone = "Europe/Berlin"\n')
    async with installation.open() as services:
        await process(services, 1)
        installation.clock.advance(hours=1)
        await services.scanners[HOME].scan(ScanOrder())
        await drain(services)
        yield services


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        (
            "en",
            (
                "Outside model hours",
                "on hold: outside the model&#39;s hours (22:00-13:30). 2 documents are waiting",
                "Resumes automatically: 22:00",
                "finished at about 22:00",
            ),
        ),
        (
            "de",
            (
                "Außerhalb der Uhrzeiten",
                "außerhalb der Uhrzeiten des",
                "Wird automatisch fortgesetzt: 22:00",
            ),
        ),
    ],
)
async def test_the_overview_says_until_when_documents_wait(
    services: Services, browser: httpx.AsyncClient, language: str, sentences: tuple[str, ...]
) -> None:
    page = " ".join((await browser.get("/", headers={"Accept-Language": language})).text.split())

    assert [sentence for sentence in sentences if sentence not in page] == []


async def test_an_estimate_says_when_a_scan_would_end(browser: httpx.AsyncClient) -> None:
    form = {"which": "all", "estimate": "yes"}

    page = (await browser.post("/instances/home/scan", data=form)).text

    assert "finished at about 22:00 (the model&#39;s hours: 22:00-13:30)" in page
