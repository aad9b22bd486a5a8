"""`names`: new names that wait for a person, and what the person says about them."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from core.changes import Change, Decision, Revised
from core.documents import DocumentRef
from core.fields import Name
from core.names import Place
from daemon.decisions import BY_HAND, carry_out, tell_meanings
from daemon.exits import Exit, UsageError, tell
from daemon.memory import Memory, Options, open_memory
from daemon.output import console, plural, print_json, print_table
from daemon.typed import Where
from daemon.wiring import Clerk, open_clerk
from processor.analysis.names import spelling_key
from processor.catalogue import NamesInUse
from processor.decide import means, read_value
from processor.new_names import (
    NewName,
    Words,
    drop,
    is_new,
    new_names,
    put_in_place,
    waiting_with,
    write,
)
from processor.words import FIELDS, reason_words
from store import Refused

_PAGE = 1000
_OPTIONS = "--field and --instance"


@dataclass(frozen=True, slots=True)
class _Meant:
    """The name that a person typed, and where it is meant."""

    typed: str
    place: Place
    changes: tuple[Change, ...]
    """What waits with it; perhaps nothing."""


async def list_new(options: Options, *, name: str | None, as_json: bool) -> Exit:
    """Show the new names that wait."""
    async with _clerk(options, name) as clerk:
        waiting = await _waiting(clerk)
        found = new_names(waiting, await _names_of(clerk, waiting))
    if as_json:
        print_json(found)
    elif not found:
        console().print("no new names wait for you")
    else:
        print_table(("name", "kind", "instance", "documents", "similar"), map(_row, found))
    return Exit.OK


async def create(options: Options, wanted: Sequence[str], where: Where) -> Exit:
    """Have names created with the documents that wait with them; a later word than any alias."""
    async with _clerk(options, where.instance) as clerk:
        waiting = await _waiting(clerk)
        names = await _names_of(clerk, waiting)
        meant = [_waiting_anew(waiting, one, where, names) for one in wanted]
        for one in meant:
            key = spelling_key(one.typed)
            await clerk.store.names.forget(one.place.instance, one.place.field, key)
        return await _say(clerk, [write(one.changes, Name(None, one.typed)) for one in meant])


async def use(options: Options, new: str, existing: str, where: Where) -> Exit:
    """Have a name mean one that exists, for the documents that wait and from now on."""
    async with _clerk(options, where.instance) as clerk:
        waiting = await _waiting(clerk)
        meant = _meant(waiting, new, where, clerk.memory)
        names = await clerk.instances[meant.place.instance].catalogue.names()
        target = _existing(existing, meant, names)
        meaning = means(meant.place.field, meant.typed, target)
        await clerk.store.names.remember(
            meant.place.instance, meaning, by=BY_HAND, now=clerk.memory.clock()
        )
        tell_meanings((meaning,))
        return await _say(clerk, [put_in_place(meant.changes, meaning, waiting)])


async def never(options: Options, unwanted: Sequence[str], where: Where) -> Exit:
    """Never have names suggested again, and reject what waits with them."""
    async with _clerk(options, where.instance) as clerk:
        waiting = await _waiting(clerk)
        meant = [_meant(waiting, one, where, clerk.memory) for one in unwanted]
        for one in meant:
            meaning = means(one.place.field, one.typed, None)
            await clerk.store.names.remember(
                one.place.instance, meaning, by=BY_HAND, now=clerk.memory.clock()
            )
            tell_meanings((meaning,))
        return await _say(clerk, [drop(one.changes) for one in meant])


@asynccontextmanager
async def _clerk(options: Options, name: str | None) -> AsyncIterator[Clerk]:
    async with open_memory(options) as memory, open_clerk(memory, memory.chosen(name)) as clerk:
        yield clerk


async def _waiting(clerk: Clerk) -> tuple[Change, ...]:
    """Return all that waits in these instances, however much it is."""
    found: list[Change] = []
    last = 0
    while page := await clerk.store.changes.waiting(limit=_PAGE, after_id=last):
        found += [change for change in page if change.document.instance in clerk.instances]
        last = page[-1].id
    return tuple(found)


async def _names_of(clerk: Clerk, waiting: Sequence[Change]) -> Mapping[str, NamesInUse]:
    """Read the names of the instances for which something waits; of the others nobody asks."""
    wanted = {change.document.instance for change in waiting}
    return {name: await clerk.instances[name].catalogue.names() for name in wanted}


def _waiting_anew(
    waiting: Sequence[Change], typed: str, where: Where, names: Mapping[str, NamesInUse]
) -> _Meant:
    new = [change for change in waiting if is_new(change, names[change.document.instance])]
    places = {p: c for p, c in waiting_with(new, typed).items() if where.covers(p)}
    if not places:
        raise UsageError(f'no document waits with the new name "{typed}"; `names` lists them')
    return _only_one(typed, places)


def _meant(waiting: Sequence[Change], typed: str, where: Where, memory: Memory) -> _Meant:
    """Find out where a name is meant: where it waits, or where the person says."""
    places = {p: c for p, c in waiting_with(waiting, typed).items() if where.covers(p)}
    if places:
        return _only_one(typed, places)
    instances = memory.chosen(where.instance)
    if where.field is None or len(instances) > 1:
        raise UsageError(f'nothing waits with "{typed}": say where it is meant, with {_OPTIONS}')
    return _Meant(typed, Place(instances[0], where.field), ())


def _only_one(typed: str, places: Mapping[Place, tuple[Change, ...]]) -> _Meant:
    if len(places) > 1:
        listed = ", ".join(f"{FIELDS[place.field]} in {place.instance}" for place in places)
        raise UsageError(f'"{typed}" waits as {listed}: say which, with {_OPTIONS}')
    ((place, changes),) = places.items()
    return _Meant(typed, place, changes)


def _existing(typed: str, meant: _Meant, names: NamesInUse) -> Name:
    target = read_value(meant.place.field, typed, names)
    kind = FIELDS[meant.place.field]
    if not isinstance(target, Name) or target.id is None:
        raise UsageError(f'there is no {kind} "{typed}" in {meant.place.instance}')
    if target == names.match(meant.place.field, meant.typed):
        raise UsageError(f'"{meant.typed}" is the {kind} "{target}" already')
    return target


async def _say(clerk: Clerk, said: Sequence[Words]) -> Exit:
    """Carry out what was said about all names: one decision a document and name."""
    ended = Exit.OK
    for words in said:
        revised = {ref: one for ref, one in words.items() if isinstance(one, Revised)}
        decisions = {ref: one for ref, one in words.items() if isinstance(one, Decision)}
        for ref, one in revised.items():
            ended = max(ended, await _revise(clerk, ref, one))
        ended = max(ended, await carry_out(clerk, decisions))
    return ended


async def _revise(clerk: Clerk, ref: DocumentRef, revised: Revised) -> Exit:
    try:
        await clerk.store.changes.revise(ref, revised, by=BY_HAND, now=clerk.memory.clock())
    except Refused as error:
        tell(error)
        return Exit.LOOK
    why = reason_words(revised.reasons) or "someone set another value meanwhile"
    console().print(f'{ref} still waits, with "{revised.after}": {why}')
    return Exit.OK


def _row(one: NewName) -> tuple[str, ...]:
    count = plural(len(one.documents), "document")
    return one.name, FIELDS[one.field], one.instance, count, ", ".join(one.similar)
