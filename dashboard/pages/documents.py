"""Pictures of documents, passed on from Paperless so that the browser asks nobody else."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, Response

from actions.documents import DocumentHistory, get_document_history
from actions.plan_events import list_left_out
from actions.soon import may_have_document
from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.text import clean_line
from dashboard.context import PathId
from dashboard.errors import PageNotFound
from dashboard.pages.view import ReadView, View
from paperless_client import PaperlessError, Thumbnail

_PICTURES = frozenset({"image/webp", "image/png", "image/jpeg", "image/gif"})


def picture_answer(picture: Thumbnail) -> Response:
    """Answer with a picture; anything else, such as SVG, which can run script, is refused."""
    kind = picture.content_type.partition(";")[0].strip().lower()
    if kind not in _PICTURES:
        raise PageNotFound(f"{kind or 'that'} is no picture")
    headers = {"cache-control": "private, max-age=300", "content-security-policy": "sandbox"}
    return Response(picture.content, media_type=kind, headers=headers)


router = APIRouter()

_MOST = 50


@router.get("/documents", include_in_schema=False)
async def search(view: ReadView, q: Annotated[str, Query(max_length=200)] = "") -> HTMLResponse:
    """Find documents that we have had to do with."""
    words = clean_line(q)
    found = await view.context.store.documents.find(view.names, words, limit=_MOST)
    # A number names a document of Paperless, also one that we have never seen.
    number = int(words) if words.isdecimal() and len(words) < 10 else None
    known = {document.ref for document in found.documents}
    unseen = [DocumentRef(name, number) for name in view.names] if number else []
    return await view.page(
        "documents.html",
        q=words,
        found=found.documents,
        waiting=await view.context.store.documents.filter_for_review(known)
        if known
        else frozenset(),
        among=found.among,
        unseen=[ref for ref in unseen if ref not in known],
        most=_MOST,
    )


@router.get("/documents/{instance}/{number}", include_in_schema=False)
async def show_document(view: ReadView, instance: str, number: PathId) -> HTMLResponse:
    """Show all that we know of a document, and what we do not know of it."""
    ref = view.require_visible(DocumentRef(instance, number))
    told = await get_document_history(view.caller, ref)
    await _require_there(view, told)
    return await view.page(
        "document.html",
        ref=ref,
        known=told.known,
        title=(clean_line(told.known.title) if told.known else "") or f"#{number}",
        jobs=told.jobs,
        changes=told.changes,
        waiting=told.waits_for_review,
        last_change_at=told.last_change_at,
        can_undo=told.can_undo,
        left=list_left_out(told.last_analysis),
        link=view.link_to(ref),
    )


@router.get("/documents/{instance}/{number}/why", include_in_schema=False)
async def why(view: ReadView, instance: str, number: PathId) -> HTMLResponse:
    """Say what a scan would do with a document at this moment; Paperless is asked for it."""
    ref = view.require_visible(DocumentRef(instance, number))
    reason, trouble = None, ""
    try:
        _, reason = await view.context.scanners[instance].explain(number)
    except (PaperlessError, PaperclerkError) as error:
        trouble = error.user_message
    return await view.page("why.html", ref=ref, reason=reason, trouble=trouble)


@router.get("/documents/{instance}/{number}/thumbnail", include_in_schema=False)
async def thumbnail(view: ReadView, instance: str, number: PathId) -> Response:
    """Pass the small picture of a document on, of those only that we know."""
    ref = view.require_visible(DocumentRef(instance, number))
    if await view.context.store.documents.get(ref) is None:
        raise PageNotFound(f"nothing is known of {ref}")
    try:
        return picture_answer(await view.instance(instance).paperless.fetch_thumbnail(number))
    except PaperlessError as error:
        raise PageNotFound(f"there is no picture of {ref}: {error}") from error


async def _require_there(view: View, told: DocumentHistory) -> None:
    """Raise NotFound for a document of which neither we nor Paperless know anything."""
    instance = view.context.instances.get(told.ref.instance)
    if told.known or told.jobs or told.changes or instance is None:
        return
    if not await may_have_document(instance, told.ref.id):
        raise PageNotFound(f"there is no document {told.ref}")
