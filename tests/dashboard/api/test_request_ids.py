"""Each request has an id, which its response, its jobs and its events keep."""

import pytest

from daemon.services import Services
from tests.dashboard.api_client import V1, build_rig


async def test_the_id_of_a_request_is_in_its_response_its_job_and_its_event(
    services: Services,
) -> None:
    async with build_rig(services).client() as http:
        answer = await http.post(
            f"{V1}/analyses", json={"document": "home/2"}, headers={"X-Request-ID": "backup-17.a"}
        )
        job = answer.json()
        events = (await http.get(f"{V1}/jobs/{job['id']}/events")).json()["items"]

    assert answer.headers["x-request-id"] == "backup-17.a"
    assert job["request_id"] == "backup-17.a"
    assert [event["data"]["request_id"] for event in events] == ["backup-17.a"]


@pytest.mark.parametrize("given", [None, "", "two words", "x" * 65, "<b>"])
async def test_a_request_without_a_usable_id_gets_a_random_one(
    services: Services, given: str | None
) -> None:
    headers = {} if given is None else {"X-Request-ID": given}
    async with build_rig(services).client() as http:
        first = await http.get(f"{V1}/jobs", headers=headers)
        second = await http.get(f"{V1}/jobs", headers=headers)

    ids = [answer.headers["x-request-id"] for answer in (first, second)]
    assert [len(id_) for id_ in ids] == [32, 32]
    assert ids[0] != ids[1]
