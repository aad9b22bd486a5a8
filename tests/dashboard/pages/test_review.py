"""One document in review: its neighbours, names of yours, conflicts, and reasons."""

import html
import json
import re

import httpx

from core.changes import ChangeState
from core.fields import FieldName
from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.model.behaviour import Behaviour
from tests.installation import changes_of, drain, fields_of, home, process, scan

NEW = "Stadtwerke Neustadt GmbH"


def form_of(page: str) -> dict[str, list[str]]:
    """Return what a browser would send of the review form."""
    form: dict[str, list[str]] = {"seen": re.findall(r'name="seen" value="(\d+)"', page)}
    form["take"] = re.findall(r'name="take" value="([^"]+)"(?: checked)?>', page)
    for key, value in re.findall(r'<input name="(value:[^"]+)" value="([^"]*)"', page):
        form[key] = [html.unescape(value)]
    return form


def write_from_someone_new(sandbox: Sandbox) -> None:
    known, new = "Stadtwerke Musterstadt", "Stadtwerke Neustadt"
    sandbox.world.edit(1, content=sandbox.world.documents[1].content.replace(known, new))


async def a_conflict(services: Services, browser: httpx.AsyncClient, sandbox: Sandbox) -> None:
    """Accept a title that someone has changed in Paperless meanwhile."""
    await process(services)
    form = form_of((await browser.get("/review/home/1")).text)
    sandbox.world.edit(1, title="Von Hand")
    await browser.post("/review/home/1/accept", data={**form, "only": ["title"]})
    await drain(services)
    assert (await changes_of(services))[FieldName.TITLE] == [ChangeState.CONFLICT]


async def test_keys_lead_to_the_document_before_and_after(
    browser: httpx.AsyncClient, services: Services
) -> None:
    await scan(services)
    await drain(services)
    listed = re.findall(
        r'class="doc" href="(/review/home/\d)"', (await browser.get("/review")).text
    )

    first, middle, last = [(await browser.get(path)).text for path in listed]

    assert f'data-key="j" href="{listed[1]}"' in first
    assert 'data-key="k"' not in first
    assert f'data-key="k" href="{listed[0]}"' in middle
    assert f'data-key="j" href="{listed[2]}"' in middle
    assert f'data-key="k" href="{listed[1]}"' in last
    assert 'data-key="j"' not in last


async def test_the_list_says_how_confident_the_model_is_only_where_it_suggests_something(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, content="~~ ;; |||")
    await process(services, 1)
    unreadable = (await browser.get("/review")).text
    await process(services, 2)
    both = (await browser.get("/review")).text

    assert "(no suggestion)" in unreadable
    assert "% confident" not in unreadable
    assert "% confident" in both


async def test_one_goes_on_within_the_instance_that_is_looked_at(
    browser: httpx.AsyncClient, services: Services
) -> None:
    await scan(services)
    await drain(services)

    filtered = (await browser.get("/review/home/2?instance=home")).text
    answer = await browser.post(
        "/review/home/2/reject", data={"next": "home/1", "instance": "home"}
    )

    assert "?instance=home" in re.findall(r'data-key="[jk]" href="([^"]+)"', filtered)[0]
    assert answer.headers["location"] == "/review/home/1?instance=home"


async def test_a_reason_is_kept_with_what_is_rejected(
    browser: httpx.AsyncClient, services: Services
) -> None:
    await process(services)
    form = form_of((await browser.get("/review/home/1")).text)
    form["take"].remove("title")

    await browser.post("/review/home/1/accept", data={**form, "why": "<b>not mine</b>"})
    page = (await browser.get("/documents/home/1")).text

    assert page.count("Reason: &lt;b&gt;not mine&lt;/b&gt;") == 1


async def test_what_came_after_the_page_was_loaded_is_not_rejected(
    browser: httpx.AsyncClient, services: Services
) -> None:
    await process(services)
    seen = form_of((await browser.get("/review/home/1")).text)["seen"]
    await process(services)

    await browser.post("/review/home/1/reject", data={"seen": seen})

    assert await services.store.changes.list_for_review(document=home(1)) != ()


async def test_names_of_yours_stand_next_to_a_new_one_and_are_put_in_its_place(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    text = sandbox.world.documents[1].content.replace(
        "Stadtwerke Musterstadt", "Stadtwerke Neustadt"
    )
    sandbox.world.edit(1, content=text)
    await process(services)

    page = (await browser.get("/review/home/1")).text
    links = dict(re.findall(r'class="alternative" href="([^"]+)"[^>]*>([^<]+)</a>', page))
    chosen = next(link for link, name in links.items() if name == "Stadtwerke Musterstadt")
    filled = (await browser.get(html.unescape(chosen))).text

    assert form_of(page)["value:correspondent"] == [NEW]
    assert form_of(filled)["value:correspondent"] == ["Stadtwerke Musterstadt"]


async def test_without_paperless_the_page_tells_what_it_knows(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    text = sandbox.world.documents[1].content.replace(
        "Stadtwerke Musterstadt", "Stadtwerke Neustadt"
    )
    sandbox.world.edit(1, content=text)
    await process(services)
    services.instances["home"].catalogue.invalidate()
    sandbox.paperless.faults.add(
        Fault(path="/api/.*", times=None, effect=Answer(status=503, body="no"))
    )

    page = await browser.get("/review/home/1")

    assert page.status_code == 200
    assert form_of(page.text)["value:correspondent"] == [NEW]


async def test_a_conflict_is_reported_with_both_ways_out(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    await a_conflict(services, browser, sandbox)

    page = (await browser.get("/review/home/1")).text

    assert "Changed in Paperless in the meantime" in page
    assert '<span class="was">Von Hand</span>' in page
    assert page.count('name="only" value="title"') == 2


async def test_theirs_is_kept_and_the_rest_goes_on_waiting(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    await a_conflict(services, browser, sandbox)
    form = form_of((await browser.get("/review/home/1")).text)

    answer = await browser.post("/review/home/1/reject", data={**form, "only": ["title"]})
    await drain(services)

    assert answer.headers["location"] == "/review/home/1"
    assert fields_of(sandbox)["title"] == "Von Hand"
    states = await changes_of(services)
    assert states[FieldName.TITLE] == [ChangeState.REJECTED]
    assert states[FieldName.DATE] == [ChangeState.PROPOSED]


async def test_mine_is_used_and_the_rest_goes_on_waiting(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    await a_conflict(services, browser, sandbox)
    form = form_of((await browser.get("/review/home/1")).text)

    await browser.post("/review/home/1/accept", data={**form, "only": ["title"]})
    await drain(services)

    assert fields_of(sandbox)["title"] == form["value:title"][0]
    assert (await changes_of(services))[FieldName.DATE] == [ChangeState.PROPOSED]


async def test_evidence_that_the_model_did_not_quote_is_marked(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    found = {"value": "2026-08-31", "evidence": "Stadtwerke Musterstadt", "confidence": 0.9}
    sandbox.model.behave(Behaviour(answer=json.dumps({"date": found})))
    await process(services)
    words = "found by Paperclerk, not quoted by the model"
    paths = ("/review/home/1", "/documents/home/1")

    pages = [(await browser.get(path)).text for path in paths]
    german = (await browser.get("/review/home/1", headers={"Accept-Language": "de"})).text

    assert [page.count(words) for page in pages] == [1, 1]
    assert "<q>Rechnungsdatum: 31.08.2026</q>" in pages[0]
    assert "von Paperclerk gefunden, nicht vom Modell angegeben" in german
