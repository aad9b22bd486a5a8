"""New names that wait for review, and the decisions that follow from accepting one."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from typing import TypeAlias

from actions.caller import Caller
from actions.decisions import build_accepted
from actions.timeouts import TIMEOUT, PaperlessTakesLong, get_names_within
from core.changes import Change, ChangeState, Decision, RevisedChange, name_given_by
from core.documents import DocumentRef
from core.fields import NAMED_FIELDS, FieldName, Name
from core.names import AliasRule, NameScope
from paperless_client import PaperlessError
from processor.analysis.checks import CheckFailure
from processor.analysis.name_matching import find_similar_names, spelling_key
from processor.names.catalogue import NamesInUse
from processor.policy import Reason

NAME_REASONS = frozenset(
    {
        Reason.NEW_NAME,
        Reason.SIMILAR_NAME,
        CheckFailure.NAME_LOOKS_MISREAD,
        CheckFailure.NAME_OF_MIXED_LETTERS,
        CheckFailure.NAME_TOO_LONG,
    }
)
"""Reasons that are settled by a decision about the name; others are about the document."""

CURSOR_PATTERN = (
    r"^([a-z0-9][a-z0-9_-]*)/([1-9][0-9]{0,8})/"
    rf"({'|'.join(sorted(NAMED_FIELDS))})/([\s\S]+)$"
)

NameDecisions: TypeAlias = Mapping[DocumentRef, Decision | RevisedChange]
"""The decision about each document's change."""


@dataclass(frozen=True, slots=True)
class NewName:
    """A name that does not exist yet, with the documents that wait with it."""

    instance: str
    field: FieldName
    name: str
    """The most common spelling."""
    documents: tuple[DocumentRef, ...]
    similar: tuple[str, ...] = ()
    """Similar names in use; at first those found when it was suggested."""

    @property
    def cursor(self) -> "NameCursor":
        return NameCursor(self.instance, -len(self.documents), self.field, self.name)


@dataclass(frozen=True, slots=True, order=True)
class NameCursor:
    """The position of a waiting name: by instance, the most frequent first."""

    instance: str
    rarity: int
    """Minus the number of documents that wait with it."""
    field: FieldName
    name: str

    def __str__(self) -> str:
        return f"{self.instance}/{-self.rarity}/{self.field}/{self.name}"

    @classmethod
    def parse(cls, text: str) -> "NameCursor":
        """Parse the result of `str`; raise ValueError on anything else."""
        match = re.fullmatch(CURSOR_PATTERN, text)
        if match is None:
            raise ValueError(f'"{text}" is no place among the names')
        instance, documents, field, name = match.groups()
        return cls(instance, -int(documents), FieldName(field), name)


@dataclass(frozen=True, slots=True)
class NamesPage:
    """A page of the names that wait."""

    names: tuple[NewName, ...] = ()
    total: int = 0
    """The number of all waiting names."""
    has_more: bool = False
    """Whether more names follow."""
    in_use: Mapping[str, NamesInUse] = field(default_factory=dict)
    """The names in use by instance, as far as they are known."""
    unsure: str = ""
    """Why it is unknown which of them exist by now; a message for people."""

    @property
    def next(self) -> NameCursor | None:
        """The cursor after which the next page begins; None at the end."""
        return self.names[-1].cursor if self.has_more else None


def group_waiting_by_scope(
    waiting: Iterable[Change], spelling: str
) -> Mapping[NameScope, tuple[Change, ...]]:
    """Group the changes that wait with a name, new or existing, by instance and field."""
    found: defaultdict[NameScope, list[Change]] = defaultdict(list)
    for change in waiting:
        given = name_given_by(change)
        if given and spelling_key(given[1].name) == spelling_key(spelling):
            found[NameScope(change.document.instance, given[0])].append(change)
    return {scope: tuple(changes) for scope, changes in found.items()}


def find_new_names(
    waiting: Iterable[Change], names: Mapping[str, NamesInUse]
) -> tuple[NewName, ...]:
    """Return the waiting names that do not exist, the most frequent first."""
    new_names = find_new_names_without_similar(waiting, names)
    return tuple(add_similar_names(name, names) for name in new_names)


def find_new_names_without_similar(
    waiting: Iterable[Change], names: Mapping[str, NamesInUse]
) -> tuple[NewName, ...]:
    """Return the same without the search for similar names, which takes long.

    For an instance whose names are unknown, the state when they were suggested is used.
    """
    found: defaultdict[tuple[str, FieldName, str], list[Change]] = defaultdict(list)

    @cache
    def exists(instance: str, field: FieldName, name: str) -> bool:
        return instance in names and names[instance].match(field, name).id is not None

    for change in waiting:
        given, instance = name_given_by(change), change.document.instance
        if given and needs_new_name(change) and not exists(instance, given[0], given[1].name):
            found[instance, given[0], spelling_key(given[1].name)].append(change)
    new_names = (_build_new_name(changes) for changes in found.values())
    return tuple(sorted(new_names, key=lambda name: name.cursor))


