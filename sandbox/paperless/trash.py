"""The trash: list, restore and delete."""

from sandbox.paperless.calls import Call
from sandbox.paperless.document_json import Occasion, document_json
from sandbox.paperless.listing import page_of
from sandbox.paperless.permissions import may_change, may_see
from sandbox.paperless.records import Document
from sandbox.paperless.replies import Refused, Reply, json_reply, not_permitted_text

_UNKNOWN = "Some documents in the trash have not yet been deleted."


def list_trash(call: Call) -> Reply:
    documents = [document for document in _trash(call) if may_see(call.user, document)]
    return json_reply(page_of(call, documents, lambda d: document_json(call, d, Occasion.LIST)))


def empty_or_restore(call: Call) -> Reply:
    data = call.data()
    documents = _chosen(call, data.get("documents"))
    if not call.user.may("delete_document") or not all(
        may_change(call.user, document) for document in documents
    ):
        raise not_permitted_text()
    match data.get("action"):
        case "restore":
            _restore(call, documents)
        case "empty":
            for document in documents:
                del call.world.documents[document.id]
        case action:
            raise Refused(400, {"action": [f'"{action}" is not a valid choice.']})
    return json_reply({"result": "OK", "doc_ids": [document.id for document in documents]})


def _restore(call: Call, documents: list[Document]) -> None:
    for document in documents:
        document.deleted_at = None
        call.world.touch(document)


def _trash(call: Call) -> list[Document]:
    return [document for document in call.world.documents.values() if document.deleted_at]


def _chosen(call: Call, ids: object) -> list[Document]:
    trash = {document.id: document for document in _trash(call)}
    if ids is None:
        return list(trash.values())
    if not isinstance(ids, list) or not set(ids) <= set(trash):
        raise Refused(400, {"documents": [_UNKNOWN]})
    return [trash[id_] for id_ in ids]
