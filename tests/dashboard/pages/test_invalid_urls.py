"""What nobody would type or a robot asks for is answered in words, in the person's language."""

import re
from collections.abc import Iterator

import httpx
import pytest
from fastapi.routing import iter_route_contexts

from dashboard import build_app
from tests.dashboard.conftest import DashboardRig, routes_within

NO_NUMBERS = ("abc", "0", "-1", "1.5", str(2**63), "9" * 30, "9" * 5000, "%00")
GERMAN = {"accept-language": "de"}
NO_PAGE = "Seite nicht gefunden."
NO_SENSE = "Die Anfrage ist ungültig."


def paths_with_a_number(rig: DashboardRig) -> Iterator[tuple[str, str]]:
    """Yield method and path of every route for people that has a number in it."""
    for route in iter_route_contexts(
        routes_within(build_app(rig.context, rig.authenticator)).routes
    ):
        path = str(route.path)
        if path.startswith("/api/") or not re.search(r"\{(number|job_id)\}", path):
            continue
        for method in sorted((route.methods or set()) - {"HEAD"}):
            yield method, path.replace("{instance}", "home")


@pytest.mark.parametrize("number", NO_NUMBERS, ids=lambda number: number[:10])
async def test_what_is_no_number_of_ours_names_no_page(
    services_rig: DashboardRig, browser: httpx.AsyncClient, number: str
) -> None:
    asked = list(paths_with_a_number(services_rig))

    answers = {}
    for method, path in asked:
        address = re.sub(r"\{(number|job_id)\}", number, path)
        answer = await browser.request(method, address, headers=GERMAN)
        answers[method, path] = (answer.status_code, NO_PAGE in answer.text)

    assert len(asked) >= 14
    assert set(answers.values()) == {(404, True)}, answers


@pytest.mark.parametrize("number", ["abc", "-1", "1.5", str(2**63), "9" * 30], ids=str)
@pytest.mark.parametrize("page", ["/activity?before=", "/history?before=", "/review?page="])
async def test_what_is_no_place_in_a_list_makes_no_sense(
    browser: httpx.AsyncClient, page: str, number: str
) -> None:
    answer = await browser.get(page + number, headers=GERMAN)

    assert (answer.status_code, NO_SENSE in answer.text) == (400, True)


@pytest.mark.parametrize("address", ["/undo?document=home/", "/jobs/1/prompt?part="])
async def test_neither_does_a_number_that_no_document_has(
    browser: httpx.AsyncClient, address: str
) -> None:
    answer = await browser.get(address + "9" * 30, headers=GERMAN)

    assert (answer.status_code, NO_SENSE in answer.text) == (400, True)


@pytest.mark.parametrize("seen", ["abc", "", "9" * 30])
@pytest.mark.parametrize("deed", ["accept", "reject"])
async def test_nor_a_form_that_no_page_of_ours_has(
    browser: httpx.AsyncClient, deed: str, seen: str
) -> None:
    answer = await browser.post(f"/review/home/1/{deed}", data={"seen": seen}, headers=GERMAN)

    assert (answer.status_code, NO_SENSE in answer.text) == (400, True)


@pytest.mark.parametrize("month", ["0001-01", "1969-12", "9999-12", "2026-13", "abc", "9" * 30])
async def test_a_month_that_cannot_be_meant_is_this_one(
    browser: httpx.AsyncClient, month: str
) -> None:
    meant = await browser.get(f"/costs?month={month}")
    this = await browser.get("/costs")

    assert meant.status_code == 200
    assert heading_of(meant) == heading_of(this)


def heading_of(answer: httpx.Response) -> str:
    return answer.text.partition("<main")[2].partition("</h1>")[0]


async def test_what_only_a_button_does_is_described_in_words(browser: httpx.AsyncClient) -> None:
    english = await browser.get("/jobs/1/retry")
    german = await browser.get("/jobs/1/retry", headers=GERMAN)

    assert (english.status_code, german.status_code) == (405, 405)
    assert "This address only accepts forms" in english.text
    assert "Diese Adresse nimmt nur Formulare" in german.text
