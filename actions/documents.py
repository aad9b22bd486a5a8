"""Ignore a document or stop ignoring it, and load its history."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from actions.caller import Caller
from actions.plan_events import load_suggestions
from core.changes import UNDOABLE, WAITING, Change, PlannedSuggestion
from core.documents import DocumentRef, KnownDocument
from core.jobs import ANALYZE, Event, Job
from core.text import clean_line
from paperless_client import Thumbnail
from store import DONE_TO_PAPERLESS, JobFilter, Store


@dataclass(frozen=True, slots=True)
class DocumentHistory:
    """Everything that is stored about one document."""

    ref: DocumentRef
    known: KnownDocument | None
    """None if it was never processed."""
    jobs: tuple[Job, ...]
    """Newest first."""
    changes: tuple[Change, ...]
    """Oldest first."""
    last_analysis: tuple[Event, ...]
    suggestions: tuple[PlannedSuggestion, ...]
    """The events of the last analysis; its plan contains what was left out, and why."""

    @property
    def waits_for_review(self) -> bool:
        return any(change.state in WAITING for change in self.changes)

    @property
    def can_undo(self) -> bool:
        return any(change.state in UNDOABLE for change in self.changes)

    @property
    def last_change_at(self) -> datetime | None:
        """When Paperclerk last changed the document in Paperless; None if it never did."""
        written = (change for change in self.changes if change.state in DONE_TO_PAPERLESS)
        return max((at for change in written if (at := change.last_event_at)), default=None)


async def ignore(caller: Caller, ref: DocumentRef) -> KnownDocument:
    """Ignore a document from now on.

    Its running analysis is cancelled, and its changes that wait for review are rejected.
    """
    caller.require_instance(ref.instance)
    return await caller.store.documents.ignore(ref, by=caller.by, now=caller.now())


async def unignore(caller: Caller, ref: DocumentRef) -> KnownDocument | None:
    """Stop ignoring a document; return None if the next scan may select it. Raise NotIgnored."""
    caller.require_instance(ref.instance)
    return await caller.store.documents.unignore(ref, now=caller.now())


async def get_document_history(caller: Caller, ref: DocumentRef) -> DocumentHistory:
    """Return a document's history, as far as retention has kept it."""
    caller.require_instance(ref.instance)
    store = caller.store
    jobs = await store.jobs.list(JobFilter(document=ref))
    analysis = max((job.id for job in jobs if job.kind == ANALYZE), default=None)
    events = () if analysis is None else await store.jobs.list_events(analysis)
    suggestions = () if analysis is None else await load_suggestions(store, analysis, events)
    return DocumentHistory(
        ref=ref,
        known=await store.documents.get(ref),
        jobs=jobs,
        changes=await store.changes.list_for_document(ref),
        last_analysis=events,
        suggestions=suggestions,
    )


def build_link(caller: Caller, ref: DocumentRef) -> str:
    """Return the URL of a document in Paperless's web interface."""
    address = caller.require_instance(ref.instance).paperless.link_url.rstrip("/")
    return f"{address}/documents/{ref.id}/"


async def get_titles(store: Store, refs: Iterable[DocumentRef]) -> Mapping[DocumentRef, str]:
    """Return the title of each document, or "#" and its id if it has none."""
    wanted = set(refs)
    known = await store.documents.get_many_by_ref(wanted) if wanted else {}
    return {ref: _title(known.get(ref)) or f"#{ref.id}" for ref in wanted}


def _title(known: KnownDocument | None) -> str:
    return clean_line(known.title) if known else ""


async def fetch_thumbnail(caller: Caller, ref: DocumentRef) -> Thumbnail:
    """Return the thumbnail of a document; raise PaperlessError."""
    return await caller.get_instance(ref.instance).paperless.files.fetch_thumbnail(ref.id)
