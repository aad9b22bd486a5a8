"""Where a suggestion in review comes from: an e-invoice, a pattern of titles."""

import html

import httpx
import pytest

from daemon.services import Services
from sandbox import Sandbox
from tests.dashboard.api_client import build_rig
from tests.dashboard.conftest import open_browser
from tests.dashboard.pages.test_review import form_of
from tests.e_invoices import an_xml
from tests.installation import Installation, drain, fields_of, process

BILL = {"seller": "Stadtwerke Musterstadt", "date": "20260831"}
SAME, OTHER = "The e-invoice inside the PDF says the same.", "E-invoice inside the PDF: "
RECOMPUTED = "Made from the other fields"


@pytest.mark.parametrize(
    ("day", "shown"), [("20260831", {SAME: 2, OTHER: 0}), ("20260915", {SAME: 1, OTHER: 1})]
)
async def test_both_values_are_shown_if_the_e_invoice_says_something_else(
    browser: httpx.AsyncClient,
    services: Services,
    sandbox: Sandbox,
    day: str,
    shown: dict[str, int],
) -> None:
    sandbox.world.documents[1].e_invoice = an_xml(BILL | {"date": day})
    await process(services)

    page = html.unescape((await browser.get("/review/home/1")).text)

    assert {text: page.count(text) for text in shown} == shown
    assert ("15 Sep 2026" in page) == (day == "20260915")


async def test_a_title_by_a_pattern_changes_with_an_edit_of_its_part(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure('[titles]\npattern = "{correspondent} {year}"\n')
    async with installation.open() as services, open_browser(build_rig(services)) as browser:
        await process(services)
        page = (await browser.get("/review/home/1")).text
        edited = form_of(page) | {"value:correspondent": ["Deutsche Telekontakt"]}

        await browser.post("/review/home/1/accept", data=edited)
        await drain(services)

    assert page.count(RECOMPUTED) == 1
    assert fields_of(sandbox)["title"] == "Deutsche Telekontakt 2026"
