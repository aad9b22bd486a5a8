"""Decide about new names: create them, use an existing name, or never suggest them."""

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
from actions.review import DecisionResult, StillWaiting, merge_results, store_decisions
from actions.timeouts import get_names_within
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
_MOST_COMPLETIONS = 20


@dataclass(frozen=True, slots=True)
class _ScopedName:
    """A name that a person typed, with its instance and field."""

    typed: str
    scope: NameScope
    changes: tuple[Change, ...]
    """The changes that wait with this name, if any."""


async def create_names(caller: Caller, wanted: Sequence[str], where: NameFilter) -> DecisionResult:
    """Accept new names for the documents that wait with them; delete their aliases."""
    waiting = await _list_waiting(caller, where.instance)
    names = [_find_new_name(waiting, typed, where) for typed in wanted]
    for name in names:
        key = spelling_key(name.typed)
        await caller.store.names.delete_alias(name.scope.instance, name.scope.field, key)
    return await _apply_decisions(
        caller, [accept_with_name(name.changes, Name(None, name.typed)) for name in names]
    )


async def use_existing(
    caller: Caller, new: str, existing: str, where: NameFilter
) -> DecisionResult:
    """Make a new name an alias of an existing one, for waiting documents and from now on."""
    waiting = await _list_waiting(caller, where.instance)
    name = _find_name(caller, waiting, new, where)
    names = await caller.get_instance(name.scope.instance).catalogue.names()
    rule = build_alias_rule(name.scope.field, name.typed, _find_target(existing, name, names))
    await _save_alias(caller, name.scope, rule)
    return await _apply_decisions(
        caller, [replace_with_existing(name.changes, rule, waiting)], rule
    )


async def never_suggest(
    caller: Caller, unwanted: Sequence[str], where: NameFilter
) -> DecisionResult:
    """Never suggest names again, and reject the changes that wait with them."""
    waiting = await _list_waiting(caller, where.instance)
    names = [_find_name(caller, waiting, typed, where) for typed in unwanted]
    rules = [build_alias_rule(name.scope.field, name.typed, None) for name in names]
    for name, rule in zip(names, rules, strict=True):
        await _save_alias(caller, name.scope, rule)
    return await _apply_decisions(caller, [reject_changes(name.changes) for name in names], *rules)


@dataclass(frozen=True, slots=True)
class Completion:
    """Names in use that complete what a person has typed."""

    names: tuple[str, ...]
    exists: bool
    """Whether a name in use is meant: otherwise a new one would be created."""


async def complete_name(caller: Caller, scope: NameScope, typed: str) -> Completion:
    """Return the names in use that contain what was typed, those that begin with it first.

    Raise PaperlessError or PaperlessTakesLong.
    """
    in_use = await get_names_within(caller.get_instance(scope.instance))
    wanted = typed.strip().casefold()
    folded = {name.name: name.name.casefold() for name in in_use.by_field[scope.field]}
    matching = [name for name, plain in folded.items() if wanted in plain]
    matching.sort(key=lambda name: not folded[name].startswith(wanted))
    exists = not wanted or in_use.match(scope.field, typed).id is not None
    return Completion(tuple(matching[:_MOST_COMPLETIONS]), exists)


async def _save_alias(caller: Caller, scope: NameScope, rule: AliasRule) -> None:
    now = caller.now()
    await caller.store.names.save_alias(scope.instance, rule, by=caller.by, now=now)


async def _list_waiting(caller: Caller, instance: str | None) -> tuple[Change, ...]:
    """Return all changes that wait in the caller's instances."""
    if instance is not None:
        caller.require_instance(instance)
    found: list[Change] = []
    last = 0
    while page := await caller.store.changes.list_for_review(instance, limit=_PAGE, after_id=last):
        found += [change for change in page if change.document.instance in caller.instances]
        last = page[-1].id
    return tuple(found)


def _find_new_name(waiting: Sequence[Change], typed: str, where: NameFilter) -> _ScopedName:
    # This includes names that were created in the meantime, for another document.
    new = [change for change in waiting if needs_new_name(change)]
    groups = group_waiting_by_scope(new, typed)
    groups = {scope: changes for scope, changes in groups.items() if where.covers(scope)}
    if not groups:
        raise NameAmbiguous(message('no document is waiting for the new name "{name}"', name=typed))
    return _require_single_scope(typed, groups)


def _find_name(
    caller: Caller, waiting: Sequence[Change], typed: str, where: NameFilter
) -> _ScopedName:
    """Return a typed name with its scope: where it waits, or else as given in `where`."""
    groups = group_waiting_by_scope(waiting, typed)
    groups = {scope: changes for scope, changes in groups.items() if where.covers(scope)}
    if groups:
        return _require_single_scope(typed, groups)
    instances = [where.instance] if where.instance is not None else list(caller.instances)
    if where.field is None or len(instances) != 1:
        raise NameAmbiguous(
            message(
                'nothing is waiting for "{name}": specify instance and field',
                name=typed,
            )
        )
    return _ScopedName(typed, NameScope(instances[0], where.field), ())


def _require_single_scope(
    typed: str, groups: Mapping[NameScope, tuple[Change, ...]]
) -> _ScopedName:
    if len(groups) > 1:
        kinds = listed(
            message("{kind} in {instance}", kind=FIELDS[scope.field], instance=scope.instance)
            for scope in groups
        )
        raise NameAmbiguous(
            message(
                '"{name}" is waiting as {kinds}: specify instance and field',
                name=typed,
                kinds=kinds,
            )
        )
    ((scope, changes),) = groups.items()
    return _ScopedName(typed, scope, changes)


def _find_target(typed: str, name: _ScopedName, names: NamesInUse) -> Name:
    field, kind = name.scope.field, FIELDS[name.scope.field]
    target = parse_typed_value(field, typed, names)
    if not isinstance(target, Name) or target.id is None:
        raise NameAmbiguous(
            message(
                'there is no {more} "{name}" in {instance}',
                more=kind,
                name=typed,
                instance=name.scope.instance,
            )
        )
    if target == names.match(field, name.typed):
        raise NameAmbiguous(
            message(
                '"{name}" already stands for the {more} "{existing}"',
                name=name.typed,
                more=kind,
                existing=str(target),
            )
        )
    return target


async def _apply_decisions(
    caller: Caller, decisions_by_name: Sequence[NameDecisions], *remembered: AliasRule
) -> DecisionResult:
    """Store the decisions about all names: one for each document and name."""
    results: list[DecisionResult] = [DecisionResult(remembered=remembered)]
    for by_document in decisions_by_name:
        decisions: dict[DocumentRef, Decision] = {}
        for ref, decision in by_document.items():
            if isinstance(decision, RevisedChange):
                results.append(await _revise(caller, ref, decision))
            else:
                decisions[ref] = decision
        results.append(await store_decisions(caller, decisions))
    return merge_results(results)


async def _revise(caller: Caller, ref: DocumentRef, revised: RevisedChange) -> DecisionResult:
    try:
        await caller.store.changes.revise(ref, revised, by=caller.by, now=caller.now())
    except Refused as error:
        return DecisionResult(refused=(error,))
    return DecisionResult(still_waiting=(StillWaiting(ref, revised),))
