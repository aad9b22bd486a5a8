"""Scan one instance: select documents, enqueue their jobs, and report what was skipped."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce

import structlog

from core.calendar import Clock
from core.documents import DocumentRef
from core.errors import PaperclerkError, Problem
from core.fields import require_fillable
from core.jobs import ANALYZE, WEBHOOK, NewJob
from core.messages import message
from core.scans import FULL_COVERAGE, INTERRUPTED, Scan, ScanCoverage, ScanPage, SkipReason
from core.spending import Consent
from paperless_client import (
    CustomField,
    DocumentSummary,
    NameLists,
    PaperlessError,
)
from scanner.listing import FullListing, fetch_by_ids
from scanner.selection import (
    DocumentSelector,
    ScanRules,
    Selection,
    TagResolver,
    fetch_permitted_user,
    priority_of,
)
from scanner.watermark import OVERLAP, RecentDocuments, ScanRange, Watermark
from scanner.written import Comparer, WrittenChanges
from store import InvalidTransition, NotFound, Store, StoreUnavailable

log = structlog.get_logger()

_FORMER = 100
"""Number of previous scans among which the last successful one is searched."""


@dataclass(frozen=True, slots=True)
class ScanOrder:
    """A request for a scan."""

    asked_by: str = "hand"
    kind: str = ANALYZE
    limit: int | None = None
    """Maximum number of documents to enqueue; None for all."""
    consent: Consent | None = None
    """To its estimated cost, by the person who started it."""

    @property
    def is_full_scan(self) -> bool:
        """Return whether all documents are enqueued for filing, so that the mark may move."""
        return self.kind == ANALYZE and self.limit is None


class Scanner:
    """Scans one instance for documents that need analysis."""

    def __init__(
        self,
        name: str,
        lists: NameLists,
        rules: ScanRules,
        *,
        comparer: Comparer,
        store: Store,
        clock: Clock,
    ) -> None:
        self.name = name
        self._client = client = lists.client
        self._rules = rules
        self._store = store
        self._clock = clock
        self._lists = lists
        self._tags = TagResolver(rules, self._lists.tags)
        self._user: str | None = None
        """The token's user; None until it is fetched."""
        self.watermark = Watermark(name, client, store, rules)
        self._selector = DocumentSelector(name, client, rules, store=store, clock=clock)
        self._written = WrittenChanges(name, client, comparer, store=store, clock=clock)
        self._left_open: Scan | None = None
        self.current_scan: Scan | None = None
        """The scan that is running."""

    async def scan(self, order: ScanOrder) -> Scan:
        """Enqueue the documents that need analysis, page by page; return the report.

        Documents found before an error stay enqueued, and the report has the problem. Raise
        ScanRunning if a scan of the instance is running.
        """
        await self._close_former()
        scan = await self._store.scans.start(
            self.name,
            asked_by=order.asked_by,
            kind=order.kind,
            limit=order.limit,
            term=self._store.term,
            consent=order.consent,
            now=self._clock(),
        )
        self.current_scan = scan
        # An earlier request may differ from this one; then that request is carried out.
        order = ScanOrder(scan.asked_by, scan.kind, scan.limit)
        try:
            coverage = await self._scan_documents(scan.id, order)
        except InvalidTransition:
            return await self._end_stopped(scan)
        except BaseException as error:
            # Also for a stop: an open scan would block the next one.
            await self._close(scan, _build_problem(error))
            # The token or its permissions may be the cause.
            self._user = None
            raise
        try:
            done = await self._close(scan, coverage)
        except InvalidTransition:
            return await self._end_stopped(scan)
        log.info("scan finished", instance=self.name, scan=scan.id, **_log_fields(done))
        return done

    async def _end_stopped(self, scan: Scan) -> Scan:
        """End a scan whose report was closed meanwhile, such as by a person who cancelled it."""
        self.current_scan = None
        closed = await self._store.scans.get(scan.id)
        if closed.finished_at is None:
            closed = await self._close(scan, INTERRUPTED)
        log.info("scan stopped", instance=self.name, scan=scan.id, **_log_fields(closed))
        return closed

    async def resolve_selection(self) -> Selection:
        """Resolve the tags of the rules to ids; raise TagMissing if one does not exist."""
        return await self._tags.resolve_selection()

    async def preview(self, order: ScanOrder) -> ScanPage:
        """Return what a scan would select now, and why it would skip the rest; write nothing."""
        selection = await self.resolve_selection()
        listing = FullListing(self._client, selection, now=self._clock())
        pages = self._pages(listing.pages(), selection, order, None)
        return reduce(_merge_pages, [page async for page in pages], ScanPage())

    async def require_custom_fields(self) -> None:
        """Raise CustomFieldMissing or CustomFieldNotFillable if one could never be filled."""
        wanted, listed = sorted(self._rules.custom_fields), self._lists.custom_fields
        if not wanted:
            return
        if not set(wanted) <= _types_by_name(listed.cached or ()).keys():
            # A missing tag may have been created since the list was fetched.
            listed.invalidate()
        require_fillable(wanted, _types_by_name(await listed.get_entries()))

    async def is_reachable(self) -> bool:
        """Return whether Paperless answers a request without a document."""
        try:
            await self._client.probe()
        except PaperlessError:
            return False
        return True

    async def explain(self, document: int) -> tuple[DocumentSummary, SkipReason | None]:
        """Return a document and why a scan would skip it now; None if it would be selected."""
        selection = await self.resolve_selection()
        summary = await self._client.fetch_summary(document)
        reasons = await self._selector.find_skip_reasons([summary], selection)
        return summary, reasons[document]

    async def select_named(self, ids: frozenset[int]) -> ScanPage:
        """Return jobs for those of the documents that a scan would select, and why not the others.

        A document that is too young is selected, too: its job is due when it is old enough.
        """
        await self._permitted_user()
        selection = await self.resolve_selection()
        await self.require_custom_fields()
        documents = await fetch_by_ids(self._client, ids)
        due = {document.id: document.added + selection.min_age for document in documents}
        at = max([self._clock(), *due.values()])
        reasons = await self._selector.find_skip_reasons(documents, selection, at=at)
        skipped = Counter(reason for reason in reasons.values() if reason is not None)
        skipped[SkipReason.GONE] += len(ids) - len(documents)
        return ScanPage(
            selected=tuple(
                (self._build_named_job(document.id, due[document.id]), document.title)
                for document in documents
                if reasons[document.id] is None
            ),
            seen=len(ids),
            skipped=+skipped,
        )

    def _build_named_job(self, id_: int, due: datetime) -> NewJob:
        return NewJob(
            DocumentRef(self.name, id_),
            asked_by=WEBHOOK,
            max_attempts=self._rules.max_attempts,
            not_before=due,
        )

    async def _close(self, scan: Scan, outcome: ScanCoverage | Problem) -> Scan:
        self.current_scan = None
        scans, now = self._store.scans, self._clock()
        try:
            if isinstance(outcome, ScanCoverage):
                return await scans.finish(scan.id, coverage=outcome, now=now)
            return await scans.give_up(scan.id, problem=outcome, now=now)
        except StoreUnavailable:
            self._left_open = scan
            raise

    async def _close_former(self) -> None:
        """Close a scan that could not be closed because the database was unavailable."""
        if self._left_open is not None:
            with suppress(NotFound, InvalidTransition):
                await self._close(self._left_open, INTERRUPTED)
            self._left_open = None

    async def _scan_documents(self, scan_id: int, order: ScanOrder) -> ScanCoverage:
        """Enqueue the selected documents; return what was covered."""
        if not order.is_full_scan:
            return await self._scan_limited(scan_id, order)
        begun = self._clock()
        recent = await self.watermark.fetch_recent(now=begun)
        if recent is not None:
            self._written.add(recent.page.results)
            if await self.watermark.has_nothing_to_scan(recent, now=begun):
                await self._written.check()
                return ScanCoverage(recent.mark.modified)
        user = await self._permitted_user()
        selection = await self._tags.resolve_selection(recent.tags if recent else frozenset())
        await self.require_custom_fields()
        range_ = await self.watermark.plan_range(selection, user, recent, now=begun)
        young = await self._record(scan_id, range_.pages, selection, order)
        if range_.coverage.changed_since is None:
            await self._withdraw_gone(scan_id)
        await self._check_written(selection, recent, range_)
        return range_.coverage_without(young)

    async def _scan_limited(self, scan_id: int, order: ScanOrder) -> ScanCoverage:
        """Enqueue documents for a dry run or a limited scan; the mark does not move."""
        if order.kind == ANALYZE:
            await self._permitted_user()
        selection = await self.resolve_selection()
        await self.require_custom_fields()
        listing = FullListing(self._client, selection, now=self._clock())
        await self._record(scan_id, listing.pages(), selection, order)
        if order.limit is not None and listing.unread:
            page = ScanPage(skipped={SkipReason.NOT_READ: listing.unread})
            await self._store.scans.record_page(scan_id, page, now=self._clock())
        return FULL_COVERAGE

    async def _permitted_user(self) -> str:
        """Return the token's user, fetched once per start; raise PermissionMissing."""
        if self._user is None:
            self._user = await fetch_permitted_user(self._rules, self._client)
        return self._user

    async def _record(
        self,
        scan_id: int,
        listing: AsyncIterator[list[DocumentSummary]],
        selection: Selection,
        order: ScanOrder,
    ) -> list[datetime]:
        """Store the selected documents page by page; return when those too young were modified."""
        new_since, young = await self._new_since(scan_id, order), list[datetime]()
        async for page in self._pages(listing, selection, order, new_since):
            await self._store.scans.record_page(scan_id, page, now=self._clock())
            young += page.young
        return young

    async def _check_written(
        self, selection: Selection, recent: RecentDocuments | None, range_: ScanRange
    ) -> None:
        """Check whether someone changed our values on modified documents."""
        newest = range_.coverage.mark
        filtered = bool(selection.include or selection.since)
        if filtered and newest and recent is not None and not recent.is_complete:
            await self._written.add_modified(recent.mark.modified - OVERLAP, newest.modified)
        await self._written.check()

    async def _withdraw_gone(self, scan_id: int) -> None:
        """Withdraw the reviews of documents that are gone from Paperless."""
        waiting = await self._store.documents.list_ids_for_review(self.name)
        found = {document.id for document in await fetch_by_ids(self._client, waiting)}
        gone = await self._store.documents.withdraw_gone(
            self.name, waiting - found, now=self._clock()
        )
        if gone:
            page = ScanPage(skipped={SkipReason.GONE: gone})
            await self._store.scans.record_page(scan_id, page, now=self._clock())

    async def _pages(
        self,
        listing: AsyncIterator[list[DocumentSummary]],
        selection: Selection,
        order: ScanOrder,
        new_since: datetime | None,
    ) -> AsyncIterator[ScanPage]:
        """Yield the selected documents page by page, up to the limit of the order."""
        left = order.limit
        async for documents in listing:
            page = _limit_page(await self._select(documents, selection, order, new_since), left)
            yield page
            if left is not None:
                left -= len(page.selected)
                if left == 0:
                    return

    async def _new_since(self, scan_id: int, order: ScanOrder) -> datetime | None:
        """Return since when documents are new: the start of the last good scan, less `min_age`.

        That scan read the list at its start, and skipped documents that were too young.
        """
        former = await self._store.scans.list(self.name, limit=_FORMER, before_id=scan_id)
        for scan in former:
            if scan.started_at and scan.problem is None and scan.kind == order.kind:
                return scan.started_at - self._rules.min_age
        return None

    async def _select(
        self,
        documents: Sequence[DocumentSummary],
        selection: Selection,
        order: ScanOrder,
        new_since: datetime | None,
    ) -> ScanPage:
        self._written.add(documents)
        reasons = await self._selector.find_skip_reasons(documents, selection)
        return ScanPage(
            selected=tuple(
                (self._build_job(document, order, new_since), document.title)
                for document in documents
                if reasons[document.id] is None
            ),
            seen=len(documents),
            skipped=Counter(reason for reason in reasons.values() if reason is not None),
            young=tuple(
                document.modified
                for document in documents
                if reasons[document.id] is SkipReason.TOO_YOUNG
            ),
        )

    def _build_job(
        self, document: DocumentSummary, order: ScanOrder, new_since: datetime | None
    ) -> NewJob:
        return NewJob(
            DocumentRef(self.name, document.id),
            kind=order.kind,
            priority=priority_of(document, new_since=new_since),
            asked_by=order.asked_by,
            max_attempts=self._rules.max_attempts,
        )


