"""Documents, results, scans, instances and figures, through the API."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.analysis import Chunk
from daemon.services import Services
from scanner.scan import ScanOrder
from store.retention import RetentionPolicy
from tests.dashboard.api_client import ADMIN, STRANGER, V1, Client, api_of, limited_to
from tests.dashboard.conftest import DashboardRig
from tests.installation import Installation, enqueue_document, scan
from tests.query_counts import count_queries
from tests.store.builders import FakeClock, an_analysis

AT_ONCE = RetentionPolicy(
    events=timedelta(), results=timedelta(), jobs=timedelta(days=90), changes=timedelta(days=365)
)


@pytest.mark.usefixtures("reviewed")
class TestDocuments:
    async def test_they_are_listed_page_by_page(self, api: Client) -> None:
        first = await api.page("/documents", limit=2)
        rest = await api.page("/documents", limit=2, after=first["next"])

        assert first["next"] == "home/2"
        assert [item["id"] for item in first["items"] + rest["items"]] == [3, 2, 1]

    @pytest.mark.parametrize(
        ("query", "count"),
        [
            ({"state": "done"}, 3),
            ({"state": "ignored"}, 0),
            ({"instance": "home"}, 3),
            ({"title": "SCAN_0031"}, 1),
            ({"title": "%"}, 0),
        ],
        ids=str,
    )
    async def test_they_are_found(self, api: Client, query: dict[str, object], count: int) -> None:
        assert len(await api.get("/documents", **query)) == count

    async def test_one_tells_its_whole_life(self, api: Client) -> None:
        document = await api.get("/documents/home/1")

        assert document["known"]["state"] == "done"
        assert [job["status"] for job in document["jobs"]] == ["completed"]
        assert document["changes"]
        assert document["last_analysis"][-1]["name"] == "completed"

    async def test_one_that_nobody_met_has_no_life(self, api: Client) -> None:
        document = await api.get("/documents/home/4711")

        assert (document["known"], document["jobs"]) == (None, [])

    async def test_why_a_document_is_not_selected_is_explained(self, api: Client) -> None:
        selection = await api.get("/documents/home/1/selection")

        assert (selection["selected"], selection["reason"]) == (False, "done")
        gone = await api.refused("GET", "/documents/home/4711/selection")
        assert gone == (404, "document_gone")

    async def test_one_is_left_alone_and_not_any_more(self, api: Client) -> None:
        ignored = await api.post("/documents/home/1/ignore")
        back = await api.post("/documents/home/1/unignore")

        assert (ignored["state"], back["known"]["state"]) == ("ignored", "done")
        refused = await api.refused("POST", "/documents/home/1/unignore")
        assert refused == (409, "not_ignored")

    async def test_strangers_see_none(self, api: Client) -> None:
        api.become(STRANGER)

        assert await api.get("/documents") == []
        for path in ("/documents/home/1", "/documents/home/1/selection"):
            assert await api.refused("GET", path) == (404, "instance_unknown")


@pytest.mark.usefixtures("reviewed")
class TestResults:
    async def test_one_has_an_address_that_stays(self, api: Client) -> None:
        result = (await api.get("/jobs/1"))["result"]

        assert result["address"] == f"/api/v1/results/{result['id']}"
        assert await api.get(f"/results/{result['id']}") == result
        assert {suggestion["field"] for suggestion in result["suggestions"]} >= {"title"}

    async def test_one_tells_the_version_of_its_shape(self, api: Client) -> None:
        result = await api.get("/results/1")

        assert (result["schema_version"], result["part"]) == (1, None)

    async def test_a_partial_one_tells_of_which_part_it_is(
        self, api: Client, services: Services, clock: FakeClock
    ) -> None:
        await enqueue_document(services, 1)
        job = await services.store.jobs.claim(worker="worker", now=clock())
        assert job is not None
        said = replace(an_analysis(), part=Chunk(2, 3))
        saved = await services.store.results.save_chunk(job, said, now=clock())

        shown, result = await api.get(f"/jobs/{job.id}"), await api.get(f"/results/{saved.id}")

        assert result["part"] == {"number": 2, "of": 3}
        assert (result["kind"], shown["partial_results"]) == ("partial", [result])

    async def test_one_that_was_deleted_says_when(
        self, api: Client, services: Services, clock: FakeClock
    ) -> None:
        clock.advance(days=1)
        await services.store.retention.prune(AT_ONCE, now=clock())

        assert await api.refused("GET", "/results/1") == (410, "gone")
        api.become(STRANGER)
        assert await api.refused("GET", "/results/1") == (404, "result_not_found")

    async def test_one_that_never_was_is_not_found(self, api: Client) -> None:
        assert await api.refused("GET", "/results/4711") == (404, "result_not_found")
        api.become(STRANGER)
        assert await api.refused("GET", "/results/1") == (404, "result_not_found")


class TestErrors:
    @pytest.mark.parametrize("path", ["/jobs", "/openapi.json"])
    async def test_nobody_learns_how_to_be_known(self, rig: DashboardRig, path: str) -> None:
        rig.authenticator.person = None

        async with rig.client() as client:
            answer = await client.get(V1 + path)

        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")


class TestScans:
    async def test_one_is_asked_for_and_answered_at_once(self, api: Client) -> None:
        scan = await api.post("/scans", {"instance": "home", "limit": 2}, status=202)
        joined = await api.post("/scans", {"instance": "home", "limit": 2}, status=202)
        refused = await api.refused("POST", "/scans", {"instance": "home"})

        # Two documents are not what was asked for then.
        assert refused == (409, "scan_running")
        assert (scan["started_at"], scan["asked_by"], scan["limit"]) == (None, "admin", 2)
        assert joined == scan == await api.get("/scans/1")
        assert api.rig.life.wake_count == 2

    async def test_they_are_listed_with_their_reports(
        self, api: Client, services: Services
    ) -> None:
        await scan(services)
        await scan(services, ScanOrder(limit=1))

        first = await api.page("/scans", limit=1)
        rest = await api.get("/scans", after=first["next"], instance="home")

        assert first["items"][0]["skipped"] == {"queued": 3}
        assert [(scan["seen"], scan["enqueued"]) for scan in rest] == [(3, 3)]

    async def test_the_jobs_of_one_are_cancelled(self, api: Client, services: Services) -> None:
        await scan(services)

        cancelled = await api.post("/scans/1/cancel", {"why": "too many"})

        assert {job["status"] for job in cancelled} == {"cancelled"}
        assert len(cancelled) == 3

    async def test_strangers_see_and_start_none(self, api: Client, services: Services) -> None:
        await scan(services)
        api.become(STRANGER)

        assert await api.get("/scans") == []
        assert await api.refused("GET", "/scans/1") == (404, "scan_not_found")
        assert await api.refused("POST", "/scans/1/cancel") == (404, "scan_not_found")
        refused = await api.refused("POST", "/scans", {"instance": "home"})
        assert refused == (404, "instance_unknown")


class TestInstances:
    async def test_they_are_shown_with_how_they_stand(
        self, api: Client, services: Services
    ) -> None:
        await scan(services)

        [instance] = await api.get("/instances")

        assert instance == await api.get("/instances/home")
        assert (instance["instance"], instance["pending"], instance["holds"]) == ("home", 3, [])

    async def test_as_much_is_asked_however_many_they_are(self, installation: Installation) -> None:
        asked = []
        for name in ("attic", "cellar"):
            async with installation.open() as services, api_of(services) as api:
                with count_queries() as counted:
                    await api.get("/instances")
            asked.append(counted)
            (installation.config / f"{name}.toml").write_text(installation.sandbox.settings())

        assert asked[0] == asked[1]

    async def test_one_is_paused_and_goes_on(self, api: Client) -> None:
        await api.post("/instances/home/pause", {"why": "holiday"})
        paused = await api.get("/instances/home")
        resumed = await api.post("/instances/home/resume")

        assert [hold["cause"] for hold in paused["holds"]] == ["paused by admin: holiday"]
        assert resumed == {"was_paused": True, "still_paused": []}

    async def test_everything_is_paused_and_goes_on(self, api: Client) -> None:
        await api.post("/pause")
        resumed = await api.post("/instances/home/resume")
        every = await api.post("/resume")

        assert [hold["target"] for hold in resumed["still_paused"]] == ["pause:*"]
        assert (resumed["was_paused"], every["was_paused"]) == (False, True)

    async def test_who_sees_some_does_not_pause_all(self, api: Client) -> None:
        api.become(limited_to(ADMIN, "home"))

        assert await api.refused("POST", "/pause") == (403, "concerns_all")
        assert await api.refused("POST", "/resume") == (403, "concerns_all")
        await api.post("/instances/home/pause")

    async def test_strangers_see_none(self, api: Client) -> None:
        api.become(STRANGER)

        assert await api.get("/instances") == []
        assert await api.refused("GET", "/instances/home") == (404, "instance_unknown")
        for deed in ("pause", "resume"):
            refused = await api.refused("POST", f"/instances/home/{deed}")
            assert refused == (404, "instance_unknown")


@pytest.mark.usefixtures("reviewed")
class TestFigures:
    async def test_the_statistics_count_everything(self, api: Client) -> None:
        statistics = await api.get("/stats")

        assert statistics["instances"]["home"]["jobs"]["completed"] == 3
        assert statistics["instances"]["home"]["for_review"] == 3
        assert statistics["instances"]["home"]["today"]["calls"] == 3
        assert statistics["mean_seconds"] == 0

    async def test_a_month_tells_what_it_cost(self, api: Client) -> None:
        [this] = await api.get("/costs")
        [other] = await api.get("/costs", month="2026-01", instance="home")

        assert (this["month"], this["total"]["calls"]) == ("2026-12", 3)
        assert list(this["days"]) == ["2026-12-01"]
        assert (other["total"]["calls"], other["days"]) == (0, {})
        assert await api.refused("GET", "/costs?month=2026-13") == (422, "invalid")

    async def test_strangers_learn_nothing(self, api: Client) -> None:
        api.become(STRANGER)

        assert await api.get("/stats") == {"instances": {}, "mean_seconds": None}
        assert await api.get("/costs") == []
        refused = await api.refused("GET", "/costs?instance=home")
        assert refused == (404, "instance_unknown")
