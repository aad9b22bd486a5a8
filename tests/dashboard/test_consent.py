"""What costs more than the owner allows without asking must be confirmed."""

import re
from collections.abc import AsyncIterator
from decimal import Decimal

import pytest

from core.documents import DocumentRef
from core.jobs import ANALYZE, UNDO, Job, JobStatus, NewJob
from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from tests.dashboard.api_client import STRANGER, V1, build_rig
from tests.dashboard.conftest import DashboardRig, open_browser
from tests.installation import Installation, enqueue_document, home
from tests.store.builders import PROBLEM

COSTLY = "[limits]\nprice_in = 500\nprice_out = 500\n"


@pytest.fixture
async def asking(installation: Installation) -> AsyncIterator[Services]:
    installation.configure(f"{COSTLY}consent_above = 0.01\n")
    async with installation.open() as services:
        yield services


@pytest.fixture
def asking_rig(asking: Services) -> DashboardRig:
    return build_rig(asking)


async def test_the_api_refuses_with_the_estimate_until_it_is_confirmed(
    asking_rig: DashboardRig, asking: Services
) -> None:
    async with asking_rig.client() as client:
        refused = await client.post(f"{V1}/scans", json={"instance": "home"})
        estimate = refused.json()["estimate"]
        less = {"instance": "home", "consent_up_to": "0.01"}
        refused_again = await client.post(f"{V1}/scans", json=less)
        enough = {"instance": "home", "consent_up_to": estimate["cost"]}
        accepted = await client.post(f"{V1}/scans", json=enough)

    assert (refused.status_code, refused_again.status_code) == (409, 409)
    assert refused.json()["error"]["code"] == "consent_required"
    assert (estimate["documents"], estimate["currency"]) == (3, "EUR")
    assert accepted.status_code == 202
    assert accepted.json()["consent"]["by"] == "admin"
    [scan] = await asking.store.scans.list("home")
    assert scan.consent is not None
    assert (scan.consent.by, scan.consent.at) == ("admin", asking_rig.context.clock())
    assert scan.consent.cost > 1


async def test_the_page_shows_the_estimate_and_its_button_confirms(
    asking_rig: DashboardRig, asking: Services
) -> None:
    async with open_browser(asking_rig) as browser:
        question = await browser.post("/instances/home/scan")
        up_to = question.text.partition('name="up_to" value="')[2].partition('"')[0]
        before = await asking.store.scans.list("home")
        confirmed = await browser.post("/instances/home/scan", data={"up_to": up_to})

    assert question.status_code == 409
    assert "<dt>Documents</dt><dd>3" in question.text
    assert "limits.consent_above" in question.text
    assert before == ()
    assert confirmed.status_code == 303
    [scan] = await asking.store.scans.list("home")
    assert scan.consent is not None
    assert scan.consent.by == "admin"


@pytest.mark.parametrize("limits", [COSTLY, "[limits]\n", f"{COSTLY}consent_above = 100000\n"])
async def test_a_scan_that_may_be_started_needs_no_consent(
    installation: Installation, limits: str
) -> None:
    installation.configure(limits)
    async with installation.open() as services, build_rig(services).client() as client:
        answer = await client.post(f"{V1}/scans", json={"instance": "home"})

    assert (answer.status_code, answer.json()["consent"]) == (202, None)


async def fail_jobs(services: Services, *ids: int) -> list[Job]:
    """Return failed jobs, one for each document."""
    return [await fail_job(services, home(id_)) for id_ in ids]


async def fail_job(services: Services, document: DocumentRef, kind: str = ANALYZE) -> Job:
    jobs, now = services.store.jobs, services.context.clock()
    await jobs.enqueue(NewJob(document, kind), now=now)
    claimed = await jobs.claim(worker="gone", now=now)
    assert claimed is not None
    return await jobs.fail(claimed, PROBLEM, now=now)


async def test_the_api_asks_before_a_document_is_processed_again(
    asking_rig: DashboardRig, asking: Services
) -> None:
    wanted = {"document": "home/1"}
    async with asking_rig.client() as client:
        refused = await client.post(f"{V1}/analyses", json=wanted)
        before = await asking.store.jobs.list()
        cost = refused.json()["estimate"]["cost"]
        accepted = await client.post(f"{V1}/analyses", json=wanted | {"consent_up_to": cost})

    assert (refused.status_code, before) == (409, ())
    assert refused.json()["estimate"]["documents"] == 1
    assert accepted.status_code == 202
    assert accepted.json()["consent"] == {
        "by": "admin",
        "at": asking_rig.context.clock().isoformat().replace("+00:00", "Z"),
        "cost": cost,
    }


async def test_a_document_that_is_queued_already_needs_no_consent(
    asking_rig: DashboardRig, asking: Services
) -> None:
    queued = await enqueue_document(asking, 1)
    async with asking_rig.client() as client:
        answer = await client.post(f"{V1}/analyses", json={"document": "home/1"})

    assert (answer.status_code, answer.json()["id"]) == (202, queued.id)


async def test_the_api_asks_once_for_all_jobs_that_are_retried_together(
    asking_rig: DashboardRig, asking: Services
) -> None:
    failed = await fail_jobs(asking, 1, 2)
    async with asking_rig.client() as client:
        refused = await client.post(f"{V1}/jobs/retry", json={})
        before = await asking.store.jobs.count_by_status("home")
        [estimate] = refused.json()["estimates"]
        confirmed = {"consent_up_to": estimate["cost"]}
        accepted = await client.post(f"{V1}/jobs/retry", json=confirmed)

    assert (refused.status_code, accepted.status_code) == (409, 200)
    assert before[JobStatus.FAILED] == 2
    assert estimate["documents"] == 2
    jobs = accepted.json()["jobs"]
    assert {job["id"] for job in jobs} == {job.id for job in failed}
    assert {job["consent"]["cost"] for job in jobs} == {estimate["cost"]}


