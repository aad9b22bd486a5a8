"""How far an instance has been looked through, so that a scan looks only at what changed since.

Paperless bumps `modified` when a document arrives, is tagged, shared or edited. What it does not
tell by it, such as a tag's new name, is found when the whole list is gone through, once a day.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from core.scans import LOOKED_AT_ALL, Looked, ScanMark
from paperless_client import DocumentQuery, DocumentSummary, Ordering, Page, PaperlessClient
from scanner.listing import changed, everything
from scanner.selection import Selection
from store import Store

OVERLAP = timedelta(minutes=5)
"""So long a write of Paperless may take to be seen after the moment it bears."""
WHOLE_EVERY = timedelta(days=1)
_AROUND = 100
"""So many documents tell, with their number, whether anything has changed around the mark."""


@dataclass(frozen=True, slots=True)
class Reach:
    """At what one scan looks."""

    query: DocumentQuery
    looked: Looked

    def looked_but(self, young: Iterable[datetime]) -> Looked:
        """Say at what was looked, when of some documents it was too early to say anything."""
        mark, earliest = self.looked.mark, min(young, default=None)
        if mark is None or earliest is None:
            return self.looked
        waiting = replace(mark, modified=min(mark.modified, earliest), around=None)
        return replace(self.looked, mark=waiting)


class Horizon:
    """Knows from where on an instance is to be looked at."""

    def __init__(self, instance: str, client: PaperlessClient, store: Store) -> None:
        self._instance = instance
        self._client = client
        self._store = store
        self._rules: str | None = None
        """As this process has found them: what a name stands for is known by asking only."""

    async def unchanged(self, *, now: datetime) -> Looked | None:
        """Tell with one small request whether nothing has changed since the last scan.

        None: something has, or it cannot be said.
        """
        mark = await self._store.scans.mark(self._instance)
        if mark is None or mark.around is None or not _is_good(mark, self._rules, now=now):
            return None
        if around(await self._recent(mark.modified - OVERLAP)) != mark.around:
            return None
        return Looked(mark.modified)

    async def reach(self, selection: Selection, user: str, *, now: datetime) -> Reach:
        """Say what is to be looked at by these rules, and where the next scan will go on."""
        self._rules = rules = rules_of(selection, user)
        mark = await self._store.scans.mark(self._instance)
        if mark is None or not _is_good(mark, rules, now=now):
            return await self._whole(selection, rules, now=now)
        newest = await self._newest(mark.modified) or mark.modified
        further = replace(mark, modified=newest, around=await self._around(newest))
        span = changed(selection, mark.modified - OVERLAP, newest)
        return Reach(span, Looked(changed_since=mark.modified, mark=further))

    async def _whole(self, selection: Selection, rules: str, *, now: datetime) -> Reach:
        query, newest = everything(selection), await self._newest(None)
        if newest is None:
            return Reach(query, LOOKED_AT_ALL)
        mark = ScanMark(newest, rules, await self._around(newest), whole_at=now)
        return Reach(query, Looked(mark=mark))

    async def _newest(self, since: datetime | None) -> datetime | None:
        """Return when a document was last modified; None if there is none since then."""
        query = DocumentQuery(modified_since=since, ordering=Ordering.MODIFIED_NEWEST_FIRST)
        page = await self._client.documents(query, page=1, page_size=1)
        return page.results[0].modified if page.results else None

    async def _around(self, newest: datetime) -> str:
        """Hash what stands around a mark before the list is read.

        What comes in between is then listed and changes the hash: it cannot be overlooked.
        """
        return around(await self._recent(newest - OVERLAP, newest))

    async def _recent(
        self, since: datetime, until: datetime | None = None
    ) -> Page[DocumentSummary]:
        # Whatever their tags: which of them count is not asked before something has changed.
        query = DocumentQuery(
            modified_since=since,
            modified_until=until,
            ordering=Ordering.MODIFIED_NEWEST_FIRST,
        )
        return await self._client.documents(query, page=1, page_size=_AROUND)


def rules_of(selection: Selection, user: str) -> str:
    """Hash what decides whether an old document counts, and who looks."""
    said = (
        sorted(selection.include),
        sorted(selection.exclude),
        sorted(selection.trigger),
        selection.since and selection.since.timestamp(),
        user,
    )
    return _hash(repr(said))


def around(recent: Page[DocumentSummary]) -> str:
    """Hash what was modified last: each document, and when, and how many they are."""
    said = [(one.id, one.modified.timestamp()) for one in recent.results]
    return _hash(repr((recent.count, said)))


def _is_good(mark: ScanMark, rules: str | None, *, now: datetime) -> bool:
    """Tell whether the mark holds for these rules, and it is not yet time for the whole list."""
    # Also for a mark of a clock that was ahead.
    return mark.rules == rules and timedelta(0) <= now - mark.whole_at < WHOLE_EVERY


def _hash(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()
