"""The pages of the sandbox: current values of a document, and the pages of its file."""

from collections.abc import Iterator

import httpx
import pytest

from sandbox.paperless import Archive, Paperless, World, load_world
from sandbox.paperless.files import PAGES
from sandbox.paperless.loading import DOCUMENTS
from sandbox.server import Server

_MAX_BYTES = 1_500_000


@pytest.fixture(scope="module")
def archive() -> World:
    return load_world(Archive.ENGLISH.folder)


@pytest.fixture(scope="module")
def browser(archive: World) -> Iterator[httpx.Client]:
    """A browser that is not logged in."""
    with Server(Paperless(archive)) as server, httpx.Client(base_url=server.url) as browser:
        yield browser


def test_a_document_is_shown_with_its_values_of_the_moment(
    archive: World, browser: httpx.Client
) -> None:
    before = browser.get("/documents/22/").text
    archive.edit(22, title="Power & light", correspondent="Fairlight Energy", tags=["Electricity"])
    field = archive.find_custom_field("Paid")
    archive.documents[22].custom_fields[field.id] = True

    after = browser.get("/documents/22/")

    assert "<dt>Title</dt><dd>scan_0117</dd>" in before
    assert "<dt>Correspondent</dt><dd>–</dd>" in before
    assert "<dt>Title</dt><dd>Power &amp; light</dd>" in after.text
    assert "<dt>Correspondent</dt><dd>Fairlight Energy</dd>" in after.text
    assert "<dt>Tags</dt><dd>Electricity</dd>" in after.text
    assert "<dt>Paid</dt><dd>yes</dd>" in after.text
    assert after.headers["cache-control"] == "no-store"


def test_labels_are_in_the_language_of_the_browser(browser: httpx.Client) -> None:
    german = browser.get("/documents/28/", headers={"Accept-Language": "de-DE,de;q=0.9"}).text

    assert '<html lang="de">' in german
    assert "<dt>Dokumenttyp</dt>" in german


def test_the_list_links_every_document_but_those_in_the_trash(
    archive: World, browser: httpx.Client
) -> None:
    archive.delete(27)

    listed = browser.get("/documents").text
    gone = browser.get("/documents/27/")

    assert listed.count("<li>") == len(archive.documents) - 1
    assert (gone.status_code, gone.headers["location"]) == (307, "/documents")


def test_the_file_is_the_pdf_of_the_document(browser: httpx.Client) -> None:
    file = browser.get("/documents/9/file")

    assert file.content == (PAGES / "electricity-bill-september.pdf").read_bytes()
    assert file.headers["content-type"] == "application/pdf"


def test_every_sample_document_has_pages_and_a_picture_of_its_own() -> None:
    worlds = [load_world(folder) for folder in (DOCUMENTS, *(each.folder for each in Archive))]
    names = {document.pages for world in worlds for document in world.documents.values()}

    assert {file.name for file in PAGES.iterdir()} == {
        f"{name}.{kind}" for name in names for kind in ("pdf", "webp")
    }
    assert len({file.read_bytes() for file in PAGES.iterdir()}) == 2 * len(names)
    assert sum(file.stat().st_size for file in PAGES.iterdir()) < _MAX_BYTES
