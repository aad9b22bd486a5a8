"""Decide on several documents in the list of reviews."""

import re

import pytest

from core.changes import RevisedChange
from core.fields import FieldName
from core.jobs import ANALYZE, JobStatus
from daemon.services import Services
from store import JobFilter
from tests.dashboard.conftest import DashboardRig
from tests.dashboard.pages.conftest import browser_after_analysis
from tests.dashboard.pages.test_review import write_from_someone_new
from tests.installation import (
    Installation,
    drain,
    fields_of,
    home,
    process,
)


def ticked_in(page: str) -> dict[str, list[str]]:
    """Return the form of the list with every document selected."""
    seen = re.findall(r'name="((?:seen|shown):[^"]+)" value="([^"]+)"', page)
    form = {name: [value] for name, value in seen}
    form["document"] = re.findall(r'name="document" value="([^"]+)"', page)
    return form


async def test_only_documents_without_doubts_are_accepted_without_a_question(
    services_rig: DashboardRig, services: Services, installation: Installation
) -> None:
    write_from_someone_new(installation.sandbox)
    async with browser_after_analysis(services_rig, services) as client:
        await process(services, 2)
        page = (await client.get("/review")).text
        form = ticked_in(page)

        asked = await client.post("/review/accept", data=form)
        waiting = await services.store.changes.list_for_review()
        await client.post("/review/accept", data={**form, "confirmed": "clear"})
        await drain(services)
        said = await client.get("/review")

    assert re.findall(r'value="(home/\d)" data-clear', page) == ["home/2"]
    assert (asked.status_code, "Accept 2 documents?" in asked.text) == (200, True)
    assert "The name does not exist in Paperless yet" in asked.text
    assert {change.document for change in waiting} == {home(1), home(2)}
    assert "1 document accepted. 1 skipped: A check failed." in said.text
    assert await services.store.changes.list_for_review(document=home(1)) != ()
    assert await services.store.changes.list_for_review(document=home(2)) == ()
    assert fields_of(installation.sandbox, 1)["title"] == "scan_0031"
    assert fields_of(installation.sandbox, 2)["title"] == "Mobilfunkrechnung für August 2026"


async def test_documents_with_doubts_are_accepted_together_once_that_is_confirmed(
    services_rig: DashboardRig, services: Services, installation: Installation
) -> None:
    write_from_someone_new(installation.sandbox)
    async with browser_after_analysis(services_rig, services) as client:
        await process(services, 2)
        form = ticked_in((await client.get("/review")).text)
        asked = (await client.post("/review/accept", data=form)).text

        await client.post("/review/accept", data={**ticked_in(asked), "confirmed": "all"})
        await drain(services)
        said = await client.get("/review")

    assert "2 documents accepted." in said.text
    assert await services.store.changes.list_for_review() == ()
    assert fields_of(installation.sandbox, 1)["title"] != "scan_0031"


async def test_a_document_whose_suggestion_changed_since_the_list_was_loaded_stays_in_review(
    services_rig: DashboardRig, services: Services
) -> None:
    async with browser_after_analysis(services_rig, services) as client:
        form = ticked_in((await client.get("/review")).text)
        [title] = [
            change
            for change in await services.store.changes.list_for_review(document=home(1))
            if change.field is FieldName.TITLE
        ]
        revised = RevisedChange(title.id, "Another title", ())
        now = services.context.clock()
        await services.store.changes.revise(home(1), revised, by="someone", now=now)

        await client.post("/review/accept", data=form)
        page = await client.get("/review")

    assert "1 skipped: This document has changed since the page was loaded." in page.text
    assert await services.store.changes.list_for_review(document=home(1)) != ()


@pytest.mark.parametrize("deed", ["reject", "process", "ignore"])
async def test_several_documents_are_rejected_processed_again_or_ignored(
    services_rig: DashboardRig, services: Services, deed: str
) -> None:
    async with browser_after_analysis(services_rig, services) as client:
        await process(services, 2)
        form = ticked_in((await client.get("/review")).text)

        await client.post(f"/review/{deed}", data=form)
        page = await client.get("/review")

    said = {
        "reject": "2 documents rejected.",
        "process": "2 jobs queued again.",
        "ignore": "2 documents are now ignored.",
    }
    assert said[deed] in page.text
    pending = await services.store.jobs.list(JobFilter(status=JobStatus.PENDING, kind=ANALYZE))
    assert len(pending) == (2 if deed == "process" else 0)


async def test_one_that_was_decided_meanwhile_keeps_no_other_from_being_accepted(
    services_rig: DashboardRig, services: Services
) -> None:
    async with browser_after_analysis(services_rig, services) as client:
        await process(services, 2)
        await process(services, 3)
        form = ticked_in((await client.get("/review")).text)
        await client.post("/review/home/2/reject", data={})

        answer = await client.post("/review/accept", data=form)
        page = await client.get("/review")

    assert form["document"] == ["home/1", "home/2", "home/3"]
    assert answer.status_code == 303
    flash = "2 documents accepted. 1 skipped: None of these changes is waiting for review."
    assert flash in page.text
    assert await services.store.changes.list_for_review() == ()


async def test_what_came_after_the_list_was_loaded_is_not_accepted(
    services_rig: DashboardRig, services: Services
) -> None:
    async with browser_after_analysis(services_rig, services) as client:
        form = ticked_in((await client.get("/review")).text)
        await process(services)

        await client.post("/review/accept", data=form)
        page = await client.get("/review")

    assert "1 skipped: This change has already been decided." in page.text
    assert "accepted" not in page.text
    assert await services.store.changes.list_for_review(document=home(1)) != ()


@pytest.mark.parametrize(
    "form",
    [
        {"document": ["nonsense"], "seen:nonsense": "1"},
        {"document": [f"home/{10**30}"], f"seen:home/{10**30}": "1"},
        {"document": ["home/1"], "seen:home/1": "one"},
        {"document": ["home/1"]},
        {"document": ["home/2", "home/1"], "seen:home/1": "1"},
    ],
    ids=["no document", "none so large", "no number", "nothing seen", "nothing seen of one"],
)
async def test_a_list_that_no_page_of_ours_sends_is_refused_as_a_whole(
    services_rig: DashboardRig, services: Services, form: dict[str, str]
) -> None:
    async with browser_after_analysis(services_rig, services) as client:
        answer = await client.post("/review/accept", data=form)

    assert answer.status_code == 400
    assert await services.store.changes.list_for_review(document=home(1)) != ()
