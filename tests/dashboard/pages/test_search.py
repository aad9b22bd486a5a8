"""The search for documents, as the page tells it."""

import httpx
import pytest
from sqlalchemy import insert

from core.documents import DocumentRef, DocumentState
from daemon.services import Services
from store.document_search import NEWEST
from store.engine import engines_for
from store.rows import new_document_row
from store.tables import documents
from tests.installation import Installation
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
