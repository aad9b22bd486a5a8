"""`review`: what waits for a person, and what the person says about it."""

from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from typing import TypeAlias

from core.changes import Change, Decision
from core.custom_fields import Definition
from core.documents import DocumentRef
from core.fields import CustomField, Field
from daemon.decisions import carry_out
from daemon.exits import Exit, UsageError
from daemon.lines import change_line
from daemon.memory import Memory, Options, open_memory
from daemon.output import console, plural, print_json
from daemon.wiring import Clerk, open_clerk
from processor.decide import Edits, accept, reject
from processor.instance import Instance
from processor.meant import Wishes, fields_meant
from processor.text import tidy

_MOST = 10_000

Rejecting: TypeAlias = Callable[[Iterable[Change], Collection[Field] | None], Decision]
"""A way to say no."""


async def list_waiting(options: Options, *, name: str | None, as_json: bool) -> Exit:
    """Show every document that waits, with its fields."""
    async with open_memory(options) as memory:
        instance = memory.chosen(name)[0] if name else None
        waiting = await memory.store.changes.waiting(instance=instance, limit=_MOST)
        if as_json:
            print_json(waiting)
        else:
            await _print(memory, waiting)
        return Exit.OK


async def show_waiting(options: Options, ref: DocumentRef, *, as_json: bool) -> Exit:
    """Show what waits of one document, and where to look at it."""
    async with open_memory(options) as memory:
        waiting = await _waiting_for(memory, ref)
        if as_json:
            print_json(waiting)
            return Exit.OK
        await _print(memory, waiting)
        link = memory.settings.instances[ref.instance].paperless.link_url
        console().print(f"    {link.rstrip('/')}/documents/{ref.id}/")
        return Exit.OK


async def accept_waiting(options: Options, refs: Sequence[DocumentRef], wishes: Wishes) -> Exit:
    """Write what waits, with the person's own values where there are any."""
    if wishes.values and len(refs) > 1:
        raise UsageError("--set goes with one document at a time")
    async with _clerk_for(options, refs) as clerk:
        waiting = {ref: await _waiting_for(clerk.memory, ref) for ref in refs}
        decisions = {}
        for ref, changes in waiting.items():
            instance = clerk.instances[ref.instance]
            edits = wishes.among(_fields(waiting, ref.instance))
            names, custom = await instance.catalogue.names(), await _custom_fields(instance, edits)
            decisions[ref] = accept(changes, edits, names, custom)
        return await carry_out(clerk, decisions)


async def reject_waiting(
    options: Options,
    refs: Sequence[DocumentRef],
    only: frozenset[str] | None,
    how: Rejecting = reject,
) -> Exit:
    """Leave documents as they are."""
    async with _clerk_for(options, refs) as clerk:
        waiting = {ref: await _waiting_for(clerk.memory, ref) for ref in refs}
        decisions = {
            ref: how(changes, fields_meant(only, _fields(waiting, ref.instance)))
            for ref, changes in waiting.items()
        }
        return await carry_out(clerk, decisions)


def _fields(waiting: Mapping[DocumentRef, Iterable[Change]], instance: str) -> dict[Field, None]:
    """Return the fields that wait in one instance: in another, a number is another field's."""
    found = (changes for ref, changes in waiting.items() if ref.instance == instance)
    return {change.field: None for changes in found for change in changes}


async def _custom_fields(instance: Instance, edits: Edits) -> tuple[Definition, ...]:
    """Read what custom fields may hold, if the person has a value of his own for one."""
    if not any(isinstance(field, CustomField) for field in edits.values):
        return ()
    return await instance.custom_fields.all()


@asynccontextmanager
async def _clerk_for(options: Options, refs: Sequence[DocumentRef]) -> AsyncIterator[Clerk]:
    async with open_memory(options) as memory:
        names = {name for ref in refs for name in memory.chosen(ref.instance)}
        async with open_clerk(memory, names) as clerk:
            yield clerk


async def _waiting_for(memory: Memory, ref: DocumentRef) -> tuple[Change, ...]:
    memory.chosen(ref.instance)
    waiting = await memory.store.changes.waiting(document=ref)
    if not waiting:
        raise UsageError(f"nothing of {ref} waits for review")
    return waiting


async def _print(memory: Memory, waiting: Sequence[Change]) -> None:
    by_document = sorted(waiting, key=lambda change: (change.document, change.id))
    count = 0
    for ref, changes in groupby(by_document, key=lambda change: change.document):
        known = await memory.store.documents.get(ref)
        console().print(f"{ref}  {tidy(known.title) if known else ''}".rstrip())
        for change in changes:
            console().print(change_line(change))
        count += 1
    console().print(f"{plural(count, 'document')} for review" if count else "nothing for review")
