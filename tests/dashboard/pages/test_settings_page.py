"""The page with the current settings."""

from dataclasses import replace

from core.messages import message
from core.settings import SettingError
from tests.dashboard.api_client import READER, limited_to
from tests.dashboard.conftest import DashboardRig, open_browser
from tests.installation import HOME

RENAMED = SettingError("home.toml", 8, "scan.every", message("was renamed to {name}", name="x.y"))


async def test_a_renamed_setting_is_named_with_its_line(services_rig: DashboardRig) -> None:
    settings = replace(services_rig.context.settings, warnings=(RENAMED,))
    services_rig.context = replace(services_rig.context, settings=settings)

    async with open_browser(services_rig) as browser:
        page = (await browser.get("/settings")).text
        services_rig.authenticator.person = limited_to(READER, HOME)
        limited = (await browser.get("/settings")).text

    assert "<b>home.toml:8</b> <code>scan.every</code> was renamed to x.y" in page
    assert "home.toml:8</b>" not in limited
