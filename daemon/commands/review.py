"""`review`: what waits for a person, and what the person says about it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from typing import TypeAlias

from actions import review
from actions.caller import Caller
from actions.decisions import Wishes
from actions.documents import link_to
from actions.review import Decided
from core.changes import Change
from core.documents import DocumentRef
from core.fields import NewNames
from core.names import NAMED_FIELDS
from core.text import tidy
from daemon.cli.decisions import see_through
from daemon.cli.exits import Exit, UsageError
from daemon.cli.options import Options
from daemon.cli.output import console, plural, print_json
from daemon.cli.progress import change_line, width_of
from daemon.context import Memory, open_memory
from daemon.services import Clerk, open_clerk
from i18n.labels import FIELDS
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


async def names_to_confirm(
    options: Options, refs: Sequence[DocumentRef], wishes: Wishes
) -> tuple[review.TypedName, ...]:
    """Return the new names among the person's own values that need a confirmation.

    Raise UsageError if the settings do not allow new names.
    """
    if not NAMED_FIELDS & wishes.values.keys():
        return ()
    ref = _only_one(refs)
    async with _clerk_for(options, refs) as clerk:
        typed = await review.new_names_typed(clerk.caller, ref, wishes)
    for new in typed:
        if new.allowed is NewNames.NEVER:
            raise UsageError(f"{_missing(new)}, and the settings do not allow new names ([names])")
    return tuple(new for new in typed if new.allowed is NewNames.REVIEW)


def creation_question(new: review.TypedName) -> str:
    """Build the question whether to create a new name."""
    return f"{_missing(new)}. Create it?"


async def accept_waiting(options: Options, refs: Sequence[DocumentRef], wishes: Wishes) -> Exit:
    """Write what waits, with the person's own values where there are any."""
    if wishes.values:
        _only_one(refs)
    async with _clerk_for(options, refs) as clerk:
        decided = await review.accept(clerk.caller, refs, wishes)
        for name in dict.fromkeys(name for one in decided.decisions for name in one.new_names):
            console().print(f'new name: "{tidy(name)}" does not exist yet and will be created')
        return await see_through(clerk, decided)


def _only_one(refs: Sequence[DocumentRef]) -> DocumentRef:
    if len(refs) > 1:
        raise UsageError("--set can only be used with one document")
    return refs[0]


def _missing(new: review.TypedName) -> str:
    similar = ", ".join(f'"{tidy(name)}"' for name in new.similar)
    said = f'There is no {FIELDS[new.field]} "{tidy(new.name)}" in Paperless'
    return f"{said} (similar: {similar})" if similar else said


async def reject_waiting(
    options: Options,
    refs: Sequence[DocumentRef],
    said: review.Rejected,
    how: Rejecting = review.reject,
) -> Exit:
    """Leave documents as they are."""
    async with _clerk_for(options, refs) as clerk:
        decided = await how(clerk.caller, refs, said)
        if count := sum(len(decision.reject) for decision in decided.decisions):
            # With a done tag or trigger tags, the job may still write those.
            marks = (one.tags.done | one.tags.remove for one in clerk.instances.values())
            ending = "" if any(marks) else "; nothing is written"
            console().print(f"{plural(count, 'suggestion')} rejected{ending}")
        return await see_through(clerk, decided)


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
