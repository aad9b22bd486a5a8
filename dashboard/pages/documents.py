"""`/documents`: search; a document's current values and history, and why a scan would skip it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, BeforeValidator, Field
from starlette.responses import HTMLResponse, Response

from actions.documents import (
    DocumentHistory,
    DocumentSnapshot,
    fetch_snapshot,
    fetch_thumbnail,
    get_document_history,
    name_excluded_tags,
)
from actions.search import search_archive
from actions.timeline import describe_changes, list_left_out
from actions.timeouts import may_have_document
from core.archive import ArchiveCursor, ArchiveSearch
from core.changes import Change, PlannedChange
from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.jobs import ANALYZE, DRY_RUN, Job
from core.scans import SkipReason
from core.text import clean_line
from dashboard.context import PathId
from dashboard.errors import PageNotFound
from dashboard.pages.job import SuggestionOutcome, build_tried
from dashboard.pages.marked_text import build_marked_text
from dashboard.pages.review_form import field_anchor, sort_key
from dashboard.pages.view import ActView, ReadView, View
from i18n.labels import Labels
from paperless_client import PaperlessError, Thumbnail

router = APIRouter(include_in_schema=False)

_MAX_FOUND = 50
PICTURES = frozenset({"image/webp", "image/png", "image/jpeg", "image/gif"})
"""Types of pictures that run no scripts."""


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
    after: Annotated[
        ArchiveCursor | None,
        BeforeValidator(lambda text: ArchiveCursor.parse(text) if text else None),
    ] = None

    @property
    def given(self) -> dict[str, object]:
        """Return the filters that are set, without words and position."""
        values = self.model_dump(exclude={"q", "after"})
        return {name: value for name, value in values.items() if value}


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """A job of the document, with the changes that it planned."""

    at: datetime
    job: Job | None
    """None if the job was deleted because of its age."""
    job_id: int
    changes: tuple[Change, ...]
    left_out: tuple[PlannedChange, ...] = ()
    tried: Sequence[SuggestionOutcome] = ()
    """What the last dry run would write."""
    done: str = ""
    """What a decision or an undo did; "" for an analysis."""


@router.get("/documents")
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
    store = view.context.store.documents
    found = await store.find(view.names, words, limit=_MAX_FOUND)
    # A number may be that of a document in Paperless that is not known yet.
    number = int(words) if words.isdecimal() and len(words) < 10 else None
    known = {document.ref for document in found.documents}
    unseen = [DocumentRef(name, number) for name in view.names] if number else []
    return await view.page(
        "documents.html",
        q=words,
        found=found.documents,
        waiting=await store.filter_for_review(known) if known else frozenset(),
        undone=await store.filter_undone(known) if known else frozenset(),
        among=found.among,
        unseen=[ref for ref in unseen if ref not in known],
        most=_MAX_FOUND,
        archive=await search_archive(view.caller, wanted, view.names),
        filters=which,
    )


@router.get("/documents/{instance}/{number}/why")
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


@router.get("/documents/{instance}/{number}/thumbnail")
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


@router.get("/documents/{instance}/{number}")
async def show_document(view: ReadView, instance: str, number: PathId) -> HTMLResponse:
    """Show one document and everything that happened to it."""
    ref = view.require_visible(DocumentRef(instance, number))
    history = await get_document_history(view.caller, ref)
    await _require_existing(view, history)
    return await view.page(
        "document.html",
        ref=ref,
        known=history.known,
        title=history.title,
        timeline=build_timeline(history, Labels(view.translator)),
        waiting=history.waits_for_review,
        last_change_at=history.last_change_at,
        history=history,
        may_act=view.may_act,
        link=view.link_to(ref),
    )


@router.get("/documents/{instance}/{number}/now")
async def show_values(view: ActView, instance: str, number: PathId) -> HTMLResponse:
    """Show the current values of a document, read from Paperless."""
    ref = view.require_visible(DocumentRef(instance, number))
    snapshot, trouble = await _load_snapshot(view, ref)
    fields = sorted(snapshot.fields, key=sort_key) if snapshot else []
    return await view.page(
        "document_now.html",
        ref=ref,
        snapshot=snapshot,
        fields=[(field, field_anchor(field)) for field in fields],
        trouble=trouble,
    )


@router.get("/documents/{instance}/{number}/text")
async def show_text(view: ActView, instance: str, number: PathId) -> HTMLResponse:
    """Show the text of a document, with the evidence of its last analysis marked."""
    ref = view.require_visible(DocumentRef(instance, number))
    history = await get_document_history(view.caller, ref)
    snapshot, trouble = await _load_snapshot(view, ref)
    newest = max((change.job_id for change in history.changes), default=None)
    changes = [change for change in history.changes if change.job_id == newest]
    return await view.page(
        "document_text.html",
        section="/documents",
        ref=ref,
        title=history.title,
        text=build_marked_text(changes, snapshot, trouble, history.known, room=None),
    )


def picture_answer(picture: Thumbnail) -> Response:
    """Build the response with a picture; refuse other types, such as SVG, which can run scripts."""
    kind = picture.content_type.partition(";")[0].strip().lower()
    if kind not in PICTURES:
        raise PageNotFound(f"{kind or 'that'} is no picture")
    headers = {"cache-control": "private, max-age=300", "content-security-policy": "sandbox"}
    return Response(picture.content, media_type=kind, headers=headers)


def build_timeline(history: DocumentHistory, labels: Labels) -> list[TimelineEntry]:
    """Return the jobs of a document with their changes, the newest first.

    Changes outlive their jobs; those without one have an entry of their own.
    """
    by_job: defaultdict[int, list[Change]] = defaultdict(list)
    for change in history.changes:
        by_job[change.job_id].append(change)
    jobs = {job.id: job for job in history.jobs}
    last, last_tried = (
        max((job.id for job in history.jobs if job.kind == kind), default=None)
        for kind in (ANALYZE, DRY_RUN)
    )
    left = tuple(list_left_out(history.suggestions))
    entries = [
        TimelineEntry(
            _began(jobs.get(job_id), by_job[job_id]),
            jobs.get(job_id),
            job_id,
            tuple(by_job[job_id]),
            left if job_id == last else (),
            build_tried(history.tried) if job_id == last_tried else (),
            describe_changes(history.carried_out.get(job_id, ()), labels),
        )
        for job_id in {*jobs, *by_job}
    ]
    return sorted(entries, key=lambda entry: (entry.at, entry.job_id), reverse=True)


def _began(job: Job | None, changes: Iterable[Change]) -> datetime:
    return job.created_at if job else min(change.created_at for change in changes)


async def _load_snapshot(view: View, ref: DocumentRef) -> tuple[DocumentSnapshot | None, str]:
    """Return the document as Paperless has it now, or why it is not known."""
    try:
        view.require_connected(ref.instance)
        return await fetch_snapshot(view.caller, ref), ""
    except (PaperlessError, PaperclerkError) as error:
        return None, error.user_message


async def _require_existing(view: View, history: DocumentHistory) -> None:
    """Raise PageNotFound if neither the store nor Paperless has the document."""
    instance = view.context.instances.get(history.ref.instance)
    if history.known or history.jobs or history.changes or instance is None:
        return
    if not await may_have_document(instance, history.ref.id):
        raise PageNotFound(f"there is no document {history.ref}")
