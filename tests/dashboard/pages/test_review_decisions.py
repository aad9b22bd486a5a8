"""Decide on a document on its pages, and check the result in Paperless."""

import httpx
import pytest

from core.access import Permission
from core.changes import ChangeState
from core.jobs import APPLY, EventName
from daemon.services import Services
from dashboard.auth import Person
from sandbox.faults import Answer, Fault
from store import JobFilter
from tests.dashboard.conftest import DashboardRig
from tests.dashboard.pages.conftest import browser_after_analysis
from tests.dashboard.pages.test_review import form_of
from tests.installation import (
    Installation,
    changes_of,
    drain,
    enqueue_document,
    fields_of,
    home,
    process,
    writes,
)
from tests.store.builders import PROBLEM

PAGE = {"accept": "text/html"}


async def test_what_is_ticked_is_written_as_typed_and_the_rest_is_rejected(
    services_rig: DashboardRig, services: Services, installation: Installation
) -> None:
    before = fields_of(installation.sandbox)
    async with browser_after_analysis(services_rig, services) as client:
        form = form_of((await client.get("/review/home/1")).text)
        form["take"] = ["title", "document_type"]
        form["value:title"] = ["Mein Strom"]

        answer = await client.post("/review/home/1/accept", data=form)
        await drain(services)

    assert (answer.status_code, answer.headers["location"]) == (303, "/review")
    after = fields_of(installation.sandbox)
    assert after["title"] == "Mein Strom"
    assert after["document_type"] != before["document_type"]
    assert after["correspondent"] == before["correspondent"]
    assert await services.store.changes.list_for_review(document=home(1)) == ()
    assert services_rig.life.wake_count == 1


async def test_a_value_that_cannot_be_written_leaves_all_of_it_undecided(
    services_rig: DashboardRig, services: Services
) -> None:
    async with browser_after_analysis(services_rig, services) as client:
        form = form_of((await client.get("/review/home/1")).text)
        form["take"], form["value:date"] = ["date"], ["2026-02-31"]

        await client.post("/review/home/1/accept", data=form)
        page = await client.get("/review")

    assert "This value cannot be written." in page.text
    states = {state for of_field in (await changes_of(services)).values() for state in of_field}
    assert states == {ChangeState.PROPOSED}


async def test_what_is_ticked_and_what_is_not_are_one_decision(
    services_rig: DashboardRig, services: Services
) -> None:
    async with browser_after_analysis(services_rig, services) as client:
        form = form_of((await client.get("/review/home/1")).text)
        form["take"].remove("title")

        await client.post("/review/home/1/accept", data=form)

    [job] = await services.store.jobs.list(JobFilter(document=home(1), kind=APPLY))
    events = await services.store.jobs.list_events(job.id)
    [decided] = [event.data for event in events if event.name is EventName.CHANGES_RECORDED]
    assert decided["accepted"]
    assert decided["rejected"] == 1


async def test_what_was_decided_and_which_names_will_be_created_is_reported(
    browser: httpx.AsyncClient, services: Services
) -> None:
    await process(services, 1)
    form = form_of((await browser.get("/review/home/1")).text)
    form["take"] = ["title", "correspondent"]
    form["value:correspondent"] = ["Stadtwerke <Musterstatd>"]
    form["create_names"] = ["yes"]

    await browser.post("/review/home/1/accept", data=form)
    page = await browser.get("/review")

    left = len(form["seen"]) - 2
    new = "“Stadtwerke &lt;Musterstatd&gt;” will be created."
    assert f"home/1: 2 accepted, {left} rejected. {new}" in page.text


async def test_a_field_that_is_emptied_and_was_empty_is_reported_as_reviewed(
    browser: httpx.AsyncClient, services: Services
) -> None:
    await process(services, 1)
    form = form_of((await browser.get("/review/home/1")).text)
    emptied = {**form, "only": ["correspondent"], "value:correspondent": [""]}

    await browser.post("/review/home/1/accept", data=emptied)
    page = await browser.get("/review/home/1")

    assert "home/1: 1 reviewed." in page.text


