"""Test Paperless and the model at a click."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest

from core.holds import Hold
from daemon.services import Services
from dashboard.connection_tests import run_test
from dashboard.context import Finding
from sandbox import Sandbox
from sandbox.faults import Answer, Delay, Fault
from tests.builders import because
from tests.dashboard.api_client import READER, STRANGER, Client
from tests.dashboard.conftest import DashboardRig, open_browser
from tests.installation import COMPLETIONS

OLD = {"accept-language": "de"}


def target_of(services: Services, what: str) -> str:
    instance = services.instances["home"]
    return instance.model_target if what == "model" else instance.paperless_target


async def held(services: Services, what: str) -> None:
    """Let something rest that is asked again in five minutes."""
    now = services.context.clock()
    await services.store.holds.place(
        target_of(services, what),
        because("away"),
        next_probe_at=now + timedelta(minutes=5),
        now=now,
    )


async def due(services: Services) -> tuple[Hold, ...]:
    return await services.store.holds.list_due(now=services.context.clock())


async def test_a_test_is_done_at_a_click_and_not_by_looking(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    looked = await browser.get("/settings/home/model")
    asked = len(sandbox.model.state.chats())

    tested = await browser.post("/settings/home/model")

    assert (looked.status_code, asked) == (200, 0)
    assert "All tests passed." in tested.text
    assert "valid, response format json_schema" in tested.text
    assert len(sandbox.model.state.chats()) == 1


@pytest.mark.parametrize("what", ["paperless", "model"])
async def test_what_is_well_again_is_probed_at_once(
    browser: httpx.AsyncClient, services_rig: DashboardRig, services: Services, what: str
) -> None:
    await held(services, what)

    page = (await browser.post(f"/settings/home/{what}")).text

    assert "It is being retried now" in page
    assert [hold.target for hold in await due(services)] == [target_of(services, what)]
    assert services_rig.life.wake_count == 1


@pytest.mark.parametrize("tested", ["paperless", "model"])
async def test_a_test_has_nothing_else_probed(
    browser: httpx.AsyncClient, services: Services, tested: str
) -> None:
    await held(services, "model" if tested == "paperless" else "paperless")

    page = (await browser.post(f"/settings/home/{tested}")).text

    assert "All tests passed." in page
    assert "It is being retried now" not in page
    assert await due(services) == ()


async def test_what_is_still_away_is_probed_at_its_time(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    await held(services, "paperless")
    sandbox.paperless.faults.add(
        Fault(path="/api/.*", times=None, effect=Answer(status=503, body="down"))
    )

    page = (await browser.post("/settings/home/paperless")).text

    assert "It is being retried now" not in page
    assert await due(services) == ()


async def test_what_is_wrong_is_reported_with_what_to_do(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    gone = Fault(path="/api/.*", times=None, effect=Answer(status=503, body="<b>down</b>"))
    sandbox.paperless.faults.add(gone)

    page = (await browser.post("/settings/home/paperless", headers=OLD)).text

    assert "1 von 1 fehlgeschlagen." in page
    assert '<span class="hint">' in page
    assert "<b>down</b>" not in page


async def test_well_is_said_in_german_too(browser: httpx.AsyncClient, services: Services) -> None:
    page = (await browser.post("/settings/home/paperless", headers=OLD)).text

    assert "3 Dokumente sind für den Benutzer des Tokens sichtbar" in page


async def test_a_test_that_does_not_end_is_given_up(
    services_rig: DashboardRig, sandbox: Sandbox, services: Services
) -> None:
    sandbox.model.state.faults.add(Fault(path=COMPLETIONS, effect=Delay(seconds=30.0)))

    found = await run_test(services_rig.context, "model", "home", patience=timedelta(seconds=1))

    results = [(finding.name, finding.ok) for finding in found.findings]
    assert results == [("Model", True), ("Time", False)]
    assert str(found.findings[-1].summary) == "No response within 1 seconds."
    sandbox.model.state.faults.release()


@pytest.mark.parametrize("path", ["/settings/home/moon", "/settings/attic/model"])
async def test_what_cannot_be_tested_is_not_found(
    browser: httpx.AsyncClient, services: Services, path: str
) -> None:
    assert (await browser.get(path)).status_code == 404
    assert (await browser.post(path)).status_code == 404


async def test_who_may_only_read_tests_nothing(
    browser: httpx.AsyncClient, services_rig: DashboardRig, services: Services, sandbox: Sandbox
) -> None:
    services_rig.authenticator.person = READER

    page = await browser.get("/settings")
    tested = await browser.post("/settings/home/model")

    assert "/settings/home/model" not in page.text
    assert tested.status_code == 403
    assert sandbox.model.state.chats() == []


async def test_programs_test_as_well(services_rig: DashboardRig, services: Services) -> None:
    async with services_rig.client() as http:
        api = Client(http, services_rig)
        findings = await api.post("/instances/home/test/paperless")
        api.become(STRANGER)
        refused = await api.refused("POST", "/instances/home/test/paperless")

    assert {"name", "ok", "message", "hint"} == set(findings[0])
    assert all(finding["ok"] for finding in findings)
    assert refused == (404, "instance_unknown")


async def test_settings_tell_the_version(browser: httpx.AsyncClient, services: Services) -> None:
    page = (await browser.get("/settings")).text

    assert "Paperclerk 1.2.3" in page
    assert "SQLite" in page


async def test_an_advice_is_text_whatever_a_server_says(
    services_rig: DashboardRig, services: Services
) -> None:
    """What servers say stands among the values, where a brace means nothing."""
    looked = services_rig.context.connection_tests["model"]

    async def strange(instance: str) -> AsyncIterator[Finding]:
        async for finding in looked(instance):
            said = replace(finding.summary, values={**finding.summary.values, "model": "{url}<i>"})
            yield replace(finding, summary=said)  # type: ignore[type-var]  # a dataclass

    rig = replace(
        services_rig, context=replace(services_rig.context, connection_tests={"model": strange})
    )
    async with open_browser(rig) as browser:
        page = (await browser.post("/settings/home/model")).text

    assert "{url}&lt;i&gt; at http" in page


async def test_numbers_are_written_as_the_language_does(
    services_rig: DashboardRig, services: Services
) -> None:
    looked = services_rig.context.connection_tests["model"]

    async def large(instance: str) -> AsyncIterator[Finding]:
        async for finding in looked(instance):
            figures = {"seconds": 2.0, "tokens_in": 1064} if finding.name == "Answer" else {}
            said = replace(finding.summary, values={**finding.summary.values, **figures})
            yield replace(finding, summary=said)  # type: ignore[type-var]  # a dataclass

    rig = replace(
        services_rig, context=replace(services_rig.context, connection_tests={"model": large})
    )
    async with open_browser(rig) as browser:
        page = (await browser.post("/settings/home/model", headers=OLD)).text

    assert "2,0 s, 1.064 Eingabe-Tokens" in page
