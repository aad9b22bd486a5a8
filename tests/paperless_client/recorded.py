"""Answers as recorded from Paperless 2.20.15 and 3.0.5, cut down to what matters."""

from collections.abc import Sequence
from typing import TypeAlias

import httpx

Json: TypeAlias = dict[str, object]

URL = "http://paperless.example:8000"
API_OF = {"2.20.15": 9, "3.0.5": 10}

SIGNED = {"x-version": "3.0.5", "x-api-version": "10"}
HTML = {"content-type": "text/html; charset=utf-8"}

INVALID_VERSION = {"detail": 'Invalid version in "Accept" header.'}
NO_DOCUMENT = {"detail": "No Document matches the given query."}
NO_PERMISSION = {"detail": "You do not have permission to perform this action."}
NO_TAG = {"detail": "No Tag matches the given query."}
NO_PAGE = {"detail": "Invalid page."}
NAME_TAKEN_BY_US = {"error": "Object violates owner / name unique constraint"}
NAME_TAKEN = {"name": ["tag with this name already exists."]}
TAKEN_GERMAN = "tag mit diesem Wert für das Feld Name existiert bereits."  # codespell:ignore
NAME_TAKEN_GERMAN = {"name": [TAKEN_GERMAN]}
LONG_GERMAN = (
    "Stelle sicher, dass dieses Feld nicht mehr als 128 Zeichen lang ist."  # codespell:ignore
)
TITLE_TOO_LONG_GERMAN = {"title": [LONG_GERMAN]}
DOCUMENTS_UNKNOWN = {
    "documents": ["Some documents in documents don't exist or were specified twice."]
}
BULK_EDIT_FAULT = "Error performing bulk edit, check logs for more detail."

SERVER_ERROR = "\n<!doctype html>\n<html lang='en'><h1>Server Error (500)</h1></html>\n"
BAD_REQUEST_PAGE = "\n<!doctype html>\n<html lang='en'><h1>Bad Request (400)</h1></html>\n"
CSRF_PAGE = "<!DOCTYPE html>\n<html><p>CSRF verification failed. Request aborted.</p></html>"
LOGIN_PAGE = "<!DOCTYPE html><html><title>Paperless-ngx sign in</title></html>"


def a_document(version: str = "3.0.5", **changes: object) -> Json:
    """A document as returned by GET; 3.0 has a few more keys."""
    document: Json = {
        "id": 11,
        "correspondent": 25,
        "document_type": 2,
        "storage_path": None,
        "title": "Vertrag IKEA Deutschland 2023-11",
        "content": "SERVICE AGREEMENT between IKEA Deutschland and Max Mustermann.",
        "tags": [2, 15],
        "created": "2023-11-02",
        "created_date": "2023-11-02",
        "modified": "2026-11-16T01:05:45.574922+01:00",
        "added": "2026-11-15T00:47:24.427904+01:00",
        "deleted_at": None,
        "archive_serial_number": None,
        "original_file_name": "scan_000011.txt",
        "archived_file_name": None,
        "owner": None,
        "user_can_change": True,
        "is_shared_by_requester": False,
        "notes": [],
        "custom_fields": [{"value": "RE-11", "field": 1}],
        "page_count": 2,
        "mime_type": "text/plain",
    }
    if version == "3.0.5":
        document |= {"duplicate_documents": [], "root_document": None, "versions": []}
    return document | changes


def a_patched_document(version: str, **changes: object) -> Json:
    """A document as returned by PATCH: with permissions, without `user_can_change`."""
    document = a_document(version, **changes)
    del document["user_can_change"], document["is_shared_by_requester"]
    return document | {"permissions": {"view": {"users": []}, "change": {"users": []}}}


def a_summary(**changes: object) -> Json:
    """A document as returned by a list with `fields=`."""
    wanted = ("id", "title", "tags", "added", "modified", "user_can_change")
    document = a_document()
    return {key: document[key] for key in wanted} | changes


def a_tag(id_: int, name: str, **changes: object) -> Json:
    return {
        "id": id_,
        "slug": name.lower(),
        "name": name,
        "color": "#a6cee3",
        "match": "",
        "matching_algorithm": 0,
        "is_inbox_tag": False,
        "document_count": 3,
        "owner": None,
        "user_can_change": True,
        "parent": None,
        "children": [],
        **changes,
    }


def a_correspondent(id_: int, name: str, **changes: object) -> Json:
    tag = a_tag(id_, name)
    for key in ("color", "is_inbox_tag", "parent", "children"):
        del tag[key]
    return tag | changes


def a_page(
    results: Sequence[Json], *, version: str = "3.0.5", count: int | None = None, more: bool = False
) -> Json:
    """A page of a list; `next` has the internal host of the server."""
    wrong = "http://webserver.internal:9999/api/elsewhere/?page=77"
    page: Json = {
        "count": len(results) if count is None else count,
        "next": wrong if more else None,
        "previous": None,
    }
    if API_OF[version] == 9:
        page["all"] = list(range(1, 301))
    return page | {"results": list(results)}


def signed(status: int, json: object, *, version: str = "3.0.5") -> httpx.Response:
    """A response of Paperless to a valid token."""
    headers = {"x-version": version, "x-api-version": str(API_OF[version])}
    return httpx.Response(status, json=json, headers=headers)


def signed_text(status: int, text: str, *, version: str = "3.0.5") -> httpx.Response:
    """A plain text of Paperless, wrongly labelled as HTML."""
    headers = {"x-version": version, "x-api-version": str(API_OF[version])}
    return httpx.Response(status, text=text, headers=headers | HTML)


def unsigned_page(status: int, html: str, **headers: str) -> httpx.Response:
    """A web page of a proxy."""
    return httpx.Response(status, text=html, headers=HTML | headers)


def login_redirect(path: str) -> httpx.Response:
    """The response of Paperless to an unknown path."""
    return unsigned_page(302, "", location=f"/accounts/login/?next=/api/{path}")
