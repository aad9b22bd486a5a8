"""A scan that costs more than the owner allows without asking must be confirmed."""

from collections.abc import AsyncIterator

import pytest

from daemon.services import Services
from tests.dashboard.api_client import V1, build_rig
from tests.dashboard.conftest import DashboardRig, open_browser
from tests.installation import Installation

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
    assert "3 documents" in question.text
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
