"""`review`: what waits for a person, and what the person says about it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from typing import TypeAlias

from core.changes import Change
from core.documents import DocumentRef
from daemon.decisions import see_through
from daemon.exits import Exit, UsageError
from daemon.lines import change_line, width_of
from daemon.memory import Memory, Options, open_memory
from daemon.output import console, plural, print_json
from daemon.wiring import Clerk, open_clerk
from processor.actions import review
from processor.actions.caller import Caller
from processor.actions.deciding import Decided
from processor.actions.documents import link_to
from processor.meant import Wishes
from processor.text import tidy
from store import Opening

_PAGE = 1_000
"""Changes that are read at once."""

Rejecting: TypeAlias = Callable[
    [Caller, Sequence[DocumentRef], review.Rejected], Awaitable[Decided]
]
"""A way to say no."""


async def list_waiting(options: Options, *, name: str | None, as_json: bool) -> Exit:
    """Show every document that waits, with its fields."""
    async with open_memory(options, opening=Opening.LOOK) as memory:
        instance = memory.chosen(name)[0] if name else None
        waiting = await _every_waiting(memory, instance)
        if as_json:
            print_json(waiting)
        else:
            await _print(memory, waiting)
        return Exit.OK


async def show_waiting(options: Options, ref: DocumentRef, *, as_json: bool) -> Exit:
    """Show what waits of one document, and where to look at it."""
    async with open_memory(options, opening=Opening.LOOK) as memory:
        memory.chosen(ref.instance)
        waiting = await review.waiting_for(memory.caller, ref)
        if as_json:
            print_json(waiting)
            return Exit.OK
        await _print(memory, waiting)
        console().print(f"    {link_to(memory.caller, ref)}")
        return Exit.OK


async def accept_waiting(options: Options, refs: Sequence[DocumentRef], wishes: Wishes) -> Exit:
    """Write what waits, with the person's own values where there are any."""
    if wishes.values and len(refs) > 1:
        raise UsageError("--set goes with one document at a time")
    async with _clerk_for(options, refs) as clerk:
        return await see_through(clerk, await review.accept(clerk.caller, refs, wishes))


async def reject_waiting(
    options: Options,
    refs: Sequence[DocumentRef],
    said: review.Rejected,
    how: Rejecting = review.reject,
) -> Exit:
    """Leave documents as they are."""
    async with _clerk_for(options, refs) as clerk:
        return await see_through(clerk, await how(clerk.caller, refs, said))


@asynccontextmanager
async def _clerk_for(options: Options, refs: Sequence[DocumentRef]) -> AsyncIterator[Clerk]:
    async with open_memory(options) as memory:
        names = {name for ref in refs for name in memory.chosen(ref.instance)}
        async with open_clerk(memory, names) as clerk:
            yield clerk


async def _every_waiting(memory: Memory, instance: str | None) -> list[Change]:
    found: list[Change] = []
    while page := await memory.store.changes.waiting(
        instance=instance, limit=_PAGE, after_id=found[-1].id if found else 0
    ):
        found += page
    return found


async def _print(memory: Memory, waiting: Sequence[Change]) -> None:
    by_document = sorted(waiting, key=lambda change: (change.document, change.id))
    count, width = 0, width_of(waiting)
    for ref, changes in groupby(by_document, key=lambda change: change.document):
        known = await memory.store.documents.get(ref)
        console().print(f"{ref}  {tidy(known.title) if known else ''}".rstrip())
        for change in changes:
            console().print(change_line(change, width))
        count += 1
    console().print(f"{plural(count, 'document')} for review" if count else "nothing for review")