async def test_the_review_of_a_decided_document_leads_to_its_own_page(
    browser: httpx.AsyncClient, services: Services
) -> None:
    await process(services, 1)
    await browser.post("/review/home/1/reject", data={"csrf": ""})

    answer = await browser.get("/review/home/1", follow_redirects=False)
    page = await browser.get("/documents/home/1")

    assert (answer.status_code, answer.headers["location"]) == (303, "/documents/home/1")
    assert "Nothing in this document is waiting for review." in page.text


async def test_nothing_of_paperless_is_needed_to_reject_all(
    services_rig: DashboardRig, services: Services, installation: Installation
) -> None:
    async with browser_after_analysis(services_rig, services) as client:
        form = form_of((await client.get("/review/home/1")).text)
        services.instances["home"].catalogue.invalidate()
        installation.sandbox.paperless.faults.add(
            Fault(path="/api/.*", times=None, effect=Answer(status=503, body="no"))
        )

        await client.post("/review/home/1/accept", data={**form, "take": []})

    assert await services.store.changes.list_for_review(document=home(1)) == ()


async def test_a_title_that_is_accepted_as_it_is_is_no_write(
    services_rig: DashboardRig, services: Services, installation: Installation
) -> None:
    installation.sandbox.world.edit(1, content="")
    async with browser_after_analysis(services_rig, services) as client:
        listed = await client.get("/review")
        page = (await client.get("/review/home/1")).text
        form = form_of(page)
        await client.post("/review/home/1/accept", data=form)
        said = await client.get("/review")
        await drain(services)

        written = await client.get("/history")
        document = await client.get("/documents/home/1")

    assert "(no suggestion)" in listed.text
    assert "No suggestion: enter a value, or leave the field unchanged." in page
    assert 'type="checkbox"' not in page
    assert "Selected fields are written" not in page
    assert form["take"] == ["title"]
    assert "Nothing has been written yet." in written.text
    assert "home/1: 1 reviewed." in said.text
    assert '<span class="badge rejected">reviewed</span>' in document.text
    assert "/undo?" not in document.text
    assert writes(installation.sandbox) == []


async def test_a_title_that_is_typed_where_nothing_was_suggested_is_written(
    services_rig: DashboardRig, services: Services, installation: Installation
) -> None:
    installation.sandbox.world.edit(1, content="")
    async with browser_after_analysis(services_rig, services) as client:
        form = form_of((await client.get("/review/home/1")).text)
        form["value:title"] = ["Mein Bild"]
        await client.post("/review/home/1/accept", data=form)
        await drain(services)

    assert fields_of(installation.sandbox)["title"] == "Mein Bild"


async def test_what_someone_accepts_who_is_called_rule_is_written(
    services_rig: DashboardRig, services: Services, installation: Installation
) -> None:
    services_rig.authenticator.person = Person("rule", Permission.ADMIN)
    async with browser_after_analysis(services_rig, services) as client:
        form = form_of((await client.get("/review/home/1")).text)
        form["value:title"] = ["Mein Strom"]
        installation.clock.advance(minutes=1)

        await client.post("/review/home/1/accept", data=form)
        await drain(services)

    assert fields_of(installation.sandbox)["title"] == "Mein Strom"


async def test_what_was_decided_elsewhere_meanwhile_is_not_decided_again(
    services_rig: DashboardRig, services: Services
) -> None:
    async with browser_after_analysis(services_rig, services) as client:
        form = form_of((await client.get("/review/home/1")).text)
        await client.post("/review/home/1/reject", data={"csrf": ""})

        await client.post("/review/home/1/accept", data=form)
        page = await client.get("/review")

    assert "None of these changes is waiting for review." in page.text


@pytest.mark.parametrize("deed", ["accept", "reject"])
async def test_a_form_that_no_page_of_ours_sends_is_refused(
    services_rig: DashboardRig, services: Services, deed: str
) -> None:
    async with browser_after_analysis(services_rig, services) as client:
        answer = await client.post(f"/review/home/1/{deed}", data={"seen": ["1", "two"]})

    assert answer.status_code == 400
    assert await services.store.changes.list_for_review(document=home(1)) != ()


