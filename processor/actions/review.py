"""Review: what waits for a person, and what the person says about it."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from core.changes import Change, Decision
from core.custom_fields import Definition
from core.documents import DocumentRef
from core.fields import CustomField, Field
from core.names import Meaning
from processor import decide
from processor.actions.caller import Caller
from processor.actions.deciding import Decided, carry_out
from processor.actions.errors import NothingWaits
from processor.decide import Edits
from processor.instance import Instance
from processor.meant import Wishes, fields_meant
from store import NotWaiting

Rejecting: TypeAlias = Callable[[Iterable[Change], Collection[Field] | None], Decision]
"""A way to say no."""


async def waiting_for(
    caller: Caller, ref: DocumentRef, seen: Collection[int] | None = None
) -> tuple[Change, ...]:
    """Return what waits of a document; of that, only what the person has seen, if they say so.

    Raise NothingWaits, or NotWaiting if something that was seen does not wait any more: a decision
    must not be about what nobody has looked at.
    """
    caller.require(ref.instance)
    waiting = await caller.store.changes.waiting(document=ref)
    if not waiting:
        raise NothingWaits(f"nothing of {ref} waits for review")
    if seen is None:
        return waiting
    for gone in sorted(set(seen) - {change.id for change in waiting}):
        raise NotWaiting(gone)
    return tuple(change for change in waiting if change.id in seen)


async def accept(
    caller: Caller,
    refs: Sequence[DocumentRef],
    wishes: Wishes,
    seen: Collection[int] | None = None,
) -> Decided:
    """Have written what waits, with the person's own values where there are any.

    Raise BadValue or NothingWaits; then nothing was decided.
    """
    waiting = await _waiting(caller, refs, seen)
    decisions = {}
    for ref, changes in waiting.items():
        instance = caller.instance(ref.instance)
        edits = wishes.among(_fields(waiting, ref.instance))
        names, custom = await instance.catalogue.names(), await _custom_fields(instance, edits)
        decisions[ref] = decide.accept(changes, edits, names, custom)
    unclear = (one for ref in decisions for one in _unclear(waiting[ref], decisions[ref]))
    return replace(await carry_out(caller, decisions), unclear=tuple(unclear))


def _unclear(waiting: Iterable[Change], decision: Decision) -> Iterator[Meaning]:
    said = decide.replaced(waiting, decision.accept)
    return (meaning for meaning in said if meaning not in decision.remember)


async def reject(
    caller: Caller,
    refs: Sequence[DocumentRef],
    only: Collection[str] | None = None,
    seen: Collection[int] | None = None,
) -> Decided:
    """Leave documents as they are."""
    return await _reject(caller, await _waiting(caller, refs, seen), only, decide.reject)


async def reject_for_good(
    caller: Caller,
    refs: Sequence[DocumentRef],
    only: Collection[str] | None = None,
    seen: Collection[int] | None = None,
) -> Decided:
    """Leave documents as they are, and never have these names suggested again."""
    return await _reject(caller, await _waiting(caller, refs, seen), only, decide.reject_for_good)


async def _reject(
    caller: Caller,
    waiting: Mapping[DocumentRef, tuple[Change, ...]],
    only: Collection[str] | None,
    how: Rejecting,
) -> Decided:
    decisions = {
        ref: how(changes, fields_meant(only, _fields(waiting, ref.instance)))
        for ref, changes in waiting.items()
    }
    return await carry_out(caller, decisions)


def _fields(waiting: Mapping[DocumentRef, Iterable[Change]], instance: str) -> dict[Field, None]:
    """Return the fields that wait in one instance: in another, a number is another field's."""
    found = (changes for ref, changes in waiting.items() if ref.instance == instance)
    return {change.field: None for changes in found for change in changes}


async def _waiting(
    caller: Caller, refs: Sequence[DocumentRef], seen: Collection[int] | None
) -> Mapping[DocumentRef, tuple[Change, ...]]:
    return {ref: await waiting_for(caller, ref, seen) for ref in refs}


async def _custom_fields(instance: Instance, edits: Edits) -> tuple[Definition, ...]:
    """Read what custom fields may hold, if the person has a value of his own for one."""
    if not any(isinstance(field, CustomField) for field in edits.values):
        return ()
    return await instance.custom_fields.all()
