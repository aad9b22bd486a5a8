"""Pages ask a person whether a changed address leads to the same documents."""

import httpx

from core.access import Permission
from core.holds import address_target
from daemon.services import Services
from dashboard.auth import Person
from processor.holds import build_mismatch
from tests.dashboard.conftest import DashboardRig, open_browser
from tests.installation import HOME

FORMER = "http://127.0.0.1:9"
CONFIRM = "/instances/home/confirm-address"


async def hold_for_other_documents(services: Services) -> None:
    """Leave the instance as a check leaves it that found other documents at its address."""
    url, now = services.instances[HOME].url, services.context.clock()
    await services.store.instances.set_url(HOME, FORMER)
    await services.store.holds.place(
        address_target(HOME), build_mismatch(url), next_probe_at=None, now=now
    )


async def stored_url(services: Services) -> str | None:
    stored = await services.store.instances.get(HOME)
    assert stored is not None
    return stored.url


async def test_the_button_accepts_the_new_address(
    services: Services, browser: httpx.AsyncClient
) -> None:
    await hold_for_other_documents(services)

    before = (await browser.get("/")).text
    in_german = (await browser.get("/", headers={"Accept-Language": "de"})).text
    after = (await browser.post(CONFIRM, data={"back": "/"}, follow_redirects=True)).text

    assert f'action="{CONFIRM}"' in before
    assert "These are the same documents" in before
    assert "Es sind dieselben Dokumente" in in_german
    assert "home uses the new address." in after
    assert CONFIRM not in after
    assert await stored_url(services) == services.instances[HOME].url
    assert await services.store.holds.list_active() == ()


async def test_only_who_may_act_is_asked(services: Services, services_rig: DashboardRig) -> None:
    await hold_for_other_documents(services)
    services_rig.authenticator.person = Person("reader", Permission.READ)

    async with open_browser(services_rig) as browser:
        page = (await browser.get("/")).text
        answer = await browser.post(CONFIRM)

    assert "are not those that Paperclerk knows" in page
    assert CONFIRM not in page
    assert answer.status_code == 403
    assert await stored_url(services) == FORMER
