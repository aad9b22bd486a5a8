"""`/documents/home/34`: one document as it is now, and everything that happened to it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from actions.documents import (
    DocumentHistory,
    DocumentSnapshot,
    fetch_snapshot,
    get_document_history,
)
from actions.timeline import describe_changes, list_left_out
from actions.timeouts import may_have_document
from core.changes import Change, PlannedChange
from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.jobs import ANALYZE, DRY_RUN, Job
from dashboard.auth import Permission
from dashboard.context import PathId
from dashboard.errors import PageNotFound
from dashboard.pages.marked_text import build_marked_text
from dashboard.pages.review_form import field_anchor, sort_key
from dashboard.pages.suggestion_outcomes import SuggestionOutcome, build_tried
from dashboard.pages.view import ActView, ReadView, View
from i18n.labels import Labels
from paperless_client import PaperlessError

router = APIRouter(include_in_schema=False)


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
        may_act=view.person.has_permission(Permission.ACT),
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
