"""`review`: what waits for a person, and what the person says about it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from typing import TypeAlias

from actions import review
from actions.caller import Caller
from actions.decisions import TypedEdits
from actions.documents import build_link
from actions.review import DecisionResult
from core.changes import Change
from core.documents import DocumentRef
from core.fields import NewNamePolicy
from core.names import NAMED_FIELDS
from core.text import clean_line
from daemon.cli.decisions import process_decisions
from daemon.cli.exits import Exit, UsageError
from daemon.cli.options import Options
from daemon.cli.output import console, plural, print_json
from daemon.cli.progress import change_line, width_of
from daemon.context import Context, open_context
from daemon.services import Services, open_services
from i18n.labels import FIELDS
from store import OpenMode

_PAGE = 1_000
"""Changes that are read at once."""

Rejecting: TypeAlias = Callable[
    [Caller, Sequence[DocumentRef], review.Rejection], Awaitable[DecisionResult]
]
"""A way to say no."""


async def list_waiting(options: Options, *, name: str | None, as_json: bool) -> Exit:
    """Show every document that waits, with its fields."""
    async with open_context(options, opening=OpenMode.LOOK) as memory:
        instance = memory.select_instances(name)[0] if name else None
        waiting = await _every_waiting(memory, instance)
        if as_json:
            print_json(waiting)
        else:
            await _print(memory, waiting)
        return Exit.OK


async def show_waiting(options: Options, ref: DocumentRef, *, as_json: bool) -> Exit:
    """Show what waits of one document, and where to look at it."""
    async with open_context(options, opening=OpenMode.LOOK) as memory:
        memory.select_instances(ref.instance)
        waiting = await review.list_waiting(memory.caller, ref)
        if as_json:
            print_json(waiting)
            return Exit.OK
        await _print(memory, waiting)
        console().print(f"    {build_link(memory.caller, ref)}")
        return Exit.OK


async def names_to_confirm(
    options: Options, refs: Sequence[DocumentRef], wishes: TypedEdits
) -> tuple[review.TypedName, ...]:
    """Return the new names among the person's own values that need a confirmation.

    Raise UsageError if the settings do not allow new names.
    """
    if not NAMED_FIELDS & wishes.values.keys():
        return ()
    ref = _only_one(refs)
    async with _open_services_for(options, refs) as services:
        typed = await review.find_typed_names(services.caller, ref, wishes)
    for new in typed:
        if new.allowed is NewNamePolicy.NEVER:
            raise UsageError(f"{_missing(new)}, and the settings do not allow new names ([names])")
    return tuple(new for new in typed if new.allowed is NewNamePolicy.REVIEW)


def creation_question(new: review.TypedName) -> str:
    """Build the question whether to create a new name."""
    return f"{_missing(new)}. Create it?"


async def accept_waiting(options: Options, refs: Sequence[DocumentRef], wishes: TypedEdits) -> Exit:
    """Write what waits, with the person's own values where there are any."""
    if wishes.values:
        _only_one(refs)
    async with _open_services_for(options, refs) as services:
        decided = await review.accept(services.caller, refs, wishes)
        for name in dict.fromkeys(name for one in decided.decisions for name in one.new_names):
            console().print(
                f'new name: "{clean_line(name)}" does not exist yet and will be created'
            )
        return await process_decisions(services, decided)


def _only_one(refs: Sequence[DocumentRef]) -> DocumentRef:
    if len(refs) > 1:
        raise UsageError("--set can only be used with one document")
    return refs[0]


def _missing(new: review.TypedName) -> str:
    similar = ", ".join(f'"{clean_line(name)}"' for name in new.similar)
    said = f'There is no {FIELDS[new.field]} "{clean_line(new.name)}" in Paperless'
    return f"{said} (similar: {similar})" if similar else said


async def reject_waiting(
    options: Options,
    refs: Sequence[DocumentRef],
    said: review.Rejection,
    how: Rejecting = review.reject,
) -> Exit:
    """Leave documents as they are."""
    async with _open_services_for(options, refs) as services:
        decided = await how(services.caller, refs, said)
        if count := sum(len(decision.reject) for decision in decided.decisions):
            # With a done tag or trigger tags, the job may still write those.
            marks = (one.tags.done | one.tags.remove for one in services.instances.values())
            ending = "" if any(marks) else "; nothing is written"
            console().print(f"{plural(count, 'suggestion')} rejected{ending}")
        return await process_decisions(services, decided)


@asynccontextmanager
async def _open_services_for(
    options: Options, refs: Sequence[DocumentRef]
) -> AsyncIterator[Services]:
    async with open_context(options) as memory:
        names = {name for ref in refs for name in memory.select_instances(ref.instance)}
        async with open_services(memory, names) as services:
            yield services


async def _every_waiting(memory: Context, instance: str | None) -> list[Change]:
    found: list[Change] = []
    while page := await memory.store.changes.list_for_review(
        instance=instance, limit=_PAGE, after_id=found[-1].id if found else 0
    ):
        found += page
    return found


async def _print(memory: Context, waiting: Sequence[Change]) -> None:
    by_document = sorted(waiting, key=lambda change: (change.document, change.id))
    count, width = 0, width_of(waiting)
    for ref, changes in groupby(by_document, key=lambda change: change.document):
        known = await memory.store.documents.get(ref)
        console().print(f"{ref}  {clean_line(known.title) if known else ''}".rstrip())
        for change in changes:
            console().print(change_line(change, width))
        count += 1
    console().print(f"{plural(count, 'document')} for review" if count else "nothing for review")
