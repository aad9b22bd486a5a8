"""What a person says about new names, and about those that their spellings mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from actions.caller import Caller
from actions.decisions import build_alias_rule, parse_typed_value
from actions.errors import NameAmbiguous
from actions.new_names import (
    NameDecisions,
    accept_with_name,
    group_waiting_by_scope,
    needs_new_name,
    reject_changes,
    replace_with_existing,
)
from actions.review import DecisionResult, merge_results, store_decisions
from core.changes import Change, Decision, RevisedChange
from core.documents import DocumentRef
from core.fields import Name
from core.messages import listed, message
from core.names import AliasRule, NameFilter, NameScope
from i18n.labels import FIELDS
from processor.analysis.name_matching import spelling_key
from processor.names.catalogue import NamesInUse
from store import Refused

_PAGE = 1000


@dataclass(frozen=True, slots=True)
class StillWaiting:
    """A document that waits on, with the name that was said, for other reasons."""

    document: DocumentRef
    revised: RevisedChange


@dataclass(frozen=True, slots=True)
class NameDecisionResult:
    """What became of words about names."""

    decided: DecisionResult
    still_wait: tuple[StillWaiting, ...] = ()


@dataclass(frozen=True, slots=True)
class _ScopedName:
    """The name that a person typed, and where it is meant."""

    typed: str
    place: NameScope
    changes: tuple[Change, ...]
    """What waits with it; perhaps nothing."""


async def create_names(
    caller: Caller, wanted: Sequence[str], where: NameFilter
) -> NameDecisionResult:
    """Have names created with the documents that wait with them; a later word than any alias."""
    waiting = await _waiting(caller, where.instance)
    meant = [_waiting_anew(waiting, one, where) for one in wanted]
    for one in meant:
        key = spelling_key(one.typed)
        await caller.store.names.delete_alias(one.place.instance, one.place.field, key)
    return await _apply_decisions(
        caller, [accept_with_name(one.changes, Name(None, one.typed)) for one in meant]
    )


async def use_existing(
    caller: Caller, new: str, existing: str, where: NameFilter
) -> NameDecisionResult:
    """Have a name mean one that exists, for the documents that wait and from now on."""
    waiting = await _waiting(caller, where.instance)
    meant = _resolve_name(caller, waiting, new, where)
    names = await caller.get_instance(meant.place.instance).catalogue.names()
    meaning = build_alias_rule(meant.place.field, meant.typed, _existing(existing, meant, names))
    await _remember(caller, meant.place, meaning)
    return await _apply_decisions(
        caller, [replace_with_existing(meant.changes, meaning, waiting)], meaning
    )


async def never_suggest(
    caller: Caller, unwanted: Sequence[str], where: NameFilter
) -> NameDecisionResult:
    """Never have names suggested again, and reject what waits with them."""
    waiting = await _waiting(caller, where.instance)
    meant = [_resolve_name(caller, waiting, one, where) for one in unwanted]
    meanings = [build_alias_rule(one.place.field, one.typed, None) for one in meant]
    for one, meaning in zip(meant, meanings, strict=True):
        await _remember(caller, one.place, meaning)
    return await _apply_decisions(caller, [reject_changes(one.changes) for one in meant], *meanings)


async def _remember(caller: Caller, place: NameScope, meaning: AliasRule) -> None:
    now = caller.now()
    await caller.store.names.save_alias(place.instance, meaning, by=caller.by, now=now)


async def _waiting(caller: Caller, instance: str | None) -> tuple[Change, ...]:
    """Return all that waits in the caller's instances, however much it is."""
    if instance is not None:
        caller.require_instance(instance)
    found: list[Change] = []
    last = 0
    while page := await caller.store.changes.list_for_review(instance, limit=_PAGE, after_id=last):
        found += [change for change in page if change.document.instance in caller.instances]
        last = page[-1].id
    return tuple(found)


def _waiting_anew(waiting: Sequence[Change], typed: str, where: NameFilter) -> _ScopedName:
    # Also what waits with a name that was made meanwhile, for another document.
    new = [change for change in waiting if needs_new_name(change)]
    places = {p: c for p, c in group_waiting_by_scope(new, typed).items() if where.covers(p)}
    if not places:
        raise NameAmbiguous(message('no document is waiting for the new name "{name}"', name=typed))
    return _only_one(typed, places)


def _resolve_name(
    caller: Caller, waiting: Sequence[Change], typed: str, where: NameFilter
) -> _ScopedName:
    """Find out where a name is meant: where it waits, or where the person says."""
    places = {p: c for p, c in group_waiting_by_scope(waiting, typed).items() if where.covers(p)}
    if places:
        return _only_one(typed, places)
    instances = [where.instance] if where.instance is not None else list(caller.instances)
    if where.field is None or len(instances) != 1:
        raise NameAmbiguous(
            message(
                'nothing is waiting for "{name}": specify instance and field',
                name=typed,
            )
        )
    return _ScopedName(typed, NameScope(instances[0], where.field), ())


def _only_one(typed: str, places: Mapping[NameScope, tuple[Change, ...]]) -> _ScopedName:
    if len(places) > 1:
        kinds = listed(
            message("{kind} in {instance}", kind=FIELDS[place.field], instance=place.instance)
            for place in places
        )
        raise NameAmbiguous(
            message(
                '"{name}" is waiting as {kinds}: specify instance and field',
                name=typed,
                kinds=kinds,
            )
        )
    ((place, changes),) = places.items()
    return _ScopedName(typed, place, changes)


def _existing(typed: str, meant: _ScopedName, names: NamesInUse) -> Name:
    target, kind = parse_typed_value(meant.place.field, typed, names), FIELDS[meant.place.field]
    if not isinstance(target, Name) or target.id is None:
        raise NameAmbiguous(
            message(
                'there is no {more} "{name}" in {instance}',
                more=kind,
                name=typed,
                instance=meant.place.instance,
            )
        )
    if target == names.match(meant.place.field, meant.typed):
        raise NameAmbiguous(
            message(
                '"{name}" is the {more} "{existing}" already',
                name=meant.typed,
                more=kind,
                existing=str(target),
            )
        )
    return target


async def _apply_decisions(
    caller: Caller, said: Sequence[NameDecisions], *remembered: AliasRule
) -> NameDecisionResult:
    """Carry out what was said about all names: one decision a document and name."""
    decided: list[DecisionResult] = [DecisionResult(remembered=remembered)]
    still_wait: list[StillWaiting] = []
    for words in said:
        for ref, one in words.items():
            if isinstance(one, RevisedChange):
                decided.append(await _revise(caller, ref, one, still_wait))
        decisions = {ref: one for ref, one in words.items() if isinstance(one, Decision)}
        decided.append(await store_decisions(caller, decisions))
    return NameDecisionResult(merge_results(decided), tuple(still_wait))


async def _revise(
    caller: Caller, ref: DocumentRef, revised: RevisedChange, still_wait: list[StillWaiting]
) -> DecisionResult:
    try:
        await caller.store.changes.revise(ref, revised, by=caller.by, now=caller.now())
    except Refused as error:
        return DecisionResult(refused=(error,))
    still_wait.append(StillWaiting(ref, revised))
    return DecisionResult()
