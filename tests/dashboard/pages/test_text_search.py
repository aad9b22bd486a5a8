"""The search page shows what the archive index has found, and the overview asks about it."""

import httpx
import pytest

from daemon.services import Services
from sandbox import Sandbox
from tests.installation import HOME, Installation


@pytest.fixture
async def index(services: Services, sandbox: Sandbox) -> None:
    sandbox.world.edit(2, content="Ein <b>Vertragsentwurf</b> für die Wohnung", title="Entwurf")
    await services.index_fillers[HOME].update()


@pytest.mark.usefixtures("index")
async def test_a_snippet_is_shown_with_the_words_marked_and_escaped(
    browser: httpx.AsyncClient,
) -> None:
    page = (await browser.get("/documents", params={"q": "entwurf wohnung"})).text

    assert "&lt;b&gt;<mark>Vertragsentwurf</mark>&lt;/b&gt; für die <mark>Wohnung</mark>" in page


@pytest.mark.usefixtures("index")
async def test_a_filter_limits_the_text_search(browser: httpx.AsyncClient) -> None:
    page = (await browser.get("/documents", params={"q": "wohnung", "tag": "Bank"})).text

    assert "No document contains all of these words." in page
    assert 'name="tag" value="Bank"' in page


@pytest.mark.parametrize("query", ["since=2026-02-31", "since=gestern", "after=x"])
async def test_a_search_that_cannot_be_read_is_refused(
    browser: httpx.AsyncClient, query: str
) -> None:
    assert (await browser.get(f"/documents?q=a&{query}")).status_code == 400


async def test_an_index_that_is_being_built_is_mentioned(browser: httpx.AsyncClient) -> None:
    page = (await browser.get("/documents", params={"q": "wohnung"})).text

    assert "home is not searched yet: its index is being built." in page


class TestWithIncludeTags:
    """The owner lets Paperclerk read only documents with a tag."""

    @pytest.fixture
    def installation(self, installation: Installation) -> Installation:
        installation.configure('[scan]\ninclude_tags = ["Bank"]\n')
        return installation

    async def test_the_overview_asks_once(self, browser: httpx.AsyncClient) -> None:
        question = "Search the whole archive of home?"
        assert question in (await browser.get("/")).text

        answered = await browser.post(
            "/instances/home/index", data={"choice": "processed"}, follow_redirects=True
        )

        assert "Only processed documents of home will be indexed." in answered.text
        assert question not in (await browser.get("/")).text
