"""Resume on the pages, and the messages about what is still paused."""

import pytest

from actions import instances
from core.holds import PAUSE_ALL
from daemon.services import Services
from tests.dashboard.api_client import limited_to
from tests.dashboard.conftest import ADMIN, DashboardRig, open_browser

PAGE = {"accept": "text/html"}


@pytest.mark.parametrize(
    ("paused", "name", "expected", "left"),
    [
        (["home"], "home", "home resumed.", set()),
        (["home", None], "home", "Everything resumed: all instances were paused.", set()),
        ([None], "home", "Everything resumed: all instances were paused.", set()),
        ([], "home", "home was not paused.", set()),
        ([None], "nonsense", "Instance not found.", {PAUSE_ALL}),
    ],
)
async def test_resume_says_what_goes_on_and_a_refusal_resumes_nothing(
    services_rig: DashboardRig,
    services: Services,
    paused: list[str | None],
    name: str,
    expected: str,
    left: set[str],
) -> None:
    for target in paused:
        await instances.pause(services.caller, target)
    async with open_browser(services_rig) as client:
        await client.post(f"/instances/{name}/resume", data={})

        page = await client.get("/")

    assert expected in page.text
    assert {hold.target for hold in await services.store.holds.list_active()} == left


async def test_a_person_who_sees_some_instances_learns_that_everything_is_still_paused(
    services_rig: DashboardRig, services: Services
) -> None:
    for target in ("home", None):
        await instances.pause(services.caller, target)
    services_rig.authenticator.person = limited_to(ADMIN, "home")
    async with open_browser(services_rig) as client:
        await client.post("/instances/home/resume", data={})

        page = await client.get("/")

    assert "All instances are paused. home resumes when you resume all of them." in page.text
    assert [hold.target for hold in await services.store.holds.list_active()] == [PAUSE_ALL]


async def test_an_instance_that_nobody_knows_is_reported_in_words(
    services_rig: DashboardRig,
) -> None:
    async with services_rig.client() as client:
        client.headers.update(PAGE)
        await client.post("/retry", data={"cause": "any", "instance": "elsewhere"})
        page = await client.get("/activity")

    assert "Instance not found." in page.text
