"""`/documents` and `/search`: known documents, their history, ignoring them; full text search."""

from datetime import date
from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from actions import documents
from actions.caller import Caller
from actions.documents import build_link
from actions.search import search_archive
from core.archive import ArchiveCursor, ArchiveHit, ArchiveSearch
from core.documents import DocumentFilter, DocumentRef, DocumentState, KnownDocument
from dashboard.api.router import (
    AfterDocument,
    Limit,
    Page,
    Root,
    api_router,
    build_page,
    error_responses,
    parse_document_cursor,
    visible_instances,
)
from dashboard.api.schemas import DocumentShown, LifeShown, SelectionShown
from dashboard.api.serialize import serialize_document, serialize_document_history
from dashboard.auth.dependencies import ActCaller, ContextDep, ReadCaller
from dashboard.context import PathId

router = api_router(tag="documents")
AfterHit = Annotated[
    str | None,
    Query(
        pattern=r"^-?[0-9]{1,6}(\.[0-9]{1,20})?(e-?[0-9]{1,3})?:[0-9]{1,15}$",
        description="Go on after a page: the `next` that it came with.",
    ),
]


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


class WhichText(BaseModel):
    """What to search for; what is left out means any."""

    model_config = ConfigDict(extra="forbid")

    q: Annotated[str, Field(max_length=200)]
    """Words that a document must all contain, also as parts of longer words."""
    instance: str | None = None
    correspondent: Annotated[str | None, Field(max_length=200)] = None
    """Names in Paperless, in any case."""
    document_type: Annotated[str | None, Field(max_length=200)] = None
    tag: Annotated[str | None, Field(max_length=200)] = None
    created_since: date | None = None
    """The date of the document in Paperless, first day included."""
    created_until: date | None = None
    """The last day, included."""
    after: AfterHit = None
    limit: Limit = 20


class SnippetPartShown(BaseModel):
    """A piece of a snippet."""

    text: str
    match: bool
    """Whether it is one of the words searched for."""


class HitShown(BaseModel):
    """A document that was found."""

    document: str
    title: str
    correspondent: str | None
    document_type: str | None
    tags: list[str]
    created: date
    score: float
    """Higher is better; only comparable within one search."""
    snippet: list[SnippetPartShown]
    page: int | None
    """The page of the snippet; null if unknown."""
    page_estimated: bool
    """Whether the page was computed from the position in the text."""
    link: str
    """The document in Paperless."""


class SearchPage(Page[HitShown]):
    """A part of the documents that were found, the best first."""

    not_ready: list[str]
    """Instances that are not searched yet, because their index is being built or changed."""


@router.get("/documents", responses=error_responses(404))
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


@router.get("/documents/{instance}/{number}", responses=error_responses(404))
async def get_document(caller: ReadCaller, root: Root, instance: str, number: PathId) -> LifeShown:
    """Return the history of a document: its state, jobs and changes."""
    history = await documents.get_document_history(caller, DocumentRef(instance, number))
    return serialize_document_history(root, history, documents.build_link(caller, history.ref))


@router.get("/documents/{instance}/{number}/selection", responses=error_responses(404, 409, 502))
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


@router.post("/documents/{instance}/{number}/ignore", responses=error_responses(404))
async def ignore_document(caller: ActCaller, instance: str, number: PathId) -> DocumentShown:
    """Ignore a document from now on."""
    return await _serialize_known(
        caller, await documents.ignore(caller, DocumentRef(instance, number))
    )


@router.post("/documents/{instance}/{number}/unignore", responses=error_responses(404, 409))
async def unignore_document(caller: ActCaller, instance: str, number: PathId) -> UnignoredShown:
    """Stop ignoring a document."""
    ref = DocumentRef(instance, number)
    known = await documents.unignore(caller, ref)
    return UnignoredShown(
        document=str(ref), known=await _serialize_known(caller, known) if known else None
    )


@router.get("/search", responses=error_responses(404))
async def search(caller: ReadCaller, which: Annotated[WhichText, Query()]) -> SearchPage:
    """Search the text of the documents, the best first."""
    wanted = ArchiveSearch(
        words=which.q,
        instances=frozenset(),
        correspondent=which.correspondent,
        document_type=which.document_type,
        tag=which.tag,
        created_since=which.created_since,
        created_until=which.created_until,
        after=ArchiveCursor.parse(which.after) if which.after else None,
        limit=which.limit,
    )
    instances = None if which.instance is None else [which.instance]
    result = await search_archive(caller, wanted, instances)
    return SearchPage(
        items=[
            _serialize_hit(hit, build_link(caller, hit.fields.ref)) for hit in result.found.hits
        ],
        next=str(result.found.next) if result.found.next else None,
        not_ready=list(result.not_ready),
    )


async def _serialize_known(caller: Caller, known: KnownDocument) -> DocumentShown:
    waiting = await caller.store.documents.filter_for_review([known.ref])
    return serialize_document(known, for_review=bool(waiting))


def _serialize_hit(hit: ArchiveHit, link: str) -> HitShown:
    return HitShown(
        document=str(hit.fields.ref),
        title=hit.fields.title,
        correspondent=hit.correspondent,
        document_type=hit.document_type,
        tags=list(hit.tags),
        created=hit.fields.created,
        score=hit.score,
        snippet=[SnippetPartShown(text=part.text, match=part.is_match) for part in hit.snippet],
        page=hit.page,
        page_estimated=hit.is_page_estimated,
        link=link,
    )
