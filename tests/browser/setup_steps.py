"""The setup of an instance in a browser, step by step, up to the last one before saving."""

from collections.abc import Iterator

from playwright.sync_api import Page, expect

from sandbox import Sandbox
from tests.browser.sample_dashboard import SampleDashboard
from tests.waiting import LONG_MS

STEPS = ("setup-address", "setup-token", "setup-server", "setup-model", "setup-check")


def walk_setup(page: Page, dashboard: SampleDashboard) -> Iterator[str]:
    """Open each step, in any language, and yield its name."""
    sandbox: Sandbox = dashboard.installation.sandbox
    page.goto(f"{dashboard.url}/add-instance")
    expect(page.locator("#nearby > p")).to_be_visible(timeout=LONG_MS)
    page.fill("[name=name]", "cellar")
    page.fill("[name=url]", sandbox.url)
    yield STEPS[0]
    _continue(page, "token")
    page.fill("[name=token]", sandbox.token)
    yield STEPS[1]
    _continue(page, "server")
    expect(page.locator("#nearby > p")).to_be_visible(timeout=LONG_MS)
    page.fill("[name=url]", sandbox.model.base_url)
    yield STEPS[2]
    _continue(page, "model")
    page.fill("[name=owner_names]", "Erika Mustermann")
    yield STEPS[3]
    _continue(page, "check")
    expect(page.locator("[name=start]")).to_have_count(2, timeout=LONG_MS)
    yield STEPS[4]


def _continue(page: Page, step: str) -> None:
    page.locator("main button.primary").first.click()
    page.wait_for_url(f"**/add-instance/{step}")
