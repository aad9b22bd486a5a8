"""Lists of the names and custom fields of one Paperless, cached for five minutes.

Paperless counts the documents of every tag whenever tags are listed, which takes a second on a
large archive. Scans and jobs share this cache.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Generic, TypeVar

from core.calendar import Clock
from paperless_client.client import PaperlessClient
from paperless_client.models import CustomField, NamedObject, NameKind

FRESH_FOR = timedelta(minutes=5)

Entry = TypeVar("Entry")


class CachedList(Generic[Entry]):
    """One list, fetched again when it is needed and older than five minutes."""

    def __init__(self, fetch: Callable[[], AsyncIterator[Entry]], clock: Clock) -> None:
        self._fetch = fetch
        self._clock = clock
        self._entries: tuple[Entry, ...] | None = None
        self._read_at: datetime | None = None
        self._fetching = asyncio.Lock()

    @property
    def cached(self) -> tuple[Entry, ...] | None:
        """Return the cached list; None if it must be fetched."""
        if self._entries is None or self._read_at is None:
            return None
        return self._entries if self._clock() - self._read_at <= FRESH_FOR else None

    async def get_entries(self) -> tuple[Entry, ...]:
        """Return the list, at most five minutes old."""
        async with self._fetching:
            entries = self.cached
            if entries is None:
                began = self._clock()
                entries = tuple([entry async for entry in self._fetch()])
                self._entries, self._read_at = entries, began
            return entries

    def invalidate(self) -> None:
        """Discard the list, so that it is fetched when it is next needed."""
        self._entries = None


class NameLists:
    """The cached lists of one Paperless."""

    def __init__(self, client: PaperlessClient, *, clock: Clock) -> None:
        self.client = client
        self._names: dict[NameKind, CachedList[NamedObject]] = {
            kind: CachedList(partial(client.names.list_all, kind), clock) for kind in NameKind
        }
        self.custom_fields: CachedList[CustomField] = CachedList(client.list_custom_fields, clock)

    def of_kind(self, kind: NameKind) -> CachedList[NamedObject]:
        """Return the list of names of one kind."""
        return self._names[kind]

    @property
    def tags(self) -> CachedList[NamedObject]:
        return self._names[NameKind.TAG]
