"""The search for documents, as the page tells it."""

import re

import httpx
import pytest
from sqlalchemy import insert

from core.documents import DocumentRef, DocumentState
from daemon.services import Services
from store.document_search import NEWEST
from store.engine import engines_for
from store.rows import new_document_row
from store.tables import documents
from tests.dashboard.pages.test_review import form_of
from tests.installation import Installation, drain, enqueue_document
from tests.store.builders import NOON


@pytest.fixture
def titles(installation: Installation, services: Services) -> None:
    """More documents than are looked through for two letters; the oldest has a title of its own."""
    assert services.store is not None
    rows = [
        new_document_row(DocumentRef("home", number), DocumentState.DONE, title="Brief", now=NOON)
        for number in range(2, NEWEST + 2)
    ]
    oldest = DocumentRef("home", 1)
    first = new_document_row(oldest, DocumentState.DONE, title="Ärztin Qi <b>", now=NOON)
    engines = engines_for(None, installation.data)
    with engines.writer.begin() as connection:
        connection.execute(insert(documents), [first, *rows])
    engines.dispose()


@pytest.mark.usefixtures("titles")
async def test_a_page_says_when_only_the_newest_were_looked_through(
    browser: httpx.AsyncClient,
) -> None:
    two, three, common = [
        (await browser.get("/documents", params={"q": words})).text
        for words in ("QI", "n qi", "br")
    ]

    said = "Only the newest 5,000 documents were searched."
    assert (said in two, "Ärztin" in two) == (True, False)
    assert (said in three, "Ärztin Qi &lt;b&gt;" in three) == (False, True)
    assert (said in common, "There may be more" in common) == (False, True)


@pytest.mark.usefixtures("titles")
async def test_umlauts_are_found_in_small_letters_and_large(browser: httpx.AsyncClient) -> None:
    for words in ("ärztin", "ÄRZT"):
        assert "Ärztin" in (await browser.get("/documents", params={"q": words})).text


async def test_a_document_whose_changes_were_all_undone_is_listed_as_such(
    browser: httpx.AsyncClient, services: Services
) -> None:
    async def badges() -> list[str]:
        listed = await browser.get("/documents", params={"q": "1"})
        german = await browser.get(
            "/documents", params={"q": "1"}, headers={"accept-language": "de"}
        )
        found = [re.search(r'class="badge \w+">(.*?)<', page.text) for page in (listed, german)]
        return [badge[1] for badge in found if badge]

    await enqueue_document(services, 1)
    await drain(services)
    for_review = (await browser.get("/review/home/1")).text
    await browser.post("/review/home/1/accept", data=form_of(for_review))
    await drain(services)
    assert services.store is not None
    first, *_ = await services.store.changes.list_for_document(DocumentRef("home", 1))
    shown = [await badges()]
    for undone in ({"change": str(first.id)}, {"document": "home/1"}):
        await browser.post("/undo", data=undone)
        await drain(services)
        shown.append(await badges())
    await browser.post("/documents/home/1/process")
    await drain(services)
    shown.append(await badges())

    assert shown == [
        ["done", "erledigt"],
        ["done", "erledigt"],
        ["undone", "rückgängig gemacht"],
        ["for review", "zu prüfen"],
    ]
