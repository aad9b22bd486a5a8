"""Say whether a document needs analysis, and if not, why not."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from core.documents import DocumentState, KnownDocument
from core.jobs import Priority
from core.scans import SkipReason
from paperless_client import DocumentSummary

_NOT_AGAIN = {
    DocumentState.QUEUED: SkipReason.QUEUED,
    DocumentState.DONE: SkipReason.DONE,
    DocumentState.FAILED: SkipReason.FAILED,
    DocumentState.CANCELLED: SkipReason.CANCELLED,
    DocumentState.IGNORED: SkipReason.IGNORED,
    DocumentState.GONE: SkipReason.GONE,
    DocumentState.READ_ONLY: SkipReason.READ_ONLY,
}


@dataclass(frozen=True, slots=True)
class Selection:
    """Which documents of one instance are asked for; tags by number."""

    include: frozenset[int] = field(default_factory=frozenset)
    """A document must carry all of these."""
    exclude: frozenset[int] = field(default_factory=frozenset)
    """A document must carry none of these."""
    trigger: frozenset[int] = field(default_factory=frozenset)
    """Taken off a finished document: one of these there again asks for it anew."""
    since: datetime | None = None
    min_age: timedelta = timedelta(0)
    at_most: int | None = None
    """Number of documents with the tags, by Paperless's own count; None without required tags."""

    def matches(self, document: DocumentSummary) -> bool:
        """Return whether Paperless's own filters would list a document."""
        arrived = self.since is None or document.added >= self.since
        return arrived and self.include <= document.tags


def reason_to_skip(
    document: DocumentSummary, known: KnownDocument | None, selection: Selection, *, now: datetime
) -> SkipReason | None:
    """Say why `document` needs no analysis; None if it does.

    An excluded tag wins over everything: it is what keeps private papers private.
    """
    if (filtered := _filtered(document, selection, now=now)) is not None:
        return filtered
    if known is not None and not _was_put_back(document, known, selection):
        return _NOT_AGAIN[known.state]
    # Only an explicit no counts: a Paperless that does not report this may allow it.
    return SkipReason.READ_ONLY if document.user_can_change is False else None


def _filtered(
    document: DocumentSummary, selection: Selection, *, now: datetime
) -> SkipReason | None:
    """Return why the owner's rules exclude a document; None if they do not."""
    if document.tags & selection.exclude:
        return SkipReason.EXCLUDED
    if not selection.include <= document.tags:
        return SkipReason.NOT_ASKED_FOR
    if selection.since is not None and document.added < selection.since:
        return SkipReason.TOO_OLD
    return SkipReason.TOO_YOUNG if document.added > now - selection.min_age else None


def priority_of(document: DocumentSummary, *, new_since: datetime | None) -> Priority:
    """Put what arrived since then before the backlog; None: everything is backlog."""
    arrived = new_since is not None and document.added > new_since
    return Priority.NEW if arrived else Priority.BACKLOG


def _was_put_back(document: DocumentSummary, known: KnownDocument, selection: Selection) -> bool:
    """Return whether a person requested it again: by a trigger tag, a share, or a restore."""
    if known.state in {DocumentState.GONE, DocumentState.READ_ONLY}:
        return True
    retriggered = known.trigger_removed and bool(document.tags & selection.trigger)
    return known.state is DocumentState.DONE and retriggered
