"""Read a list from its first page to its last, or not at all."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from core.messages import Message, message
from paperless_client.errors import ListChanged
from paperless_client.models import CustomField, NamedObject, Page

Entry = TypeVar("Entry", NamedObject, CustomField)


async def every(
    fetch: Callable[[int], Awaitable[Page[Entry]]], *, action: Message
) -> AsyncIterator[Entry]:
    """Yield every entry once, or raise: a list cut short is never passed off as the whole.

    Paperless has no snapshots. An entry that is added or deleted between two pages moves the
    others, so that one may be seen twice or never; the counts give that away.
    """
    seen: set[int] = set()
    total: int | None = None
    number = 0
    while True:
        number += 1
        page = await fetch(number)
        new = {entry.id: entry for entry in page.results if entry.id not in seen}
        seen.update(new)
        for entry in new.values():
            yield entry
        total = page.count if total is None else total
        if page.count != total or (page.has_next and not new):
            raise ListChanged(
                action, message("the list changed under way, at page {number}", number=number)
            )
        if not page.has_next:
            break
    if len(seen) != total:
        counts = message("{n} entries came, {total} were announced", n=len(seen), total=total or 0)
        raise ListChanged(action, counts)
