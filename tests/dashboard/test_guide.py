"""What the guide says of the dashboard, tried."""

import re
from collections.abc import Iterator

from tests.dashboard.auth.conftest import AuthSite, csrf_of, open_site
from tests.dashboard.conftest import DashboardRig
from tests.i18n.extract import in_templates
from tests.pages import ROOT, Page, page

KNOCK = "/api/v1/knock"
NAS = {"host": "nas", "http_host": "nas:8080", "scheme": "http", "proxy_add_x_forwarded_for": ""}
"""What nginx knows of a browser that opened http://nas:8080."""
_WAY = re.compile(r"\*(Overview|Review|Activity|History|Costs|Settings) > ([^*]+)\*")


def ways() -> Iterator[str]:
    """Yield where the guide sends its reader, behind the page that it begins with."""
    for path in sorted(ROOT.glob("docs/**/*.md")):
        for _, rest in _WAY.findall(Page(path).prose.replace("\n", " ")):
            yield from rest.split(" > ")


def headers_by_nginx() -> dict[str, str]:
    """Return what nginx sends on, set up as the guide says."""
    guide = page("docs/how-to/reverse-proxy-and-login.md").text
    said = re.findall(r"proxy_set_header (\S+) \$(\w+);", guide)
    return {name.lower(): NAS[value] for name, value in said}


def test_where_the_guide_sends_one_there_is_something_of_that_name() -> None:
    found = list(ways())

    assert found
    assert [name for name in found if name not in dict(in_templates())] == []


async def test_forms_are_taken_behind_nginx_as_the_guide_sets_it_up(rig: DashboardRig) -> None:
    """Also on a port of its own without TLS, where a browser does not say from which site."""
    async with open_site(rig, trusted_proxies=("127.0.0.1",)) as site:
        taken = await _pressed(site, {**headers_by_nginx(), "origin": "http://nas:8080"})
        foreign = await _pressed(site, {**headers_by_nginx(), "origin": "http://nas:9090"})

    assert (taken, foreign) == (200, 403)


async def _pressed(site: AuthSite, headers: dict[str, str]) -> int:
    """Log in, and press a button."""
    browser = await site.logged_in_browser()
    form = {"csrf": await csrf_of(browser)}
    return (await browser.post(KNOCK, data=form, headers=headers)).status_code
