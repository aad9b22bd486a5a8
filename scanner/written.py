"""Check whether someone changed what Paperclerk wrote, and settle what it could not confirm."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Protocol

import structlog

from core.calendar import Clock
from core.changes import Change, ChangeOutcome, ChangeState, SeenChange
from core.documents import DocumentRef
from core.fields import is_same_value
from paperless_client import (
    DocumentFields,
    DocumentQuery,
    DocumentSummary,
    Ordering,
    PaperlessClient,
)
from scanner.listing import fetch_pages
from store import Store

log = structlog.get_logger()

_AT_ONCE = 100
"""Number of documents read with one request."""
_MAX_CHECKED = 2_000
"""Maximum number of documents checked per scan; after an upgrade all may need a check."""


class Comparer(Protocol):
    """Compares changes of one document with its fields as they were read."""

    async def compare_written(
        self, document: DocumentFields, changes: Sequence[Change], /
    ) -> tuple[SeenChange, ...]: ...

    async def compare_unconfirmed(
        self, document: DocumentFields, changes: Sequence[Change], /
    ) -> tuple[ChangeOutcome, ...]: ...


class WrittenChanges:
    """Checks the documents of one instance that Paperclerk wrote to."""

    def __init__(
        self,
        name: str,
        client: PaperlessClient,
        comparer: Comparer,
        *,
        store: Store,
        clock: Clock,
    ) -> None:
        self._name = name
        self._client = client
        self._comparer = comparer
        self._store = store
        self._clock = clock
        self._modified: dict[int, datetime] = {}

    def add(self, documents: Iterable[DocumentSummary]) -> None:
        """Remember documents listed by a scan until they are checked."""
        self._modified.update((document.id, document.modified) for document in documents)

    async def add_modified(self, since: datetime, until: datetime) -> None:
        """Remember the documents modified in a time span, with any tags.

        A scan that requires a tag does not list documents from which we removed it.
        """
        if not await self._store.written.has_any(self._name):
            return
        query = DocumentQuery(
            modified_since=since, modified_until=until, ordering=Ordering.MODIFIED
        )
        async for documents in fetch_pages(self._client, query):
            self.add(documents)

    async def check(self) -> None:
        """Compare written values with Paperless, with one request per 100 documents.

        Only documents modified since their last check, or with unconfirmed changes, are read.
        Missing documents are left alone.
        """
        modified, self._modified = self._modified, {}
        changes = await self._store.written.list_to_check(self._name, modified)
        rest = islice(changes, _MAX_CHECKED)
        changed = 0
        while ids := frozenset(islice(rest, _AT_ONCE)):
            documents = await self._client.fetch_fields_of(ids)
            for document in documents:
                changed += await self._check_document(document, changes[document.id])
            checked = {
                document.id: modified[document.id]
                for document in documents
                if document.id in modified
            }
            await self._store.written.record_checked(self._name, checked)
        if changed:
            log.info("written values changed", instance=self._name, fields=changed)

    async def _check_document(self, document: DocumentFields, changes: Sequence[Change]) -> int:
        """Store the state of one document's changes; return how many were changed since.

        A write that Paperless may still carry out is left to a later scan.
        """
        ref, now = DocumentRef(self._name, document.id), self._clock()
        unconfirmed = [
            change
            for change in changes
            if change.state is ChangeState.UNCONFIRMED and not change.may_take_effect_late(now)
        ]
        if unconfirmed:
            outcomes = await self._comparer.compare_unconfirmed(document, unconfirmed)
            await self._store.changes.settle_unconfirmed(ref, outcomes, now=now)
        applied = {change.id: change for change in changes if change.state is ChangeState.APPLIED}
        seen = await self._comparer.compare_written(document, tuple(applied.values()))
        unrecorded = filter_unrecorded(applied, seen)
        await self._store.written.record_seen(ref, unrecorded, now=now)
        return sum(not finding.is_ours for finding in unrecorded)


def filter_unrecorded(
    changes: Mapping[int, Change], seen: Iterable[SeenChange]
) -> tuple[SeenChange, ...]:
    """Return the findings that are not stored with the changes yet."""
    return tuple(finding for finding in seen if _is_unrecorded(changes[finding.change_id], finding))


def _is_unrecorded(change: Change, seen: SeenChange) -> bool:
    if seen.is_ours or change.changed_seen_at is None:
        return seen.is_ours == (change.changed_seen_at is not None)
    return not is_same_value(change.changed_to, seen.found)
