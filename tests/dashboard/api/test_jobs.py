"""Jobs, as programs see them."""

from datetime import datetime

import pytest

from core.jobs import CallProgress, NewJob
from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from tests.dashboard.api_client import READER, STRANGER, Client
from tests.installation import home, process, scan
from tests.store.builders import PROBLEM


async def test_jobs_are_listed_newest_first_and_page_by_page(
    api: Client, services: Services
) -> None:
    await scan(services)

    first = await api.page("/jobs", limit=2)
    rest = await api.page("/jobs", limit=2, after=first["next"])

    assert [job["id"] for job in first["items"]] == [3, 2]
    assert [job["id"] for job in rest["items"]] == [1]
    assert (first["next"], rest["next"]) == ("2", None)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({}, 3),
        ({"status": "pending"}, 3),
        ({"status": "failed"}, 0),
        ({"instance": "home"}, 3),
        ({"document": "home/1"}, 1),
        ({"scan": 1}, 3),
        ({"scan": 2}, 0),
        ({"cause": "answer_unusable"}, 0),
    ],
    ids=str,
)
async def test_jobs_are_listed_by_what_one_asks_for(
    api: Client, services: Services, query: dict[str, object], count: int
) -> None:
    await scan(services)

    assert len(await api.get("/jobs", **query)) == count


@pytest.mark.usefixtures("reviewed")
async def test_a_job_is_shown_with_all_that_came_of_it(api: Client) -> None:
    job = await api.get("/jobs/1")

    assert (job["status"], job["progress"], job["document"]) == ("completed", 100, "home/3")
    assert job["address"] == "/api/v1/jobs/1"
    assert job["result"]["kind"] == "final"
    assert {change["state"] for change in job["changes"]} == {"proposed"}
    assert [call["outcome"] for call in job["calls"]] == ["ok"]


async def test_a_job_tells_how_far_its_model_call_is_while_it_runs(
    api: Client, services: Services
) -> None:
    store, now = services.store, services.context.clock()
    await store.jobs.enqueue(NewJob(home(1)), now=now)
    job = await store.jobs.claim(worker="w", now=now)
    assert job is not None
    call = CallProgress(now, tokens=85, is_thinking=True, usual_ms=40_000)
    await store.jobs.record_model_call(job, call, 33, now=now)

    running = await api.get(f"/jobs/{job.id}")
    await store.jobs.fail(job, PROBLEM, now=now)
    failed = await api.get(f"/jobs/{job.id}")

    call = running["model_call"]
    assert (call["tokens"], call["thinking"], call["usual_ms"]) == (85, True, 40_000)
    assert datetime.fromisoformat(call["started_at"]) == now
    assert running["progress"] == 33
    assert failed["model_call"] is None


@pytest.mark.usefixtures("reviewed")
async def test_a_job_tells_how_the_checks_of_each_suggestion_ended(api: Client) -> None:
    checks = {check["field"]: check for check in (await api.get("/jobs/1"))["checks"]}

    assert checks["correspondent"]["value"]["text"] == "Redwood Analytics"
    assert checks["correspondent"]["left_for"] == []
    assert {"check": "evidence_shows_the_name", "passed": True, "doubt": None} in (
        checks["correspondent"]["checks"]
    )


async def test_a_check_that_failed_is_shown_with_its_reason(
    api: Client, services: Services, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, content="Stromrechnung\nStadtwerke Musterstadt GmbH\n31.12.2099\n")
    job = (await process(services, 1)).job

    checks = {check["field"]: check for check in (await api.get(f"/jobs/{job.id}"))["checks"]}

    first = checks["date"]["checks"][0]
    assert first == {"check": "date_is_plausible", "passed": False, "doubt": "date_in_future"}


@pytest.mark.usefixtures("reviewed")
async def test_a_job_tells_its_story_page_by_page(api: Client) -> None:
    first = await api.page("/jobs/1/events", limit=2)
    rest = await api.page("/jobs/1/events", after=first["next"])

    names = [event["name"] for event in first["items"] + rest["items"]]
    assert names[:2] == ["enqueued", "claimed"]
    assert names[-1] == "completed"


async def test_an_analysis_is_answered_at_once_with_the_job(
    api: Client, services: Services
) -> None:
    job = await api.post("/analyses", {"document": "home/2", "priority": "new"}, status=202)

    assert (job["status"], job["priority"], job["asked_by"]) == ("pending", 10, "admin")
    assert api.rig.life.wake_count == 1
    assert (await services.store.jobs.get(job["id"])).document == home(2)


async def test_who_asks_twice_gets_the_same_job(api: Client) -> None:
    first = await api.post("/analyses", {"document": "home/2"}, status=202)

    assert await api.post("/analyses", {"document": "home/2"}, status=202) == first


