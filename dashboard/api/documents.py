"""`/documents`: known documents, their history, selection, and ignoring them."""

from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from actions import documents
from actions.caller import Caller
from core.documents import DocumentFilter, DocumentRef, DocumentState, KnownDocument
from dashboard.api.errors import error_responses
from dashboard.api.paging import (
    AfterDocument,
    Limit,
    Page,
    Root,
    build_page,
    parse_document_cursor,
    visible_instances,
)
from dashboard.api.router import api_router
from dashboard.api.schemas import DocumentShown, LifeShown, SelectionShown
from dashboard.api.serialize import serialize_document, serialize_document_history
from dashboard.auth.dependencies import ActCaller, ContextDep, ReadCaller
from dashboard.context import PathId

router = api_router("/documents", tag="documents")


class WhichDocuments(BaseModel):
    """Filters for the list of documents; omitted ones match everything."""

    model_config = ConfigDict(extra="forbid")

    state: DocumentState | None = None
    instance: str | None = None
    title: Annotated[str, Field(max_length=100)] = ""
    """Part of the title."""
    after: AfterDocument = None
    limit: Limit = 50


class UnignoredShown(BaseModel):
    """The state of a document that is no longer ignored."""

    document: str
    known: DocumentShown | None
    """null: the next scan may select it."""


@router.get("", responses=error_responses(404))
async def list_documents(
    caller: ReadCaller, which: Annotated[WhichDocuments, Query()]
) -> Page[DocumentShown]:
    """List the documents that Paperclerk knows, the highest number first."""
    wanted = DocumentFilter(
        which.state,
        visible_instances(caller, which.instance),
        which.title,
        parse_document_cursor(which.after),
    )
    found = await caller.store.documents.list(wanted, which.limit + 1)
    waiting = await caller.store.documents.filter_for_review(known.ref for known in found)

    def serialize(known: KnownDocument) -> DocumentShown:
        return serialize_document(known, for_review=known.ref in waiting)

    return build_page(found, which.limit, lambda known: known.ref, serialize)


@router.get("/{instance}/{number}", responses=error_responses(404))
async def get_document(caller: ReadCaller, root: Root, instance: str, number: PathId) -> LifeShown:
    """Return the history of a document: its state, jobs and changes."""
    history = await documents.get_document_history(caller, DocumentRef(instance, number))
    return serialize_document_history(root, history, documents.build_link(caller, history.ref))


@router.get("/{instance}/{number}/selection", responses=error_responses(404, 409, 502))
async def explain_document(
    caller: ReadCaller, context: ContextDep, instance: str, number: PathId
) -> SelectionShown:
    """Return whether a scan would select a document right now, and why; queries Paperless."""
    caller.get_instance(instance)
    summary, reason = await context.scanners[instance].explain(number)
    return SelectionShown(
        document=f"{instance}/{number}",
        title=summary.title,
        selected=reason is None,
        reason=reason,
    )


@router.post("/{instance}/{number}/ignore", responses=error_responses(404))
async def ignore_document(caller: ActCaller, instance: str, number: PathId) -> DocumentShown:
    """Ignore a document from now on."""
    return await _serialize(caller, await documents.ignore(caller, DocumentRef(instance, number)))


@router.post("/{instance}/{number}/unignore", responses=error_responses(404, 409))
async def unignore_document(caller: ActCaller, instance: str, number: PathId) -> UnignoredShown:
    """Stop ignoring a document."""
    ref = DocumentRef(instance, number)
    known = await documents.unignore(caller, ref)
    return UnignoredShown(
        document=str(ref), known=await _serialize(caller, known) if known else None
    )


async def _serialize(caller: Caller, known: KnownDocument) -> DocumentShown:
    waiting = await caller.store.documents.filter_for_review([known.ref])
    return serialize_document(known, for_review=bool(waiting))
