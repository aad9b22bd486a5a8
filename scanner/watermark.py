"""How far an instance has been scanned, so that a scan reads only what changed since.

Paperless updates `modified` when a document arrives, is tagged, shared or edited. Other changes,
such as a renamed tag, are found when the whole list is read, once a day.
"""

import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta, tzinfo

import structlog

from core.calendar import day_at
from core.jobs import Scope
from core.scans import FULL_COVERAGE, ScanCoverage, ScanMark
from paperless_client import DocumentQuery, DocumentSummary, Ordering, Page, PaperlessClient
from scanner.listing import (
    FullListing,
    ListSummary,
    build_changed_query,
    fetch_list_summary,
    fetch_newest_document,
    fetch_pages,
)
from scanner.selection import ScanRules, Selection
from store import Store

log = structlog.get_logger()

NIGHT_BEGINS, NIGHT_ENDS = time(1), time(5)
"""Hours of the night, in the owner's time zone."""
MAX_SKIPPED = timedelta(days=6, hours=12)
"""Six nights in a row may be skipped: by the seventh, at least 6 days and 20 hours have passed."""
_DAY = timedelta(days=1)
OVERLAP = timedelta(minutes=5)
"""How long after its `modified` a write of Paperless may become visible."""
_AROUND = 100
"""Number of documents that are compared to detect a change around the mark."""


@dataclass(frozen=True, slots=True)
class ScanRange:
    """What one scan reads, and where the next one continues."""

    pages: AsyncIterator[list[DocumentSummary]]
    coverage: ScanCoverage

    def coverage_without(self, young: Iterable[datetime]) -> ScanCoverage:
        """Return the mark after a scan in which some documents were too young."""
        mark, earliest = self.coverage.mark, min(young, default=None)
        if mark is None or earliest is None:
            return self.coverage
        waiting = replace(mark, modified=min(mark.modified, earliest), around=None)
        return replace(self.coverage, mark=waiting)


@dataclass(frozen=True, slots=True)
class RecentDocuments:
    """Documents modified since shortly before the mark, whatever their tags."""

    mark: ScanMark
    page: Page[DocumentSummary]

    @property
    def is_unchanged(self) -> bool:
        return hash_documents(self.page.count, self.page.results) == self.mark.around

    @property
    def is_complete(self) -> bool:
        """Return whether no further page is needed."""
        return not self.page.has_next

    @property
    def newest(self) -> datetime:
        """Return the newest known `modified`, at least the mark's."""
        modified = (document.modified for document in self.page.results)
        return max(modified, default=self.mark.modified)

    @property
    def reaches_mark(self) -> bool:
        """Return whether a document is as new as the mark; false after restoring a backup."""
        return any(document.modified >= self.mark.modified for document in self.page.results)

    @property
    def tags(self) -> frozenset[int]:
        """Return all tags of the documents."""
        return frozenset().union(*(document.tags for document in self.page.results))

    def mark_after(self) -> ScanMark:
        """Return the mark after all of these documents were checked."""
        newest = max(self.newest, self.mark.modified)
        since = newest - OVERLAP
        around = [document for document in self.page.results if document.modified >= since]
        mark = replace(self.mark, modified=newest, around=hash_documents(len(around), around))
        expected = self.expected_summary()
        if expected is None:
            return mark
        return replace(mark, documents=expected.documents, newest_id=expected.newest_id)

    def expected_summary(self) -> ListSummary | None:
        """Return the expected number of documents and newest id; None if unknown.

        An id above the newest known one is a new document.
        """
        known, newest = self.mark.documents, self.mark.newest_id
        if known is None or newest is None or not self.is_complete:
            return None
        arrived = [document.id for document in self.page.results if document.id > newest]
        return ListSummary(known + len(arrived), max([newest, *arrived]))


