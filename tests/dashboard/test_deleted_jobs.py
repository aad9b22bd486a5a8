"""The error for a job that retention deleted says when, and where to look instead."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from store.retention import RetentionPolicy
from tests.dashboard.api_client import STRANGER, Client, build_rig
from tests.dashboard.conftest import DashboardRig, open_browser
from tests.installation import Installation, process

POLICY = RetentionPolicy(
    events=timedelta(days=30),
    results=timedelta(days=90),
    jobs=timedelta(days=90),
    changes=timedelta(days=365),
)
WORDS = {
    "en": ("This job was deleted on 2\u00a0Mar", "kept for 90\u00a0days"),
    "de": (
        "Dieser Auftrag wurde am 2.\u00a0März wegen seines Alters gelöscht",
        "lang aufbewahrt (<code>retention.jobs",
    ),
}


@pytest.fixture
async def rig(installation: Installation) -> AsyncIterator[DashboardRig]:
    """A letter was filed, and all is forgotten of it that is forgotten after three months."""
    installation.configure(all_fields="replace")
    async with installation.open() as services:
        await process(services, 1)
        installation.clock.advance(days=91)
        await services.store.retention.prune(POLICY, now=installation.clock())
        yield build_rig(services)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("page", ["/jobs/1", "/jobs/1/answers", "/jobs/1/prompt"])
async def test_the_page_says_so_in_words(rig: DashboardRig, page: str, language: str) -> None:
    async with open_browser(rig) as browser:
        history = await browser.get("/history")
        answer = await browser.get(page, headers={"accept-language": language})

    assert 'href="/jobs/1"' in history.text
    assert answer.status_code == 410
    assert [words for words in WORDS[language] if words not in answer.text] == []
    assert 'href="/documents/home/1"' in answer.text


async def test_the_api_says_so_as_well(rig: DashboardRig) -> None:
    async with rig.client() as http:
        api = Client(http, rig)

        assert await api.refused("GET", "/jobs/1") == (410, "job_deleted")
        assert await api.refused("POST", "/jobs/1/retry") == (410, "job_deleted")
        assert await api.refused("GET", "/jobs/2") == (404, "job_not_found")


async def test_but_not_to_who_could_not_have_seen_it(rig: DashboardRig) -> None:
    rig.authenticator.person = STRANGER

    async with rig.client() as http, open_browser(rig) as browser:
        refusal = await Client(http, rig).refused("GET", "/jobs/1")
        page = await browser.get("/jobs/1")

    assert refusal == (404, "job_not_found")
    assert page.status_code == 404
