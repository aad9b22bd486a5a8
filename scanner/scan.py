"""Find what waits for a person though its document is gone from Paperless."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce

import structlog

from core.clock import Clock
from core.custom_fields import require_fillable
from core.documents import DocumentRef
from core.errors import PaperclerkError, Problem
from core.jobs import ANALYZE, NewJob
from core.messages import message
from core.scans import FULL_COVERAGE, INTERRUPTED, Scan, ScanCoverage, ScanPage, SkipReason
from paperless_client import (
    CustomField,
    DocumentQuery,
    DocumentSummary,
    NameLists,
    PaperlessClient,
    PaperlessError,
    chunked,
)
from scanner.judging import DocumentSelector
from scanner.listing import FullListing
from scanner.rules import ScanRules, TagResolver, fetch_permitted_user
from scanner.selection import Selection, priority_of
from scanner.watermark import OVERLAP, RecentDocuments, ScanRange, Watermark
from scanner.written import Comparer, WrittenChanges
from store import InvalidTransition, NotFound, Store, StoreUnavailable


class GoneDocumentSweeper:
    """Withdraws what nobody can decide about any more."""

    def __init__(self, name: str, client: PaperlessClient, *, store: Store, clock: Clock) -> None:
        self._name = name
        self._client = client
        self._store = store
        self._clock = clock

    async def sweep(self) -> int:
        """Withdraw what waits for review of vanished documents; return how many those are."""
        waiting = await self._store.documents.list_ids_for_review(self._name)
        gone = await self._missing(waiting)
        return await self._store.documents.withdraw_gone(self._name, gone, now=self._clock())

    async def _missing(self, ids: Iterable[int]) -> frozenset[int]:
        missing = frozenset[int]()
        for chunk in chunked(ids):
            page = await self._client.list_documents(
                DocumentQuery(ids=chunk), page=1, page_size=len(chunk)
            )
            missing |= chunk - {one.id for one in page.results}
        return missing


log = structlog.get_logger()

_FORMER = 100
"""So many scans are looked at for the last good one."""


@dataclass(frozen=True, slots=True)
class ScanOrder:
    """One scan as it was asked for."""

    asked_by: str = "hand"
    kind: str = ANALYZE
    limit: int | None = None
    """At most so many documents are enqueued; None for all."""

    @property
    def is_full_scan(self) -> bool:
        """Return whether all that is found is enqueued to be filed: then the next one can go on."""
        return self.kind == ANALYZE and self.limit is None


class Scanner:
    """Looks through one instance for documents that need analysis."""

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
        self._judge = DocumentSelector(name, client, rules, store=store, clock=clock)
        self._sweep = GoneDocumentSweeper(name, client, store=store, clock=clock)
        self._written = WrittenChanges(name, client, comparer, store=store, clock=clock)
        self._left_open: Scan | None = None
        self.current_scan: Scan | None = None
        """The scan that is being done at this moment."""

    async def scan(self, order: ScanOrder) -> Scan:
        """Enqueue what is not handled yet, page by page; return the report.

        What was found before an error stays enqueued, and the report says that it is cut short.
        Raise ScanRunning if a scan of the instance is under way.
        """
        await self._close_former()
        scan = await self._store.scans.start(
            self.name,
            asked_by=order.asked_by,
            kind=order.kind,
            limit=order.limit,
            now=self._clock(),
        )
        self.current_scan = scan
        # Someone may have asked before, and for something else: then that is what is done.
        order = ScanOrder(scan.asked_by, scan.kind, scan.limit)
        try:
            looked = await self._scan_documents(scan.id, order)
        except BaseException as error:
            # Whatever it was, also a stop: a scan left open would stand in the way of the next.
            await self._close(scan, _problem(error))
            # The token or its permissions may be the cause.
            self._user = None
            raise
        done = await self._close(scan, looked)
        log.info("scan finished", instance=self.name, scan=scan.id, **_log_fields(done))
        return done

    async def resolve_selection(self) -> Selection:
        """Turn the rules' tag names into numbers; raise TagMissing if one does not exist."""
        return await self._tags.resolve_selection()

    async def preview(self, order: ScanOrder) -> ScanPage:
        """Say what a scan would select now, and why it would leave the rest; write nothing."""
        selection = await self.resolve_selection()
        listing = FullListing(self._client, selection, now=self._clock())
        pages = self._pages(listing.pages(), selection, order, None)
        return reduce(_merge_pages, [page async for page in pages], ScanPage())

    async def require_custom_fields(self) -> None:
        """Raise CustomFieldMissing or CustomFieldNotFillable if one could never be filled."""
        wanted, listed = sorted(self._rules.custom_fields), self._lists.custom_fields
        if not wanted:
            return
        if not set(wanted) <= _types(listed.cached or ()).keys():
            # A missing tag may have been created since the list was fetched.
            listed.invalidate()
        require_fillable(wanted, _types(await listed.get_entries()))

    async def is_reachable(self) -> bool:
        """Return whether Paperless answers when no document is asked for."""
        try:
            await self._client.probe()
        except PaperlessError:
            return False
        return True

    async def explain(self, document: int) -> tuple[DocumentSummary, SkipReason | None]:
        """Say why a document is, or is not, selected by a scan at this moment."""
        selection = await self.resolve_selection()
        summary = await self._client.fetch_summary(document)
        reasons = await self._judge.find_skip_reasons([summary], selection)
        return summary, reasons[document]

    async def _close(self, scan: Scan, outcome: ScanCoverage | Problem) -> Scan:
        self.current_scan = None
        scans, now = self._store.scans, self._clock()
        try:
            if isinstance(outcome, ScanCoverage):
                return await scans.finish(scan.id, looked=outcome, now=now)
            return await scans.give_up(scan.id, problem=outcome, now=now)
        except StoreUnavailable:
            self._left_open = scan
            raise

    async def _close_former(self) -> None:
        """Close the scan that could not be closed at its end, because the database was away."""
        if self._left_open is not None:
            with suppress(NotFound, InvalidTransition):
                await self._close(self._left_open, INTERRUPTED)
            self._left_open = None

    async def _scan_documents(self, scan_id: int, order: ScanOrder) -> ScanCoverage:
        """Enqueue what is selected of what has to be looked at; say what that was."""
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
        reach = await self.watermark.plan_range(selection, user, recent, now=begun)
        young = await self._record(scan_id, reach.pages, selection, order)
        if reach.coverage.changed_since is None:
            await self._withdraw_gone(scan_id)
        await self._check_written(selection, recent, reach)
        return reach.coverage_without(young)

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
        """Store the selected documents page by page; return when too young ones were modified."""
        new_since, young = await self._new_since(scan_id, order), list[datetime]()
        async for page in self._pages(listing, selection, order, new_since):
            await self._store.scans.record_page(scan_id, page, now=self._clock())
            young += page.young
        return young

    async def _check_written(
        self, selection: Selection, recent: RecentDocuments | None, reach: ScanRange
    ) -> None:
        """Check whether someone changed our values on modified documents."""
        newest = reach.coverage.mark
        filtered = bool(selection.include or selection.since)
        if filtered and newest and recent is not None and not recent.is_complete:
            await self._written.add_modified(recent.mark.modified - OVERLAP, newest.modified)
        await self._written.check()

    async def _withdraw_gone(self, scan_id: int) -> None:
        """Withdraw what waits of documents that are gone; a scan of changes cannot see them."""
        if gone := await self._sweep.sweep():
            page = ScanPage(skipped={SkipReason.GONE: gone})
            await self._store.scans.record_page(scan_id, page, now=self._clock())

    async def _pages(
        self,
        listing: AsyncIterator[list[DocumentSummary]],
        selection: Selection,
        order: ScanOrder,
        new_since: datetime | None,
    ) -> AsyncIterator[ScanPage]:
        """Yield page by page what is selected, until the order's limit is reached."""
        left = order.limit
        async for documents in listing:
            page = _at_most(await self._select(documents, selection, order, new_since), left)
            yield page
            if left is not None:
                left -= len(page.selected)
                if left == 0:
                    return

    async def _new_since(self, scan_id: int, order: ScanOrder) -> datetime | None:
        """Return since when what arrived is new: when the last good scan began, less `min_age`.

        By its end it had long read the list, and what was too young then it had left alone.
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
        reasons = await self._judge.find_skip_reasons(documents, selection)
        young = (one.modified for one in documents if reasons[one.id] is SkipReason.TOO_YOUNG)
        return ScanPage(
            selected=tuple(
                (self._job(one, order, new_since), one.title)
                for one in documents
                if reasons[one.id] is None
            ),
            seen=len(documents),
            skipped=Counter(why for why in reasons.values() if why is not None),
            young=tuple(young),
        )

    def _job(
        self, document: DocumentSummary, order: ScanOrder, new_since: datetime | None
    ) -> NewJob:
        return NewJob(
            DocumentRef(self.name, document.id),
            kind=order.kind,
            priority=priority_of(document, new_since=new_since),
            asked_by=order.asked_by,
            max_attempts=self._rules.max_attempts,
        )


def _problem(error: BaseException) -> Problem:
    """Say why a scan ended early; of what nobody foresaw only the kind, not the words."""
    if isinstance(error, PaperlessError | PaperclerkError):
        return Problem.from_error(error)
    if isinstance(error, asyncio.CancelledError):
        return INTERRUPTED
    said = message("unexpected: {kind}", kind=type(error).__name__)
    return Problem(PaperclerkError.code, said, PaperclerkError.user_message)


def _types(fields: Iterable[CustomField]) -> dict[str, str]:
    return {field.name: field.data_type for field in fields}


def _log_fields(scan: Scan) -> dict[str, object]:
    """Give what an operator wants to read of a scan, in one line of the log."""
    told: dict[str, object] = {"by": scan.asked_by, "seen": scan.seen, "enqueued": scan.enqueued}
    if skipped := sum(scan.skipped.values()):
        told["skipped"] = skipped
    if scan.started_at and scan.finished_at:
        told["took_ms"] = round((scan.finished_at - scan.started_at).total_seconds() * 1000)
    if scan.changed_since is not None:
        told["changed_since"] = scan.changed_since.isoformat()
    return told


def _merge_pages(one: ScanPage, other: ScanPage) -> ScanPage:
    return ScanPage(
        one.selected + other.selected,
        seen=one.seen + other.seen,
        skipped=Counter(one.skipped) + Counter(other.skipped),
    )


def _at_most(page: ScanPage, left: int | None) -> ScanPage:
    if left is None or len(page.selected) <= left:
        return page
    skipped = Counter(page.skipped)
    skipped[SkipReason.OVER_LIMIT] += len(page.selected) - left
    return replace(page, selected=page.selected[:left], skipped=skipped)
