"""Decide about names: create new ones, use existing ones, or never suggest them.

Also lists names in use that look alike, and unused names that Paperclerk created.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
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
from core.changes import WAITING, Change, ChangeState, Decision, RevisedChange
from core.documents import DocumentRef
from core.fields import FieldName, Name
from core.messages import listed, message
from core.names import AliasRule, KeepReason, NameFilter, NameScope
from core.settings import InstanceSettings
from i18n.labels import FIELDS
from paperless_client import NameKind
from processor.analysis.name_matching import find_possible_names, spelling_key
from processor.names.catalogue import NamesInUse
from processor.names.unused import (
    InspectedName,
    NameReferences,
    collect_references,
    inspect_name,
    remove_name,
)
from store import HistoryFilter, Refused, Store

_PAGE = 1000
_MAX_COMPLETIONS = 20
_MAX_COMPARED = 250
"""Names of a field that are compared, the most used ones: each is compared with every other."""
_COMPARED = (FieldName.CORRESPONDENT, FieldName.DOCUMENT_TYPE, FieldName.TAGS)
_UNSETTLED = WAITING | {ChangeState.INTENDED}


@dataclass(frozen=True, slots=True)
class _ScopedName:
    """A name that a person typed, with its instance and field."""

    typed: str
    scope: NameScope
    changes: tuple[Change, ...]
    """The changes that wait with this name, if any."""


@dataclass(frozen=True, slots=True)
class Completion:
    """Names in use that complete what a person has typed."""

    names: tuple[str, ...]
    exists: bool
    """Whether a name in use is meant: otherwise a new one would be created."""


@dataclass(frozen=True, slots=True)
class SimilarPair:
    """Two names in use that may mean the same."""

    instance: str
    field: FieldName
    kept: Name
    """The one that more documents have."""
    other: Name


@dataclass(frozen=True, slots=True)
class UnusedName:
    """A name that no document has, with what may need it."""

    instance: str
    inspected: InspectedName
    references: NameReferences


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
    return Completion(tuple(matching[:_MAX_COMPLETIONS]), exists)


async def find_similar_pairs(caller: Caller, instance: str) -> tuple[SimilarPair, ...]:
    """Return the pairs of similar names; those with an alias are decided and left out.

    Raise PaperlessError or PaperlessTakesLong.
    """
    names = await get_names_within(caller.get_instance(instance))
    aliases = await caller.store.names.list_aliases(instance)
    decided = {(alias.meaning.field, alias.meaning.spelling) for alias in aliases}
    pairs = await asyncio.to_thread(lambda: tuple(_compare_names(instance, names)))
    return tuple(pair for pair in pairs if (pair.field, pair.other.name) not in decided)


async def list_unused(caller: Caller, instance: str) -> AsyncIterator[UnusedName]:
    """Yield names that we created and that no document in Paperless has at this moment.

    Raise PaperlessError.
    """
    names = await caller.store.names.list_created_names(instance)
    if not names:
        return
    client = caller.get_instance(instance).paperless
    references = await _collect_references(caller, instance)
    for name in names:
        inspected = await inspect_name(client, name, references)
        if inspected is not None and inspected.kept is not KeepReason.IN_USE:
            yield UnusedName(instance, inspected, references)


async def remove_unused(caller: Caller, unused: UnusedName) -> KeepReason | None:
    """Delete a name from Paperless; return why it was kept, if it is needed by now."""
    return unused.inspected.kept or await remove_name(
        caller.get_instance(unused.instance).paperless,
        caller.store,
        unused.inspected,
        unused.references,
        now=caller.now(),
    )


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


def _compare_names(instance: str, names: NamesInUse) -> Iterator[SimilarPair]:
    for field in _COMPARED:
        # Most used first, so that the first of two similar names is the one to keep.
        compared = names.by_field[field][:_MAX_COMPARED]
        for number, kept in enumerate(compared):
            for other in find_possible_names(field, kept.name, compared[number + 1 :]):
                if not _is_parent(names, kept, other):
                    yield SimilarPair(instance, field, kept, other)


def _is_parent(names: NamesInUse, name: Name, other: Name) -> bool:
    """Return whether one of two tags is above the other, so that both are wanted."""
    return name.id in set(names.ancestors(other.id or 0)) or other.id in set(
        names.ancestors(name.id or 0)
    )


async def _collect_references(caller: Caller, instance: str) -> NameReferences:
    client = caller.get_instance(instance).paperless
    return collect_references(
        _names_in_settings(caller.require_instance(instance)),
        [tag async for tag in client.names.list_all(NameKind.TAG)],
        await caller.store.names.list_aliases(instance),
        [change async for change in _list_unsettled(caller.store, instance)],
    )


def _names_in_settings(settings: InstanceSettings) -> Iterator[str]:
    scan = settings.scan
    yield from (*scan.include_tags, *scan.exclude_tags, *scan.remove_tags, scan.done_tag)
    yield from settings.names.descriptions
    yield from settings.ai.type_instructions


async def _list_unsettled(store: Store, instance: str) -> AsyncIterator[Change]:
    """Yield changes that are for review or about to be written."""
    before = None
    while True:
        wanted = HistoryFilter(instance, before_id=before, states=_UNSETTLED)
        page = await store.changes.list_history(wanted, _PAGE)
        for change in page:
            yield change
        if len(page) < _PAGE:
            return
        before = page[-1].id