def _build_problem(error: BaseException) -> Problem:
    """Build the problem of a scan that ended early; for an unexpected error only its type."""
    if isinstance(error, PaperlessError | PaperclerkError):
        return Problem.from_error(error)
    if isinstance(error, asyncio.CancelledError):
        return INTERRUPTED
    text = message("unexpected: {kind}", kind=type(error).__name__)
    return Problem(PaperclerkError.code, text, PaperclerkError.user_message)


def _types_by_name(fields: Iterable[CustomField]) -> dict[str, str]:
    return {field.name: field.data_type for field in fields}


def _log_fields(scan: Scan) -> dict[str, object]:
    """Return the fields of a scan for its line in the log."""
    fields: dict[str, object] = {"by": scan.asked_by, "seen": scan.seen, "enqueued": scan.enqueued}
    if skipped := sum(scan.skipped.values()):
        fields["skipped"] = skipped
    if scan.started_at and scan.finished_at:
        fields["took_ms"] = round((scan.finished_at - scan.started_at).total_seconds() * 1000)
    if scan.changed_since is not None:
        fields["changed_since"] = scan.changed_since.isoformat()
    return fields


def _merge_pages(first: ScanPage, second: ScanPage) -> ScanPage:
    return ScanPage(
        first.selected + second.selected,
        seen=first.seen + second.seen,
        skipped=Counter(first.skipped) + Counter(second.skipped),
    )


def _limit_page(page: ScanPage, left: int | None) -> ScanPage:
    if left is None or len(page.selected) <= left:
        return page
    skipped = Counter(page.skipped)
    skipped[SkipReason.OVER_LIMIT] += len(page.selected) - left
    return replace(page, selected=page.selected[:left], skipped=skipped)
