"""Documents: list, get, change and delete."""

from collections.abc import Mapping

from sandbox.paperless.calls import Call
from sandbox.paperless.document_json import Occasion, asked_fields, document_json
from sandbox.paperless.filters import filter_documents
from sandbox.paperless.listing import page_of
from sandbox.paperless.ordering import sort_documents
from sandbox.paperless.patching import patch
from sandbox.paperless.permissions import changeable_document, may_see, visible_document
from sandbox.paperless.records import Document
from sandbox.paperless.replies import Refused, Reply, json_reply
from sandbox.paperless.search import search
from sandbox.paperless.values import REQUIRED

_NEEDED_BY_PUT = ("correspondent", "document_type", "storage_path", "tags")


def list_documents(call: Call) -> Reply:
    hits = search(call, _visible(call))
    found = hits.documents if hits else _visible(call)
    documents = filter_documents(call.world, call.query, found)
    if not hits or "ordering" in call.query:
        documents = sort_documents(call.world, documents, call.query.get("ordering", ""))

    def as_json(document: Document) -> dict[str, object]:
        shown = document_json(call, document, Occasion.LIST)
        return shown | {"__search_hit__": hits.as_json(call, document)} if hits else shown

    answer = page_of(call, documents, as_json)
    return json_reply(answer | {"corrected_query": None} if hits else answer)


def show_document(call: Call) -> Reply:
    return json_reply(document_json(call, visible_document(call), Occasion.SINGLE))


def patch_document(call: Call) -> Reply:
    document = changeable_document(call)
    patch(call, document, _accepted(call))
    return json_reply(document_json(call, document, Occasion.WRITTEN))


def put_document(call: Call) -> Reply:
    document = changeable_document(call)
    missing = {name: [REQUIRED] for name in _NEEDED_BY_PUT if name not in call.data()}
    if missing:
        raise Refused(400, missing)
    patch(call, document, _accepted(call))
    return json_reply(document_json(call, document, Occasion.WRITTEN))


def delete_document(call: Call) -> Reply:
    call.world.delete(changeable_document(call).id)
    return Reply(204)


def _visible(call: Call) -> list[Document]:
    return [
        document
        for document in call.world.documents.values()
        if not document.deleted_at and may_see(call.user, document)
    ]


def _accepted(call: Call) -> Mapping[str, object]:
    """Return the sent values, limited to `fields`, which also filters the input."""
    fields = asked_fields(call)
    data = call.data()
    return data if fields is None else {key: data[key] for key in data if key in fields}
