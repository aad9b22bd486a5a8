"""Language and look: chosen by the browser, or by the person."""

import pytest

from tests.dashboard.auth.conftest import with_web_settings
from tests.dashboard.conftest import DashboardRig, open_browser


async def test_the_browser_says_the_language_until_the_person_does(rig: DashboardRig) -> None:
    async with rig.client() as client:
        asked = await client.get("/", headers={"accept-language": "de"})
        said = await client.post("/preferences", data={"language": "en", "back": "/"})
        then = await client.get("/", headers={"accept-language": "de"})

    assert '<html lang="de"' in asked.text
    assert (said.status_code, said.headers["location"]) == (303, "/")
    assert '<html lang="en"' in then.text


async def test_a_chosen_look_stays_until_the_system_is_asked_again(rig: DashboardRig) -> None:
    async with rig.client() as client:
        await client.post("/preferences", data={"theme": "dark"})
        dark = await client.get("/")
        await client.post("/preferences", data={"theme": "system"})
        system = await client.get("/")

    assert 'data-theme="dark"' in dark.text
    assert "data-theme" not in system.text


@pytest.mark.parametrize(
    ("said", "is_safe"),
    [({"x-forwarded-proto": "https"}, True), ({"x-forwarded-proto": "http"}, False), ({}, False)],
    ids=str,
)
async def test_behind_tls_no_cookie_goes_another_way(
    services_rig: DashboardRig, said: dict[str, str], *, is_safe: bool
) -> None:
    services_rig.context = with_web_settings(services_rig.context, trusted_proxies=("127.0.0.1",))

    async with open_browser(services_rig) as browser:
        look = await browser.post(
            "/preferences", data={"language": "de", "theme": "dark"}, headers=said
        )
        flash = await browser.post("/instances/home/pause", headers=said)

    given = [*look.headers.get_list("set-cookie"), *flash.headers.get_list("set-cookie")]
    assert [cookie.partition("=")[0] for cookie in given] == ["language", "theme", "flash"]
    assert ["Secure" in cookie for cookie in given] == [is_safe] * 3


async def test_a_stranger_is_not_believed_about_tls(services_rig: DashboardRig) -> None:
    async with open_browser(services_rig) as browser:
        tls = {"x-forwarded-proto": "https"}
        look = await browser.post("/preferences", data={"theme": "dark"}, headers=tls)

    assert "Secure" not in look.headers["set-cookie"]
