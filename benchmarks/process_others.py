"""The requests with which Paperclerk used to write a document, and those of other tools.

The requests of the other tools follow their source: paperless-ai at commit 0eee0c6 (`server.js`,
`services/paperlessService.js`), paperless-gpt at commit 72ddde7 (`background.go`, `paperless.go`).
Their model calls and their own storage are left out. The values are the same as ours.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import httpx

Body: TypeAlias = Mapping[str, Any]
"""The content of one PATCH of ours: the values to write, with the complete lists."""

_FIELDS = "id,title,correspondent,document_type,tags,created,added,original_file_name,custom_fields"
_LISTS = ("tags/", "correspondents/", "document_types/", "custom_fields/")


@dataclass(frozen=True, slots=True)
class Way:
    """A way to write one document."""

    name: str
    write: Callable[[httpx.Client, int, Body], None]


def write_before(http: httpx.Client, number: int, body: Body) -> None:
    """Write as Paperclerk used to: a PATCH, and bulk edits for tags, custom fields and marks.

    These are the requests that it made for this document. Before it compared and wrote, it checked
    for excluded tags, fetched the text, and looked up the ancestors of nested tags.
    """
    _get(http, number, fields="id,title,tags,added,modified,original_file_name")
    _get(http, number)
    _get(http, number, fields=_FIELDS)
    _get(http, number, fields=_FIELDS)
    fields = {key: value for key, value in body.items() if key not in {"tags", "custom_fields"}}
    _patch(http, number, fields)
    *added, done = body["tags"]
    _edit_tags(http, number, add=added)
    _edit_custom_fields(http, number, body["custom_fields"])
    _get(http, number, fields=_FIELDS)
    # The marks: current tags, the comparison before the write, the write, the read-back.
    _get(http, number, fields=_FIELDS)
    _get(http, number, fields=_FIELDS)
    _edit_tags(http, number, add=[done])
    _get(http, number, fields=_FIELDS)


def undo_before(http: httpx.Client, number: int, body: Body) -> None:
    """Undo as Paperclerk used to."""
    _get(http, number, fields=_FIELDS)
    _get(http, number, fields=_FIELDS)
    _patch(http, number, {"title": "scan", "correspondent": None, "document_type": None})
    _edit_tags(http, number, remove=body["tags"])
    _edit_custom_fields(http, number, [], remove=[item["field"] for item in body["custom_fields"]])
    _get(http, number, fields=_FIELDS)


def write_as_paperless_ai(http: httpx.Client, number: int, body: Body) -> None:
    """Read permissions, text and values separately; write; read the whole document again."""
    for _ in range(3):
        _get(http, number)
    http.get(f"/api/documents/{number}/thumb/").raise_for_status()
    for path in ("correspondents/", "document_types/"):
        http.get(f"/api/{path}", params={"name__icontains": "x"}).raise_for_status()
    _get(http, number)
    _patch(http, number, body)
    _get(http, number)


def write_as_paperless_gpt(http: httpx.Client, number: int, body: Body) -> None:
    """Read the document and all names three times; write once."""
    _get(http, number)
    for path in (*_LISTS, *_LISTS[:3], *_LISTS[:3]):
        http.get(f"/api/{path}", params={"page_size": 1000}).raise_for_status()
    _patch(http, number, body)


WAYS = (
    Way("written as before, by PATCH and bulk edits", write_before),
    Way("written by paperless-ai", write_as_paperless_ai),
    Way("written by paperless-gpt", write_as_paperless_gpt),
)


def _get(http: httpx.Client, number: int, **params: str) -> None:
    http.get(f"/api/documents/{number}/", params=params).raise_for_status()


def _patch(http: httpx.Client, number: int, body: Body) -> None:
    http.patch(f"/api/documents/{number}/", json=dict(body)).raise_for_status()


def _edit_tags(
    http: httpx.Client, number: int, *, add: Sequence[int] = (), remove: Sequence[int] = ()
) -> None:
    _bulk_edit(http, number, "modify_tags", {"add_tags": [*add], "remove_tags": [*remove]})


def _edit_custom_fields(
    http: httpx.Client, number: int, items: Sequence[Body], *, remove: Sequence[int] = ()
) -> None:
    values = {str(item["field"]): item["value"] for item in items}
    parameters = {"add_custom_fields": values, "remove_custom_fields": [*remove]}
    _bulk_edit(http, number, "modify_custom_fields", parameters)


def _bulk_edit(http: httpx.Client, number: int, method: str, parameters: Body) -> None:
    edit = {"documents": [number], "method": method, "parameters": dict(parameters)}
    http.post("/api/documents/bulk_edit/", json=edit).raise_for_status()