def add_similar_names(new: NewName, names: Mapping[str, NamesInUse]) -> NewName:
    """Return the new name with similar names in use, if those of its instance are known."""
    if new.instance not in names:
        return new
    similar = find_similar_names(new.field, new.name, names[new.instance].by_field[new.field])
    return replace(new, similar=tuple(name.name for name in similar))


def needs_new_name(change: Change) -> bool:
    """Return whether a change needs a name that did not exist when it was planned."""
    given = name_given_by(change)
    return given is not None and given[1].id is None


def accept_with_name(changes: Iterable[Change], name: Name) -> NameDecisions:
    """Accept the changes with this name.

    A change that has another reason for review, or a conflict, keeps waiting, with this name.
    """
    return {change.document: _accept_or_revise(change, name) for change in changes}


def replace_with_existing(
    changes: Iterable[Change], rule: AliasRule, waiting: Iterable[Change]
) -> NameDecisions:
    """Accept the changes with the target of the alias.

    A tag that also waits by itself is not added twice.
    """
    assert rule.target is not None
    target = rule.target
    existing = {(change.document, change.field, _name_id(change)) for change in waiting}
    decisions: dict[DocumentRef, Decision | RevisedChange] = {}
    for change in changes:
        is_duplicate = (change.document, FieldName.TAGS, target.id) in existing
        decisions[change.document] = (
            Decision(reject=(change.id,)) if is_duplicate else _accept_or_revise(change, target)
        )
    return decisions


def reject_changes(changes: Iterable[Change]) -> NameDecisions:
    """Reject the changes, whatever else they wait for."""
    return {change.document: Decision(reject=(change.id,)) for change in changes}


async def list_new_names(caller: Caller, instance: str | None = None) -> tuple[NewName, ...]:
    """Return the new names that wait, the most frequent first."""
    waiting = await _waiting_with_new_names(caller, instance)
    return find_new_names(waiting, await _fetch_names(caller, waiting))


async def list_names_page(
    caller: Caller, after: NameCursor | None, *, limit: int, instance: str | None = None
) -> NamesPage:
    """Return a page of the new names that wait, after a cursor."""
    waiting = await _waiting_with_new_names(caller, instance)
    return _build_page(waiting, await _fetch_names(caller, waiting), after, limit)


async def list_names_page_within(
    caller: Caller,
    after: NameCursor | None,
    *,
    limit: int,
    instance: str | None = None,
    timeout: timedelta = TIMEOUT,
) -> NamesPage:
    """Return a page like `list_names_page`, with a timeout for each Paperless.

    Without a response, the state when the names were suggested is used.
    """
    waiting = await _waiting_with_new_names(caller, instance)
    names: dict[str, NamesInUse] = {}
    unsure = ""
    for name in _instances_of(waiting):
        try:
            names[name] = await get_names_within(caller.get_instance(name), timeout)
        except (PaperlessError, PaperlessTakesLong) as error:
            unsure = error.user_message
    return replace(_build_page(waiting, names, after, limit), unsure=unsure)


def _accept_or_revise(change: Change, name: Name) -> Decision | RevisedChange:
    others = tuple(reason for reason in change.reasons if reason not in NAME_REASONS)
    if others or change.state is ChangeState.CONFLICT:
        return RevisedChange(change.id, name, others)
    return Decision(accept=(build_accepted(change, name),))


def _build_new_name(changes: list[Change]) -> NewName:
    given = name_given_by(changes[0])
    assert given is not None
    counted = Counter(str(change.after) for change in changes)
    # Of equally common spellings the shortest, which has no legal form.
    name = min(counted, key=lambda spelling: (-counted[spelling], len(spelling), spelling))
    documents = tuple(change.document for change in changes)
    return NewName(documents[0].instance, given[0], name, documents, changes[0].similar)


def _name_id(change: Change) -> int | None:
    return change.after.id if isinstance(change.after, Name) else None


async def _waiting_with_new_names(caller: Caller, instance: str | None) -> tuple[Change, ...]:
    if instance is not None:
        caller.require_instance(instance)
    names = [name for name in caller.instances if instance in {None, name}]
    return await caller.store.changes.list_for_review_with_new_names(names)


async def _fetch_names(caller: Caller, waiting: Sequence[Change]) -> Mapping[str, NamesInUse]:
    """Fetch the names of the instances in which something waits."""
    return {
        name: await caller.get_instance(name).catalogue.names() for name in _instances_of(waiting)
    }


def _instances_of(waiting: Iterable[Change]) -> list[str]:
    return sorted({change.document.instance for change in waiting})


def _build_page(
    waiting: Sequence[Change], names: Mapping[str, NamesInUse], after: NameCursor | None, limit: int
) -> NamesPage:
    new_names = find_new_names_without_similar(waiting, names)
    rest = [name for name in new_names if after is None or name.cursor > after]
    shown = tuple(add_similar_names(name, names) for name in rest[:limit])
    return NamesPage(shown, total=len(new_names), has_more=len(rest) > limit, in_use=names)