async def test_an_analysis_is_queued_though_paperless_is_away(
    api: Client, sandbox: Sandbox
) -> None:
    sandbox.paperless.faults.add(Fault(effect=Answer(status=503)))

    job = await api.post("/analyses", {"document": "home/2"}, status=202)

    assert job["status"] == "pending"


async def test_a_job_is_cancelled_and_started_again(api: Client, services: Services) -> None:
    await scan(services)

    cancelled = await api.post("/jobs/1/cancel", {"why": "not now"})
    again = await api.post("/jobs/1/retry")

    assert (cancelled["status"], cancelled["cancel_requested"]) == ("cancelled", "admin: not now")
    assert (again["status"], again["attempts"]) == ("pending", 0)
    assert api.rig.life.wake_count == 2


async def test_all_failed_jobs_of_a_cause_are_started_again(
    api: Client, services: Services
) -> None:
    await scan(services)
    for _ in range(2):
        job = await services.store.jobs.claim(worker="worker", now=services.context.clock())
        assert job is not None
        await services.store.jobs.fail(job, PROBLEM, now=services.context.clock())
    assert len(await api.get("/jobs", cause=PROBLEM.code)) == 2

    other = await api.post("/jobs/retry", {"cause": "unexpected"})
    started = await api.post("/jobs/retry", {"cause": PROBLEM.code, "instance": "home"})

    assert other == {"jobs": [], "refused": []}
    assert {job["status"] for job in started["jobs"]} == {"pending"}
    assert len(started["jobs"]) == 2


@pytest.mark.parametrize(
    ("method", "path", "body", "refused"),
    [
        ("GET", "/jobs/4711", None, (404, "job_not_found")),
        ("GET", "/jobs/0", None, (422, "invalid")),
        ("GET", "/jobs/9007199254740992", None, (422, "invalid")),
        ("GET", "/jobs?instance=nowhere", None, (404, "instance_unknown")),
        ("GET", "/jobs?after=x", None, (422, "invalid")),
        ("GET", "/jobs?nonsense=1", None, (422, "invalid")),
        ("GET", "/jobs/4711/events", None, (404, "job_not_found")),
        ("POST", "/jobs/1/retry", None, (409, "wrong_move")),
        ("POST", "/jobs/4711/cancel", None, (404, "job_not_found")),
        ("POST", "/analyses", {"document": "home/4711"}, (404, "document_gone")),
        ("POST", "/analyses", {"document": "nowhere/1"}, (404, "instance_unknown")),
        ("POST", "/analyses", {"document": "1"}, (422, "invalid")),
        ("POST", "/analyses", {"document": "home/1", "priority": "now"}, (422, "invalid")),
        ("DELETE", "/jobs/1", None, (405, "method_not_allowed")),
    ],
)
async def test_what_cannot_be_done_is_reported_in_the_one_shape(
    api: Client, services: Services, method: str, path: str, body: object, refused: tuple[int, str]
) -> None:
    await scan(services)

    assert await api.refused(method, path, body) == refused


async def test_an_ignored_document_is_not_analysed(api: Client) -> None:
    await api.post("/documents/home/2/ignore")

    refused = await api.refused("POST", "/analyses", {"document": "home/2"})

    assert refused == (409, "document_ignored")


REQUESTS = (
    ("POST", "/analyses", {"document": "home/2"}),
    ("POST", "/jobs/1/cancel", None),
    ("POST", "/jobs/1/retry", None),
)


@pytest.mark.parametrize(("method", "path", "body"), REQUESTS)
async def test_who_may_only_read_does_nothing(
    api: Client, services: Services, method: str, path: str, body: object
) -> None:
    await scan(services)
    api.become(READER)

    assert await api.refused(method, path, body) == (403, "not_allowed")
    assert api.rig.life.wake_count == 0


@pytest.mark.parametrize("path", ["/jobs", "/jobs/1", "/instances", "/stats", "/openapi-not"])
async def test_nobody_sees_anything_without_being_known(
    api: Client, services: Services, path: str
) -> None:
    await scan(services)
    api.become(None)

    status, _ = await api.refused("GET", path)

    assert status == (404 if path == "/openapi-not" else 401)


@pytest.mark.usefixtures("reviewed")
async def test_what_belongs_to_another_instance_is_not_there(api: Client) -> None:
    api.become(STRANGER)

    assert await api.get("/jobs") == []
    for path in ("/jobs/1", "/jobs/1/events"):
        assert await api.refused("GET", path) == (404, "job_not_found")
    for path, body in (("/jobs/1/cancel", None), ("/jobs/1/retry", None)):
        assert await api.refused("POST", path, body) == (404, "job_not_found")
    assert await api.post("/jobs/retry", {}) == {"jobs": [], "refused": []}
    refused = await api.refused("POST", "/analyses", {"document": "home/1"})
    assert refused == (404, "instance_unknown")
