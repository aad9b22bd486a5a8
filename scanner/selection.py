"""Decide whether a document needs analysis, and if not, why."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from core.documents import DocumentState, KnownDocument
from core.jobs import Priority
from core.scans import SkipReason
from paperless_client import DocumentSummary

_NOT_AGAIN = {
    DocumentState.QUEUED: SkipReason.QUEUED,
    DocumentState.DONE: SkipReason.DONE,
    DocumentState.ADOPTED: SkipReason.ADOPTED,
    DocumentState.FAILED: SkipReason.FAILED,
    DocumentState.CANCELLED: SkipReason.CANCELLED,
    DocumentState.IGNORED: SkipReason.IGNORED,
    DocumentState.GONE: SkipReason.GONE,
    DocumentState.READ_ONLY: SkipReason.READ_ONLY,
}


@dataclass(frozen=True, slots=True)
class Selection:
    """Which documents of one instance to select, with tags by id."""

    include: frozenset[int] = field(default_factory=frozenset)
    """A document must carry all of these."""
    exclude: frozenset[int] = field(default_factory=frozenset)
    """A document must carry none of these."""
    trigger: frozenset[int] = field(default_factory=frozenset)
    """Tags removed from a finished document: if one is added again, it is processed again."""
    done: frozenset[int] = field(default_factory=frozenset)
    """The tag of finished documents; an unknown document that carries it was processed before."""
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
    """Return why a document is skipped; None if it needs analysis.

    An excluded tag has priority over everything: it protects private documents.
    """
    if (reason := _check_rules(document, selection, now=now)) is not None:
        return reason
    if known is None and _is_done_by_tag(document, selection):
        return SkipReason.DONE_TAG
    if known is not None and not _was_requested_again(document, known, selection):
        return _NOT_AGAIN[known.state]
    # Only an explicit no counts: a Paperless that does not report this may allow it.
    return SkipReason.READ_ONLY if document.user_can_change is False else None


def _check_rules(
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
    """Return the priority: documents added since `new_since` come before the backlog."""
    arrived = new_since is not None and document.added > new_since
    return Priority.NEW if arrived else Priority.BACKLOG


def _is_done_by_tag(document: DocumentSummary, selection: Selection) -> bool:
    """Return whether the done tag says that the document was processed.

    Filing removes the trigger tags: where one stands beside the done tag, a person put it back.
    """
    return bool(document.tags & selection.done) and not document.tags & selection.trigger


def _was_requested_again(
    document: DocumentSummary, known: KnownDocument, selection: Selection
) -> bool:
    """Return whether a person requested it again: by a trigger tag, a share, or a restore."""
    if known.state in {DocumentState.GONE, DocumentState.READ_ONLY}:
        return True
    if not document.tags & selection.trigger:
        return False
    if known.state is DocumentState.ADOPTED:
        return True
    return known.state is DocumentState.DONE and known.trigger_removed
