"""Documents: what is remembered of them, their whole life, and leaving them alone."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from actions import documents
from actions.caller import Caller
from core.documents import DocumentFilter, DocumentRef, DocumentState, KnownDocument
from dashboard.api.errors import may_answer
from dashboard.api.paging import AfterDocument, Limit, Page, Root, document_after, page_of, seen_by
from dashboard.api.schemas import DocumentShown, LifeShown, SelectionShown
from dashboard.api.serialize import document_shown, life_shown
from dashboard.auth.dependencies import Acting, AtDesk, Reading
from dashboard.context import Number

router = APIRouter(prefix="/documents", tags=["documents"])


class WhichDocuments(BaseModel):
    """Which documents to list; what is left out means any."""

    model_config = ConfigDict(extra="forbid")

    state: DocumentState | None = None
    instance: str | None = None
    title: Annotated[str, Field(max_length=100)] = ""
    """Part of the title."""
    after: AfterDocument = None
    limit: Limit = 50


class UnignoredShown(BaseModel):
    """How a document stands that is ignored no more."""

    document: str
    known: DocumentShown | None
    """null: the next scan may select it."""


@router.get("", responses=may_answer(404))
async def list_documents(
    caller: Reading, which: Annotated[WhichDocuments, Query()]
) -> Page[DocumentShown]:
    """List the documents that Paperclerk had to do with, the greatest number first."""
    wanted = DocumentFilter(
        which.state,
        seen_by(caller, which.instance),
        which.title,
        document_after(which.after),
    )
    found = await caller.store.documents.list(wanted, which.limit + 1)
    waiting = await caller.store.documents.awaiting_review(one.ref for one in found)

    def shown(known: KnownDocument) -> DocumentShown:
        return document_shown(known, for_review=known.ref in waiting)

    return page_of(found, which.limit, lambda one: one.ref, shown)


@router.get("/{instance}/{number}", responses=may_answer(404))
async def get_document(caller: Reading, root: Root, instance: str, number: Number) -> LifeShown:
    """Tell a document's whole life: what is known of it, its jobs, its changes."""
    life = await documents.life(caller, DocumentRef(instance, number))
    return life_shown(root, life, documents.link_to(caller, life.ref))


@router.get("/{instance}/{number}/selection", responses=may_answer(404, 409, 502))
async def explain_document(
    caller: Reading, desk: AtDesk, instance: str, number: Number
) -> SelectionShown:
    """Say what a scan would do with a document at this moment; Paperless is asked."""
    caller.instance(instance)
    summary, reason = await desk.scanners[instance].explain(number)
    return SelectionShown(
        document=f"{instance}/{number}",
        title=summary.title,
        selected=reason is None,
        reason=reason,
    )


@router.post("/{instance}/{number}/ignore", responses=may_answer(404))
async def ignore_document(caller: Acting, instance: str, number: Number) -> DocumentShown:
    """Leave a document alone from now on."""
    return await _shown(caller, await documents.ignore(caller, DocumentRef(instance, number)))


@router.post("/{instance}/{number}/unignore", responses=may_answer(404, 409))
async def unignore_document(caller: Acting, instance: str, number: Number) -> UnignoredShown:
    """Take that back."""
    ref = DocumentRef(instance, number)
    known = await documents.unignore(caller, ref)
    return UnignoredShown(document=str(ref), known=await _shown(caller, known) if known else None)


async def _shown(caller: Caller, known: KnownDocument) -> DocumentShown:
    waiting = await caller.store.documents.awaiting_review([known.ref])
    return document_shown(known, for_review=bool(waiting))
