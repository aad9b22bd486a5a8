"""Pages of the fake Paperless for people: its documents, and one with its current values."""

import base64
import html
import string
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from sandbox.paperless.files import page_pdf, page_picture
from sandbox.paperless.persons import describe_document
from sandbox.paperless.records import CustomField, Document
from sandbox.paperless.world import World

PREFIX = "/documents"
_TO_THE_LIST = RedirectResponse(PREFIX)
Translate: TypeAlias = Callable[[str], str]
_PAGE = string.Template((Path(__file__).parent / "web_page.html").read_text(encoding="utf-8"))
_FIELDS = {
    "title": "Title",
    "correspondent": "Correspondent",
    "document_type": "Document type",
    "tags": "Tags",
    "created": "Date created",
    "storage_path": "Storage path",
    "original_file_name": "File name",
}
_GERMAN = {
    "Title": "Titel",
    "Correspondent": "Korrespondent",
    "Document type": "Dokumenttyp",
    "Date created": "Ausstellungsdatum",
    "Storage path": "Speicherpfad",
    "File name": "Dateiname",
    "Documents": "Dokumente",
    "Open file": "Datei öffnen",
    "First page": "Erste Seite",
    "yes": "ja",
    "no": "nein",
    "The fake Paperless of the sandbox": "Das nachgebildete Paperless der Sandbox",
    "Current values; reload after a change.": "Aktuelle Werte; nach einer Änderung neu laden.",
}


def page_routes(world: World) -> Sequence[Route]:
    """Return the routes of the pages, which need no login."""

    def find(request: Request) -> Document | None:
        document = world.documents.get(request.path_params["id"])
        return None if document is None or document.deleted_at else document

    async def list_documents(request: Request) -> Response:
        with world.lock:
            documents = [each for each in world.documents.values() if not each.deleted_at]
            return _list_page(request, documents)

    async def show_document(request: Request) -> Response:
        with world.lock:
            document = find(request)
            return _document_page(request, world, document) if document else _TO_THE_LIST

    async def show_file(request: Request) -> Response:
        with world.lock:
            document = find(request)
            if document is None:
                return _TO_THE_LIST
            return Response(page_pdf(document), media_type="application/pdf")

    return [
        Route(PREFIX, list_documents),
        Route(f"{PREFIX}/{{id:int}}/", show_document),
        Route(f"{PREFIX}/{{id:int}}/details", show_document),
        Route(f"{PREFIX}/{{id:int}}/file", show_file),
    ]


def _list_values(world: World, document: Document, text: Translate) -> list[tuple[str, str]]:
    """Return the label and value of each field that a document has."""
    described = describe_document(world, document)
    fields = [(text(label), _plain(described[key])) for key, label in _FIELDS.items()]
    custom_fields = [
        (world.custom_fields[id_].name, _custom_value(world.custom_fields[id_], value, text))
        for id_, value in document.custom_fields.items()
    ]
    return fields + custom_fields


def _plain(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _custom_value(field: CustomField, value: object, text: Translate) -> str:
    if isinstance(value, bool):
        return text("yes" if value else "no")
    labels = {option["id"]: option["label"] for option in field.options}
    return labels.get(str(value), _plain(value))


def _list_page(request: Request, documents: Iterable[Document]) -> Response:
    newest_first = sorted(documents, key=lambda document: -document.id)
    items = "".join(
        f'<li><a href="{PREFIX}/{document.id}/">{html.escape(document.title)}</a></li>'
        for document in newest_first
    )
    _, text = _language(request)
    return _page(request, text("Documents"), f"<ul>{items}</ul>")


def _document_page(request: Request, world: World, document: Document) -> Response:
    _, text = _language(request)
    values = "".join(
        f"<dt>{html.escape(label)}</dt><dd>{html.escape(value or '–')}</dd>"
        for label, value in _list_values(world, document, text)
    )
    picture = base64.b64encode(page_picture(document)).decode()
    hint = text("Current values; reload after a change.")
    links = (
        f'<a href="{PREFIX}/{document.id}/file">{text("Open file")}</a>'
        f' · <a href="{PREFIX}">{text("Documents")}</a>'
    )
    image = f'<img src="data:image/webp;base64,{picture}" alt="{text("First page")}">'
    body = f"<article><div><dl>{values}</dl><p>{hint} {links}</p></div>{image}</article>"
    return _page(request, document.title, body)


def _page(request: Request, title: str, body: str) -> Response:
    """Return a page; `body` is HTML."""
    code, text = _language(request)
    header = text("The fake Paperless of the sandbox")
    page = _PAGE.substitute(language=code, title=html.escape(title), header=header, body=body)
    return HTMLResponse(page, headers={"cache-control": "no-store"})


def _language(request: Request) -> tuple[str, Translate]:
    """Return the browser's language, and what translates the labels to it."""
    if request.headers.get("accept-language", "").lower().startswith("de"):
        return "de", lambda label: _GERMAN.get(label, label)
    return "en", str
