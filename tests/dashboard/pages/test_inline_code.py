"""Words in backticks are shown as code, and nothing else of a text becomes markup."""

import httpx
import pytest

from daemon.services import Services
from dashboard.rendering import format_code
from tests.dashboard.conftest import DashboardRig


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("use `paperclerk check`", "use <code>paperclerk check</code>"),
        ("one ` alone", "one ` alone"),
        ("`<b>` & \u202etext", "<code>&lt;b&gt;</code> &amp; text"),
        (
            "as [Apprise](https://a.test/) has it",
            "as Apprise (<code>https://a.test/</code>) has it",
        ),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
    ],
)
def test_backticks_become_code_and_the_rest_is_escaped(text: str, shown: str) -> None:
    assert format_code(text) == shown


async def test_german_settings_say_in_german_what_each_means(
    services: Services, services_rig: DashboardRig, browser: httpx.AsyncClient
) -> None:
    page = (await browser.get("/settings", headers={"accept-language": "de"})).text

    assert "Adresse, unter der Paperclerk Paperless erreicht, ohne <code>/api</code>" in page
    assert "How long" not in page