async def test_what_was_written_is_undone(
    services_rig: DashboardRig, services: Services, installation: Installation
) -> None:
    before = fields_of(installation.sandbox)
    async with browser_after_analysis(services_rig, services) as client:
        form = form_of((await client.get("/review/home/1")).text)
        await client.post("/review/home/1/accept", data=form)
        await drain(services)
        written = fields_of(installation.sandbox)

        shown = await client.get("/undo?document=home/1")
        await client.post("/undo", data={"document": "home/1"})
        await drain(services)

    assert written != before
    assert "Undo" in shown.text
    assert fields_of(installation.sandbox) == before


@pytest.mark.parametrize("deed", ["create", "never", "use"])
async def test_a_name_that_nobody_waits_with_is_refused_with_words(
    services_rig: DashboardRig, services: Services, deed: str
) -> None:
    said = {"name": "Nobody", "instance": "home", "field": "tags", "existing": "None such"}
    async with browser_after_analysis(services_rig, services) as client:
        await client.post("/names", data={**said, "action": deed})
        page = await client.get("/names")

    message = (
        "will never be suggested again" if deed == "never" else "It is unclear which name is meant"
    )
    assert message in page.text


async def test_the_pages_of_apply_and_undo_jobs_list_what_they_wrote(
    services_rig: DashboardRig, services: Services
) -> None:
    async with browser_after_analysis(services_rig, services) as client:
        form = form_of((await client.get("/review/home/1")).text)
        form["take"], form["value:title"] = ["title"], ["Mein Strom"]
        await client.post("/review/home/1/accept", data=form)
        [applied] = await drain(services)
        apply_page = (await client.get(f"/jobs/{applied.job.id}")).text
        await client.post("/undo", data={"document": "home/1"})
        [undone] = await drain(services)
        undo_page = (await client.get(f"/jobs/{undone.job.id}")).text

    for page in (apply_page, undo_page):
        assert "Mein Strom" in page
        assert "This job has not changed anything." not in page


async def test_a_document_is_ignored_and_not_any_more(
    services_rig: DashboardRig, services: Services
) -> None:
    async with browser_after_analysis(services_rig, services) as client:
        await client.post("/documents/home/1/ignore", data={"back": "/review"})
        ignored = await services.store.documents.get(home(1))
        waiting = await client.get("/review")
        await client.post("/documents/home/1/unignore", data={})
        again = await services.store.documents.get(home(1))
        await client.post("/documents/home/1/process", data={})
        scan = await client.post("/instances/home/scan", data={})
        retried = await client.post("/retry", data={"cause": "answer_unusable"})

    assert ignored is not None
    assert ignored.state == "ignored"
    assert "All done. Nothing to review." in waiting.text
    assert again is not None
    assert again.state == "done"
    assert (scan.status_code, retried.status_code) == (303, 303)
    assert await services.store.scans.find_requested("home") is not None


async def test_jobs_that_are_not_started_again_are_reported_with_the_reason(
    services_rig: DashboardRig, services: Services
) -> None:
    async with services_rig.client() as client:
        client.headers.update(PAGE)
        for number in (1, 2):
            await _failed(services, number)
        await client.post("/documents/home/2/ignore", data={})

        await client.post("/retry", data={"cause": PROBLEM.code})
        page = await client.get("/activity")

    assert "1 job queued again. 1 skipped: This document is ignored." in page.text


async def _failed(services: Services, number: int) -> None:
    """Let the analysis of a document have failed."""
    await enqueue_document(services, number)
    job = await services.store.jobs.claim(worker="worker", now=services.context.clock())
    assert job is not None
    await services.store.jobs.fail(job, PROBLEM, now=services.context.clock())


async def test_a_picture_is_passed_on_of_known_documents_only(
    services_rig: DashboardRig, services: Services
) -> None:
    async with browser_after_analysis(services_rig, services) as client:
        known = await client.get("/documents/home/1/thumbnail")
        unknown = await client.get("/documents/home/2/thumbnail")

    assert known.headers["content-type"].startswith("image/")
    assert unknown.status_code == 404


async def test_secrets_are_hidden_and_origins_are_shown(
    services_rig: DashboardRig, installation: Installation
) -> None:
    async with services_rig.client() as client:
        page = await client.get("/settings", headers=PAGE)

    assert installation.sandbox.token not in page.text
    assert "••••" in page.text
    assert "home.toml:" in page.text
