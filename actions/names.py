"""What a person says about new names, and about those that their spellings mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from actions.caller import Caller
from actions.decisions import means, read_value
from actions.errors import NameUnclear
from actions.new_names import Words, drop, put_in_place, waiting_with, was_new, write
from actions.review import Decided, carry_out, together
from core.changes import Change, Decision, Revised
from core.documents import DocumentRef
from core.fields import Name
from core.messages import listed, message
from core.names import Meaning, Place, Where
from i18n.labels import FIELDS
from processor.analysis.name_matching import spelling_key
from processor.names.catalogue import NamesInUse
from store import Refused

_PAGE = 1000


@dataclass(frozen=True, slots=True)
class StillWaits:
    """A document that waits on, with the name that was said, for other reasons."""

    document: DocumentRef
    revised: Revised


@dataclass(frozen=True, slots=True)
class NamesDecided:
    """What became of words about names."""

    decided: Decided
    still_wait: tuple[StillWaits, ...] = ()


@dataclass(frozen=True, slots=True)
class _Meant:
    """The name that a person typed, and where it is meant."""

    typed: str
    place: Place
    changes: tuple[Change, ...]
    """What waits with it; perhaps nothing."""


async def create(caller: Caller, wanted: Sequence[str], where: Where) -> NamesDecided:
    """Have names created with the documents that wait with them; a later word than any alias."""
    waiting = await _waiting(caller, where.instance)
    meant = [_waiting_anew(waiting, one, where) for one in wanted]
    for one in meant:
        key = spelling_key(one.typed)
        await caller.store.names.forget(one.place.instance, one.place.field, key)
    return await _say(caller, [write(one.changes, Name(None, one.typed)) for one in meant])


async def use(caller: Caller, new: str, existing: str, where: Where) -> NamesDecided:
    """Have a name mean one that exists, for the documents that wait and from now on."""
    waiting = await _waiting(caller, where.instance)
    meant = _meant(caller, waiting, new, where)
    names = await caller.instance(meant.place.instance).catalogue.names()
    meaning = means(meant.place.field, meant.typed, _existing(existing, meant, names))
    await _remember(caller, meant.place, meaning)
    return await _say(caller, [put_in_place(meant.changes, meaning, waiting)], meaning)


async def never(caller: Caller, unwanted: Sequence[str], where: Where) -> NamesDecided:
    """Never have names suggested again, and reject what waits with them."""
    waiting = await _waiting(caller, where.instance)
    meant = [_meant(caller, waiting, one, where) for one in unwanted]
    meanings = [means(one.place.field, one.typed, None) for one in meant]
    for one, meaning in zip(meant, meanings, strict=True):
        await _remember(caller, one.place, meaning)
    return await _say(caller, [drop(one.changes) for one in meant], *meanings)


async def _remember(caller: Caller, place: Place, meaning: Meaning) -> None:
    now = caller.now()
    await caller.store.names.remember(place.instance, meaning, by=caller.by, now=now)


async def _waiting(caller: Caller, instance: str | None) -> tuple[Change, ...]:
    """Return all that waits in the caller's instances, however much it is."""
    if instance is not None:
        caller.require(instance)
    found: list[Change] = []
    last = 0
    while page := await caller.store.changes.waiting(instance, limit=_PAGE, after_id=last):
        found += [change for change in page if change.document.instance in caller.instances]
        last = page[-1].id
    return tuple(found)


def _waiting_anew(waiting: Sequence[Change], typed: str, where: Where) -> _Meant:
    # Also what waits with a name that was made meanwhile, for another document.
    new = [change for change in waiting if was_new(change)]
    places = {p: c for p, c in waiting_with(new, typed).items() if where.covers(p)}
    if not places:
        raise NameUnclear(message('no document waits with the new name "{name}"', name=typed))
    return _only_one(typed, places)


def _meant(caller: Caller, waiting: Sequence[Change], typed: str, where: Where) -> _Meant:
    """Find out where a name is meant: where it waits, or where the person says."""
    places = {p: c for p, c in waiting_with(waiting, typed).items() if where.covers(p)}
    if places:
        return _only_one(typed, places)
    instances = [where.instance] if where.instance is not None else list(caller.instances)
    if where.field is None or len(instances) != 1:
        raise NameUnclear(
            message(
                'nothing waits with "{name}": say where it is meant, by instance and field',
                name=typed,
            )
        )
    return _Meant(typed, Place(instances[0], where.field), ())


def _only_one(typed: str, places: Mapping[Place, tuple[Change, ...]]) -> _Meant:
    if len(places) > 1:
        kinds = listed(
            message("{kind} in {instance}", kind=FIELDS[place.field], instance=place.instance)
            for place in places
        )
        raise NameUnclear(
            message(
                '"{name}" waits as {kinds}: say which, by instance and field',
                name=typed,
                kinds=kinds,
            )
        )
    ((place, changes),) = places.items()
    return _Meant(typed, place, changes)


def _existing(typed: str, meant: _Meant, names: NamesInUse) -> Name:
    target, kind = read_value(meant.place.field, typed, names), FIELDS[meant.place.field]
    if not isinstance(target, Name) or target.id is None:
        raise NameUnclear(
            message(
                'there is no {more} "{name}" in {instance}',
                more=kind,
                name=typed,
                instance=meant.place.instance,
            )
        )
    if target == names.match(meant.place.field, meant.typed):
        raise NameUnclear(
            message(
                '"{name}" is the {more} "{existing}" already',
                name=meant.typed,
                more=kind,
                existing=str(target),
            )
        )
    return target


async def _say(caller: Caller, said: Sequence[Words], *remembered: Meaning) -> NamesDecided:
    """Carry out what was said about all names: one decision a document and name."""
    decided: list[Decided] = [Decided(remembered=remembered)]
    still_wait: list[StillWaits] = []
    for words in said:
        for ref, one in words.items():
            if isinstance(one, Revised):
                decided.append(await _revise(caller, ref, one, still_wait))
        decisions = {ref: one for ref, one in words.items() if isinstance(one, Decision)}
        decided.append(await carry_out(caller, decisions))
    return NamesDecided(together(decided), tuple(still_wait))


async def _revise(
    caller: Caller, ref: DocumentRef, revised: Revised, still_wait: list[StillWaits]
) -> Decided:
    try:
        await caller.store.changes.revise(ref, revised, by=caller.by, now=caller.now())
    except Refused as error:
        return Decided(refused=(error,))
    still_wait.append(StillWaits(ref, revised))
    return Decided()
