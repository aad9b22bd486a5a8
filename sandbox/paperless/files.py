"""Parts of a document: its file, thumbnail, metadata, suggestions and notes."""

import unicodedata
from datetime import UTC
from email.utils import format_datetime
from pathlib import Path
from urllib.parse import quote

from sandbox.paperless.calls import Call
from sandbox.paperless.checksums import checksum
from sandbox.paperless.document_json import notes_json
from sandbox.paperless.e_invoices import build_invoice_pdf
from sandbox.paperless.pdf import build_pdf
from sandbox.paperless.permissions import (
    changeable_document,
    file_of_document,
    may_change,
    visible_document,
)
from sandbox.paperless.records import Document, Note
from sandbox.paperless.replies import Refused, Reply, json_reply, not_found, not_permitted_text
from sandbox.paperless.values import Invalid, read_text

PAGES = Path(__file__).parent.parent / "documents" / "pages"
"""A PDF and a picture of the first page of each sample document, by the name of its text."""
_PICTURE = (Path(__file__).parent / "letter.webp").read_bytes()
"""Thumbnail of documents without a picture of their own."""


def page_picture(document: Document) -> bytes:
    """Return the picture of the first page, as WebP."""
    return (PAGES / f"{document.pages}.webp").read_bytes() if document.pages else _PICTURE


def page_pdf(document: Document) -> bytes:
    """Return the document as a PDF: its file if that is one, else its pages, else its text."""
    if document.original.startswith(b"%PDF-"):
        return document.original
    if document.pages:
        return (PAGES / f"{document.pages}.pdf").read_bytes()
    return build_pdf(document.content)


def thumb(call: Call) -> Reply:
    document = file_of_document(call)
    if not call.world.release.is_v3:
        if document.deleted_at:
            raise Refused(404, {"detail": "Not found."})
        return Reply(200, page_picture(document), "image/webp")
    tag = f'"{checksum(call.world, document)}"'
    if call.headers.get("if-none-match") in (tag, f"W/{tag}"):
        return Reply(304, b"", "image/webp", {"etag": tag})
    return Reply(200, page_picture(document), "image/webp", {"etag": f"W/{tag}"})


def download(call: Call) -> Reply:
    document = file_of_document(call)
    if document.e_invoice:
        content = build_invoice_pdf(document.e_invoice)
        return _file(document, "attachment", content, "application/pdf")
    # All other originals of the sandbox are text, whatever their names suggest.
    return _file(document, "attachment", document.original, "text/plain")


def preview(call: Call) -> Reply:
    """Return the archived version: a PDF, unless the file is of another type and has no pages."""
    document = file_of_document(call)
    if document.pages or document.mime_type == "application/pdf":
        return _file(document, "inline", page_pdf(document), "application/pdf")
    return _file(document, "inline", document.original, document.mime_type)


def metadata(call: Call) -> Reply:
    document = file_of_document(call)
    if document.deleted_at:
        raise not_found("Document")
    facts = {
        "original_checksum": checksum(call.world, document),
        "original_size": len(document.original),
        "original_mime_type": document.mime_type,
        "media_filename": f"{document.id:07}.txt",
        "has_archive_version": False,
        "original_metadata": [],
        "archive_checksum": None,
        "archive_media_filename": None,
        "original_filename": document.original_file_name,
        "archive_size": None,
        "archive_metadata": None,
        "lang": "de",
    }
    modified = format_datetime(document.modified.astimezone(UTC), usegmt=True)
    return json_reply(facts, headers={"last-modified": modified})


def suggestions(call: Call) -> Reply:
    """Suggest nothing but the document's date: the sandbox has no classifier."""
    document = call.world.documents.get(call.id)
    if document is None or document.deleted_at:
        raise not_found("Document")
    if not may_change(call.user, document):
        raise not_permitted_text()
    kinds = ("correspondents", "tags", "document_types", "storage_paths")
    return json_reply({kind: [] for kind in kinds} | {"dates": [document.created.isoformat()]})


def list_notes(call: Call) -> Reply:
    return json_reply(notes_json(call, visible_document(call).notes))


def add_note(call: Call) -> Reply:
    document = changeable_document(call)
    try:
        text = read_text(call.data().get("note", ""))
    except Invalid as invalid:
        raise Refused(400, {"note": [invalid.message]}) from invalid
    note = Note(call.world.next_id("notes"), text, call.world.now(), call.user.id)
    document.notes.append(note)
    call.world.touch(document)
    return json_reply(notes_json(call, document.notes))


def _file(document: Document, disposition: str, content: bytes, content_type: str) -> Reply:
    name = f"{document.created} {document.original_file_name}"
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    value = f"{disposition}; filename=\"{plain}\"; filename*=utf-8''{quote(name)}"
    return Reply(200, content, content_type, {"content-disposition": value})