async def test_the_api_asks_before_one_job_is_retried(
    asking_rig: DashboardRig, asking: Services
) -> None:
    [failed] = await fail_jobs(asking, 1)
    async with asking_rig.client() as client:
        refused = await client.post(f"{V1}/jobs/{failed.id}/retry")
        confirmed = {"consent_up_to": refused.json()["estimate"]["cost"]}
        accepted = await client.post(f"{V1}/jobs/{failed.id}/retry", json=confirmed)

    assert (refused.status_code, accepted.status_code) == (409, 200)
    assert accepted.json()["consent"]["by"] == "admin"


async def test_a_job_that_calls_no_model_is_retried_without_a_question(
    asking_rig: DashboardRig, asking: Services
) -> None:
    failed = await fail_job(asking, home(1), UNDO)

    async with asking_rig.client() as client:
        accepted = await client.post(f"{V1}/jobs/{failed.id}/retry")

    assert (accepted.status_code, accepted.json()["consent"]) == (200, None)


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/jobs/1/retry", {}),
        ("/retry", {"cause": PROBLEM.code, "instance": "home"}),
        ("/documents/home/2/process", {"back": "/review"}),
    ],
    ids=["a job", "a cause", "a document"],
)
async def test_the_page_asks_with_the_same_form_and_keeps_who_confirmed(
    asking_rig: DashboardRig, asking: Services, path: str, form: dict[str, str]
) -> None:
    await fail_jobs(asking, 1)
    async with open_browser(asking_rig) as browser:
        question = await browser.post(path, data=form)
        asked = await asking.store.jobs.count_by_status("home")
        confirmed = await browser.post(path, data=form | {"up_to": "100000"})

    assert question.status_code == 409
    assert f'action="{path}"' in question.text
    for name, value in form.items():
        assert f'name="{name}" value="{value}"' in question.text
    assert "1 document," in question.text
    assert asked[JobStatus.PENDING] == 0
    assert confirmed.status_code == 303
    [job] = [job for job in await asking.store.jobs.list() if job.status is JobStatus.PENDING]
    assert job.consent is not None
    assert job.consent.by == "admin"


async def test_the_pages_show_what_was_confirmed_with_its_currency(
    asking_rig: DashboardRig, asking: Services
) -> None:
    async with open_browser(asking_rig) as browser:
        await browser.post("/instances/home/scan", data={"up_to": "100000"})
        await browser.post("/documents/home/1/process", data={"up_to": "100000"})
        scans = (await browser.get("/activity/scans?empty=yes")).text
        [job] = await asking.store.jobs.list()
        shown = (await browser.get(f"/jobs/{job.id}")).text

    assert re.search("estimated cost €[0-9.]+ confirmed by admin", scans)
    assert re.search("Estimated cost of the run</dt><dd>€[0-9.]+ · confirmed by admin", shown)


async def test_someone_without_access_to_an_instance_learns_no_estimate_of_it(
    asking_rig: DashboardRig, asking: Services
) -> None:
    [failed] = await fail_jobs(asking, 1)
    asking_rig.authenticator.person = STRANGER
    async with asking_rig.client() as client:
        one = await client.post(f"{V1}/jobs/{failed.id}/retry")
        all_ = await client.post(f"{V1}/jobs/retry", json={})

    assert one.status_code == 404
    assert (all_.status_code, all_.json()["jobs"]) == (200, [])


async def test_each_instance_has_its_own_estimate(installation: Installation) -> None:
    installation.configure(f"{COSTLY}consent_above = 0.01\n")
    attic = installation.settings_file.read_text(encoding="utf-8")
    cheap = attic.replace("consent_above = 0.01", "consent_above = 100000")
    (installation.config / "attic.toml").write_text(attic, encoding="utf-8")
    (installation.config / "cellar.toml").write_text(cheap, encoding="utf-8")
    async with installation.open() as services, build_rig(services).client() as client:
        for name, number in (("attic", 2), ("cellar", 3), ("home", 1)):
            await fail_job(services, DocumentRef(name, number))
        refused = await client.post(f"{V1}/jobs/retry", json={})
        costs = {item["instance"]: item["cost"] for item in refused.json()["estimates"]}
        less, enough = sorted(costs.values(), key=Decimal)
        too_little = await client.post(f"{V1}/jobs/retry", json={"consent_up_to": less})
        accepted = await client.post(f"{V1}/jobs/retry", json={"consent_up_to": enough})

    assert costs.keys() == {"attic", "home"}
    assert (less != enough, too_little.status_code, accepted.status_code) == (True, 409, 200)
    consents = {job["instance"]: job["consent"] for job in accepted.json()["jobs"]}
    assert consents["cellar"] is None
    assert {name: consents[name]["cost"] for name in costs} == costs


async def test_what_cannot_be_estimated_is_not_started(
    asking_rig: DashboardRig, asking: Services, sandbox: Sandbox
) -> None:
    [failed] = await fail_jobs(asking, 1)
    sandbox.paperless.faults.add(Fault(effect=Answer(status=503), times=20))
    async with asking_rig.client() as client:
        refused = await client.post(f"{V1}/jobs/{failed.id}/retry", json={"consent_up_to": 9})

    assert refused.status_code == 502
    assert (await asking.store.jobs.get(failed.id)).status is JobStatus.FAILED