class Watermark:
    """Decides what a scan of one instance reads."""

    def __init__(
        self, instance: str, client: PaperlessClient, store: Store, rules: ScanRules
    ) -> None:
        self._instance = instance
        self._client = client
        self._store = store
        self._zone = rules.zone
        self._may_skip = not rules.reanalyze
        self._rules: str | None = None
        """Hash of the rules as resolved by this process; None before the first scan."""

    async def fetch_recent(self, *, now: datetime) -> RecentDocuments | None:
        """Read what was modified since the last scan; None if the whole list must be read."""
        mark = await self._store.scans.get_mark(self._instance)
        # A mark in the future comes from a clock that was ahead.
        if mark is None or mark.whole_at > now:
            return None
        return RecentDocuments(mark, await self._fetch_modified(mark.modified - OVERLAP))

    async def has_nothing_to_scan(self, recent: RecentDocuments, *, now: datetime) -> bool:
        """Return whether nothing has changed since the last scan, and nothing else is due."""
        mark = recent.mark
        same = mark.rules == self._rules and recent.is_unchanged
        return same and not await self._pass_is_due(mark, now)

    async def is_daily_pass_missing(self, *, now: datetime) -> bool:
        """Return whether it is night and the daily pass is still to be made."""
        mark = await self._store.scans.get_mark(self._instance)
        night = is_night(now, self._zone)
        return night and mark is not None and await self._pass_is_due(mark, now)

    def is_in_latest_night(self, moment: datetime, *, now: datetime) -> bool:
        """Return whether a time is in the latest night."""
        return last_night(now, self._zone) <= moment <= now

    def next_night(self, now: datetime) -> datetime:
        return next_night(now, self._zone)

    async def plan_range(
        self, selection: Selection, user: str, recent: RecentDocuments | None, *, now: datetime
    ) -> ScanRange:
        """Return what to read by these rules, and where the next scan continues."""
        self._rules = rules = hash_rules(selection, user)
        if recent is None or recent.mark.rules != rules:
            return await self._plan_full_range(selection, rules, now=now)
        if not await self._pass_is_due(recent.mark, now):
            return await self._plan_changed_range(recent, selection)
        if not await self._can_skip_pass(recent, now):
            return await self._plan_full_range(selection, rules, now=now)
        log.info("daily pass skipped", instance=self._instance, documents=recent.mark.documents)
        changed = await self._plan_changed_range(recent, selection)
        assert changed.coverage.mark is not None
        passed = replace(changed.coverage.mark, passed_at=now)
        return replace(changed, coverage=replace(changed.coverage, mark=passed))

    async def _plan_changed_range(self, recent: RecentDocuments, selection: Selection) -> ScanRange:
        mark, newest = recent.mark, max(recent.newest, recent.mark.modified)
        if recent.is_complete:
            next_mark = recent.mark_after()
            pages = _one_page([] if recent.is_unchanged else _filter(recent, selection))
        else:
            # Documents hidden by the filter cannot be counted: the next daily pass is not skipped.
            around = await self._fetch_documents_hash(newest)
            next_mark = replace(
                mark, modified=newest, around=around, documents=None, newest_id=None
            )
            pages = fetch_pages(
                self._client, build_changed_query(selection, mark.modified - OVERLAP, newest)
            )
        return ScanRange(pages, ScanCoverage(changed_since=mark.modified, mark=next_mark))

    async def _plan_full_range(
        self, selection: Selection, rules: str, *, now: datetime
    ) -> ScanRange:
        # Read before the list, so that the next scan finds what changes in between.
        summary = await fetch_list_summary(self._client, now=now)
        newest = await fetch_newest_document(self._client, Ordering.MODIFIED_NEWEST_FIRST, now=now)
        pages = FullListing(self._client, selection, now=now).pages()
        if newest is None:
            return ScanRange(pages, FULL_COVERAGE)
        mark = ScanMark(
            newest.modified,
            rules,
            await self._fetch_documents_hash(newest.modified),
            whole_at=now,
            passed_at=now,
            documents=summary.documents,
            newest_id=summary.newest_id,
        )
        return ScanRange(pages, ScanCoverage(mark=mark))

    async def _pass_is_due(self, mark: ScanMark, now: datetime) -> bool:
        async def idle() -> bool:
            ours = Scope(instances=(self._instance,))
            return not await self._store.jobs.is_anything_due(ours, now=now)

        return await is_due(mark, now=now, zone=self._zone, idle=idle)

    async def _can_skip_pass(self, recent: RecentDocuments, now: datetime) -> bool:
        """Return whether the number, the newest id and the newest `modified` are as expected."""
        if not self._may_skip or not may_be_skipped(recent.mark, now=now):
            return False
        expected = recent.expected_summary()
        if expected is None or not recent.reaches_mark:
            return False
        return expected == await fetch_list_summary(self._client, now=now)

    async def _fetch_documents_hash(self, newest: datetime) -> str:
        """Return the hash of the documents around a mark, fetched before the list is read.

        A document modified in between is then listed and changes the hash.
        """
        page = await self._fetch_modified(newest - OVERLAP, newest)
        return hash_documents(page.count, page.results)

    async def _fetch_modified(
        self, since: datetime, until: datetime | None = None
    ) -> Page[DocumentSummary]:
        # Without a filter by tags: names are resolved only if something has changed.
        query = DocumentQuery(
            modified_since=since,
            modified_until=until,
            ordering=Ordering.MODIFIED_NEWEST_FIRST,
        )
        return await self._client.list_documents(query, page=1, page_size=_AROUND)


