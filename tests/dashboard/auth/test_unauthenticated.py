"""Whoever is not known is asked to log in, each in the way they understand."""

import pytest

from tests.dashboard.auth.conftest import PAGE, AuthSite
from tests.query_counts import count_queries

NAVIGATION = '<nav class="main"'


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/paper", "/login?next=%2Fpaper"),
        ("/paper?a=1&b=2", "/login?next=%2Fpaper%3Fa%3D1%26b%3D2"),
    ],
)
async def test_a_person_is_sent_to_the_login_page(site: AuthSite, path: str, location: str) -> None:
    answer = await (await site.browser(**PAGE)).get(path)

    assert (answer.status_code, answer.headers["location"]) == (303, location)


async def test_what_was_typed_into_a_form_is_not_sent_along(site: AuthSite) -> None:
    answer = await (await site.browser(**PAGE)).post("/paper", data={"secret": "yes"})

    assert (answer.status_code, answer.headers["location"]) == (303, "/login")


@pytest.mark.parametrize(
    ("path", "accept"), [("/api/v1/knock", PAGE["accept"]), ("/paper", "application/json")]
)
async def test_a_program_is_notified(site: AuthSite, path: str, accept: str) -> None:
    answer = await (await site.browser(accept=accept)).get(path)

    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "not_logged_in")


@pytest.mark.parametrize(
    ("shown", "location"),
    [
        ("http://clerk/jobs?all=1", "/login?next=%2Fjobs%3Fall%3D1"),
        ("http://clerk/", "/login"),
        ("", "/login"),
    ],
)
async def test_a_part_of_a_page_sends_the_whole_page_away(
    site: AuthSite, shown: str, location: str
) -> None:
    browser = await site.browser(**{"hx-request": "true", "hx-current-url": shown})

    answer = await browser.get("/paper")

    assert (answer.status_code, answer.headers["hx-redirect"]) == (401, location)
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_only_who_is_logged_in_finds_the_navigation_where_there_is_no_page(
    site: AuthSite,
) -> None:
    known, stranger = await site.logged_in_browser(), await site.browser()

    there = await known.get("/nowhere", headers=PAGE)
    with count_queries() as counted:
        elsewhere = await stranger.get("/nowhere", headers=PAGE)

    assert (there.status_code, NAVIGATION in there.text) == (404, True)
    assert (elsewhere.status_code, NAVIGATION in elsewhere.text) == (404, False)
    assert not counted


@pytest.mark.parametrize(("path", "status"), [("/paper", 403), ("/nowhere", 404)])
async def test_the_page_of_someone_else_learns_nothing_of_who_is_logged_in(
    site: AuthSite, path: str, status: int
) -> None:
    browser = await site.logged_in_browser()

    answer = await browser.post(path, data={"csrf": "guessed"}, headers=PAGE)

    assert (answer.status_code, NAVIGATION in answer.text) == (status, False)
    assert 'name="csrf"' not in answer.text
