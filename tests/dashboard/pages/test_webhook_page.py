"""The page of the webhook: what it shows, and its button."""

import re
from dataclasses import replace

import httpx
import pytest

from core.access import WEBHOOK_HEADER, Permission, hash_secret
from core.settings import WebSettings
from daemon.services import Services
from dashboard.auth import Person
from sandbox import Sandbox
from tests.dashboard.conftest import DashboardRig, open_browser

PAGE = "/instances/home/webhook"
HOOK = "http://paperclerk:8484/hooks/paperless/home"


@pytest.fixture
def services_rig(services_rig: DashboardRig) -> DashboardRig:
    """A dashboard whose address Paperless knows."""
    settings = services_rig.context.settings
    web = WebSettings(internal_url="http://paperclerk:8484")
    daemon = settings.daemon.model_copy(update={"web": web})
    services_rig.context = replace(services_rig.context, settings=replace(settings, daemon=daemon))
    return services_rig


async def test_the_button_installs_the_workflow_and_shows_no_secret(
    browser: httpx.AsyncClient, sandbox: Sandbox
) -> None:
    sandbox.world.users["paperclerk"].permissions |= {"view_workflow", "add_workflow"}

    before = (await browser.get(PAGE)).text
    installed = await browser.post(PAGE)
    after = (await browser.get(PAGE)).text

    assert "Not installed." in before
    assert HOOK in before
    assert (installed.status_code, installed.headers["location"].split("?")[0]) == (303, PAGE)
    assert [workflow.name for workflow in sandbox.world.workflows.values()] == ["Paperclerk (home)"]
    assert "<p>Installed.</p>" in after
    assert "pcw_" not in after
    assert f'href="{PAGE}"' in (await browser.get("/settings")).text


async def test_without_the_permission_the_page_shows_once_what_to_enter(
    browser: httpx.AsyncClient, services: Services
) -> None:
    page = (await browser.post(PAGE)).text
    again = (await browser.get(PAGE)).text

    [secret] = set(re.findall(r"pcw_[\w-]+", page))
    stored = await services.store.webhooks.get("home")
    assert stored is not None
    assert stored.secret_hash == hash_secret(secret)
    for text in ("Paperclerk (home)", HOOK, "{{doc_url}}", WEBHOOK_HEADER):
        assert text in page
    assert secret not in again
    assert "Its workflow in Paperless cannot be read." in again


async def test_without_an_internal_address_the_page_says_what_to_set(
    services_rig: DashboardRig,
) -> None:
    settings = services_rig.context.settings
    daemon = settings.daemon.model_copy(update={"web": WebSettings()})
    context = replace(services_rig.context, settings=replace(settings, daemon=daemon))

    async with open_browser(replace(services_rig, context=context)) as other:
        answer = await other.post(PAGE)

    assert answer.status_code == 409
    assert "web.internal_url" in answer.text


async def test_only_an_administrator_of_everything_sees_it(services_rig: DashboardRig) -> None:
    for person in (
        Person("reader", Permission.ACT),
        Person("of home", Permission.ADMIN, frozenset({"home"})),
    ):
        services_rig.authenticator.person = person
        async with open_browser(services_rig) as browser:
            assert (await browser.get(PAGE)).status_code == 403
            assert (await browser.post(PAGE)).status_code == 403
            assert PAGE not in (await browser.get("/settings")).text