def hash_rules(selection: Selection, user: str) -> str:
    """Return the hash of the rules that select old documents, and of the user."""
    rules = (
        sorted(selection.include),
        sorted(selection.exclude),
        sorted(selection.trigger),
        sorted(selection.done),
        selection.since and selection.since.timestamp(),
        user,
    )
    return _hash(repr(rules))


def hash_documents(count: int, documents: Sequence[DocumentSummary]) -> str:
    """Return the hash of the number of documents, and of the id and time of each."""
    modified = [(document.id, document.modified.timestamp()) for document in documents]
    return _hash(repr((count, modified)))


def last_night(now: datetime, zone: tzinfo | None) -> datetime:
    """Return when the latest night began, including the current one."""
    today = _begins(now, zone)
    return today if today <= now else _begins(now - _DAY, zone)


def next_night(now: datetime, zone: tzinfo | None) -> datetime:
    """Return when the next night begins."""
    today = _begins(now, zone)
    return today if today > now else _begins(now + _DAY, zone)


def is_night(now: datetime, zone: tzinfo | None) -> bool:
    return NIGHT_BEGINS <= now.astimezone(zone).time() < NIGHT_ENDS


async def is_due(
    mark: ScanMark,
    *,
    now: datetime,
    zone: tzinfo | None,
    idle: Callable[[], Awaitable[bool]],
) -> bool:
    """Return whether to read the whole list now.

    During the day this only makes up for a missed night, once the queue is idle, or at once after
    a second missed night.
    """
    night = last_night(now, zone)
    # A time in the future comes from a clock that was ahead.
    if night <= mark.passed_at <= now:
        return False
    return is_night(now, zone) or mark.passed_at < night - _DAY or await idle()


def may_be_skipped(mark: ScanMark, *, now: datetime) -> bool:
    """Return whether another night may pass without reading the whole list."""
    return now - mark.whole_at < MAX_SKIPPED


def _filter(recent: RecentDocuments, selection: Selection) -> list[DocumentSummary]:
    """Return the documents that match the selection, oldest change first."""
    return [document for document in reversed(recent.page.results) if selection.matches(document)]


async def _one_page(documents: list[DocumentSummary]) -> AsyncIterator[list[DocumentSummary]]:
    yield documents


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _begins(moment: datetime, zone: tzinfo | None) -> datetime:
    return datetime.combine(day_at(moment, zone), NIGHT_BEGINS, tzinfo=zone).astimezone(UTC)
