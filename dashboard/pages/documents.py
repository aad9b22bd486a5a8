"""`/documents`: search, why a scan would skip a document, and thumbnails."""

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, BeforeValidator, Field
from starlette.responses import HTMLResponse, Response

from actions.documents import fetch_thumbnail, name_excluded_tags
from actions.search import search_archive
from core.archive import ArchiveCursor, ArchiveSearch
from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.scans import SkipReason
from core.text import clean_line
from dashboard.context import PathId
from dashboard.errors import PageNotFound
from dashboard.pages.view import ReadView
from paperless_client import PaperlessError, Thumbnail

router = APIRouter()

_MOST = 50
PICTURES = frozenset({"image/webp", "image/png", "image/jpeg", "image/gif"})
"""Types of pictures that run no scripts."""


def _parse_cursor(text: str) -> ArchiveCursor | None:
    return ArchiveCursor.parse(text) if text else None


_Text = Annotated[str, Field(max_length=200)]
_Day = Annotated[date | None, BeforeValidator(lambda text: text or None)]


class SearchFilter(BaseModel):
    """What to search for, and which documents in the archive index; "" means any."""

    q: _Text = ""
    correspondent: _Text = ""
    document_type: _Text = ""
    tag: _Text = ""
    since: _Day = None
    until: _Day = None
    after: Annotated[ArchiveCursor | None, BeforeValidator(_parse_cursor)] = None

    @property
    def given(self) -> dict[str, object]:
        """Return the filters that are set, without words and position."""
        values = self.model_dump(exclude={"q", "after"})
        return {name: value for name, value in values.items() if value}


@router.get("/documents", include_in_schema=False)
async def search(view: ReadView, which: Annotated[SearchFilter, Query()]) -> HTMLResponse:
    """Search the known documents by title or number, and the archive index by text."""
    words = clean_line(which.q)
    wanted = ArchiveSearch(
        words=words,
        instances=frozenset(),
        correspondent=which.correspondent or None,
        document_type=which.document_type or None,
        tag=which.tag or None,
        created_since=which.since,
        created_until=which.until,
        after=which.after,
    )
    found = await view.context.store.documents.find(view.names, words, limit=_MOST)
    # A number may be that of a document in Paperless that is not known yet.
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
        archive=await search_archive(view.caller, wanted, view.names),
        filters=which,
    )


@router.get("/documents/{instance}/{number}/why", include_in_schema=False)
async def why(view: ReadView, instance: str, number: PathId) -> HTMLResponse:
    """Show whether a scan would select a document now, as Paperless has it."""
    ref = view.require_visible(DocumentRef(instance, number))
    reason, trouble = None, ""
    tags: tuple[str, ...] = ()
    try:
        summary, reason = await view.context.scanners[instance].explain(number)
        if reason is SkipReason.EXCLUDED:
            tags = await name_excluded_tags(view.caller, instance, summary.tags)
    except (PaperlessError, PaperclerkError) as error:
        trouble = error.user_message
    return await view.page("why.html", ref=ref, reason=reason, trouble=trouble, tags=tags)


@router.get("/documents/{instance}/{number}/thumbnail", include_in_schema=False)
async def thumbnail(view: ReadView, instance: str, number: PathId) -> Response:
    """Return the thumbnail of a known document; browsers may have no access to Paperless."""
    ref = view.require_visible(DocumentRef(instance, number))
    if await view.context.store.documents.get(ref) is None:
        raise PageNotFound(f"nothing is known of {ref}")
    view.require_connected(instance)
    try:
        return picture_answer(await fetch_thumbnail(view.caller, ref))
    except PaperlessError as error:
        raise PageNotFound(f"there is no picture of {ref}: {error}") from error


def picture_answer(picture: Thumbnail) -> Response:
    """Build the response with a picture; refuse other types, such as SVG, which can run scripts."""
    kind = picture.content_type.partition(";")[0].strip().lower()
    if kind not in PICTURES:
        raise PageNotFound(f"{kind or 'that'} is no picture")
    headers = {"cache-control": "private, max-age=300", "content-security-policy": "sandbox"}
    return Response(picture.content, media_type=kind, headers=headers)
