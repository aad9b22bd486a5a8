"""New names that wait for a person, and what follows from a word about one of them."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from typing import TypeAlias

from actions.caller import Caller
from actions.decisions import build_accepted
from actions.soon import TIMEOUT, PaperlessTakesLong, get_names_within
from core.changes import Change, ChangeState, Decision, RevisedChange, name_given_by
from core.documents import DocumentRef
from core.fields import FieldName, Name
from core.names import NAMED_FIELDS, AliasRule, NameScope
from paperless_client import PaperlessError
from processor.analysis.checks import CheckFailure
from processor.analysis.name_matching import spelling_key
from processor.analysis.name_similarity import find_similar_names
from processor.names.catalogue import NamesInUse
from processor.plan import Reason

NAME_REASONS = frozenset(
    {
        Reason.NEW_NAME,
        Reason.SIMILAR_NAME,
        CheckFailure.NAME_LOOKS_MISREAD,
        CheckFailure.NAME_OF_MIXED_LETTERS,
        CheckFailure.NAME_TOO_LONG,
    }
)
"""Reasons that a word about the name answers; any other is about the document."""

CURSOR_PATTERN = (
    r"^([a-z0-9][a-z0-9_-]*)/([1-9][0-9]{0,8})/"
    rf"({'|'.join(sorted(NAMED_FIELDS))})/([\s\S]+)$"
)

NameDecisions: TypeAlias = Mapping[DocumentRef, Decision | RevisedChange]
"""What becomes of each document's change."""


@dataclass(frozen=True, slots=True)
class NewName:
    """A name that does not exist yet, with the documents that wait with it."""

    instance: str
    field: FieldName
    name: str
    """As most of them spell it."""
    documents: tuple[DocumentRef, ...]
    similar: tuple[str, ...] = ()
    """The names in use that it reminds of; at first those of when it was suggested."""

    @property
    def cursor(self) -> "NameCursor":
        return NameCursor(self.instance, -len(self.documents), self.field, self.name)


@dataclass(frozen=True, slots=True, order=True)
class NameCursor:
    """Where a name stands among those that wait: by instance, the most wanted first."""

    instance: str
    rarity: int
    """The more documents wait with it, the less: minus their number."""
    field: FieldName
    name: str

    def __str__(self) -> str:
        return f"{self.instance}/{-self.rarity}/{self.field}/{self.name}"

    @classmethod
    def parse(cls, text: str) -> "NameCursor":
        """Read what `str` gives; raise ValueError on anything else."""
        match = re.fullmatch(CURSOR_PATTERN, text)
        if match is None:
            raise ValueError(f'"{text}" is no place among the names')
        instance, documents, field, name = match.groups()
        return cls(instance, -int(documents), FieldName(field), name)


def group_waiting_by_scope(
    waiting: Iterable[Change], spelling: str
) -> Mapping[NameScope, tuple[Change, ...]]:
    """Find the changes that wait with a name, new or in use, by where they do."""
    found: defaultdict[NameScope, list[Change]] = defaultdict(list)
    for change in waiting:
        given = name_given_by(change)
        if given and spelling_key(given[1].name) == spelling_key(spelling):
            found[NameScope(change.document.instance, given[0])].append(change)
    return {place: tuple(changes) for place, changes in found.items()}


def find_new_names(
    waiting: Iterable[Change], names: Mapping[str, NamesInUse]
) -> tuple[NewName, ...]:
    """List the names that wait and do not exist, the most wanted first."""
    return tuple(
        add_similar_names(one, names) for one in find_new_names_without_similar(waiting, names)
    )


def find_new_names_without_similar(
    waiting: Iterable[Change], names: Mapping[str, NamesInUse]
) -> tuple[NewName, ...]:
    """List them without a search for the names in use that each reminds of, which takes long.

    Of an instance whose names are not known, it is told what was so when they were suggested.
    """
    found: defaultdict[tuple[str, FieldName, str], list[Change]] = defaultdict(list)
    exists = cache(_exists_among(names))
    for change in waiting:
        given, instance = name_given_by(change), change.document.instance
        if given and needs_new_name(change) and not exists(instance, given[0], given[1].name):
            found[instance, given[0], spelling_key(given[1].name)].append(change)
    return tuple(sorted((_listed(changes) for changes in found.values()), key=_rank))


def add_similar_names(one: NewName, names: Mapping[str, NamesInUse]) -> NewName:
    """Find the names in use that a name reminds of, if those are known."""
    if one.instance not in names:
        return one
    alike = find_similar_names(one.field, one.name, names[one.instance].by_field[one.field])
    return replace(one, similar=tuple(name.name for name in alike))


def needs_new_name(change: Change) -> bool:
    """Tell whether a change needs a name that did not exist when it was planned."""
    given = name_given_by(change)
    return given is not None and given[1].id is None


def accept_with_name(changes: Iterable[Change], name: Name) -> NameDecisions:
    """Have the changes written with this name.

    A change that waits for another reason too, or because someone set another value meanwhile,
    goes on waiting for that, with this name.
    """
    return {change.document: _written(change, name) for change in changes}


def replace_with_existing(
    changes: Iterable[Change], meaning: AliasRule, waiting: Iterable[Change]
) -> NameDecisions:
    """Have the changes written with the name that theirs means from now on.

    A tag that waits by itself as well is not added twice.
    """
    assert meaning.target is not None
    target, twins = meaning.target, {(one.document, one.field, _id(one)) for one in waiting}
    words: dict[DocumentRef, Decision | RevisedChange] = {}
    for change in changes:
        is_twin = (change.document, FieldName.TAGS, target.id) in twins
        words[change.document] = (
            Decision(reject=(change.id,)) if is_twin else _written(change, target)
        )
    return words


def reject_changes(changes: Iterable[Change]) -> NameDecisions:
    """Have the changes rejected, whatever else they wait for."""
    return {change.document: Decision(reject=(change.id,)) for change in changes}


def _written(change: Change, name: Name) -> Decision | RevisedChange:
    others = tuple(reason for reason in change.reasons if reason not in NAME_REASONS)
    if others or change.state is ChangeState.CONFLICT:
        return RevisedChange(change.id, name, others)
    return Decision(accept=(build_accepted(change, name),))


def _exists_among(names: Mapping[str, NamesInUse]) -> Callable[[str, FieldName, str], bool]:
    """Return what tells whether someone made a name meanwhile."""
    return lambda instance, field, name: (
        instance in names and names[instance].match(field, name).id is not None
    )


def _rank(one: NewName) -> NameCursor:
    return one.cursor


def _listed(changes: list[Change]) -> NewName:
    given = name_given_by(changes[0])
    assert given is not None
    counted = Counter(str(change.after) for change in changes)
    # Of spellings that are equally common, one without its legal form.
    name = min(counted, key=lambda one: (-counted[one], len(one), one))
    documents = tuple(change.document for change in changes)
    return NewName(documents[0].instance, given[0], name, documents, changes[0].similar)


def _id(change: Change) -> int | None:
    return change.after.id if isinstance(change.after, Name) else None


@dataclass(frozen=True, slots=True)
class NamesPage:
    """Some of the names that wait."""

    names: tuple[NewName, ...] = ()
    total: int = 0
    """How many there are in all."""
    has_more: bool = False
    """Whether some come after these."""
    in_use: Mapping[str, NamesInUse] = field(default_factory=dict)
    """The names of each instance, as far as they are known."""
    unsure: str = ""
    """Why it is not known which of them exist by now, in words for people."""

    @property
    def next(self) -> NameCursor | None:
        """Where the next page begins: after this; None at the end."""
        return self.names[-1].cursor if self.has_more else None


async def list_new_names(caller: Caller, instance: str | None = None) -> tuple[NewName, ...]:
    """List the new names that wait, the most wanted first."""
    waiting = await _waiting_with_new_names(caller, instance)
    return find_new_names(waiting, await _names_of(caller, waiting))


async def list_names_page(
    caller: Caller, after: NameCursor | None, *, limit: int, instance: str | None = None
) -> NamesPage:
    """List so many of the new names that wait, from a place on."""
    waiting = await _waiting_with_new_names(caller, instance)
    return _page(waiting, await _names_of(caller, waiting), after, limit)


async def list_names_page_within(
    caller: Caller,
    after: NameCursor | None,
    *,
    limit: int,
    instance: str | None = None,
    patience: timedelta = TIMEOUT,
) -> NamesPage:
    """List them as `names_after` does, but wait only so long for each Paperless.

    Of one that does not answer, it is told what was known when the names were suggested.
    """
    waiting = await _waiting_with_new_names(caller, instance)
    names: dict[str, NamesInUse] = {}
    unsure = ""
    for one in _instances_of(waiting):
        try:
            names[one] = await get_names_within(caller.get_instance(one), patience)
        except (PaperlessError, PaperlessTakesLong) as error:
            unsure = error.user_message
    return replace(_page(waiting, names, after, limit), unsure=unsure)


async def _waiting_with_new_names(caller: Caller, instance: str | None) -> tuple[Change, ...]:
    if instance is not None:
        caller.require_instance(instance)
    names = [one for one in caller.instances if instance in {None, one}]
    return await caller.store.changes.list_for_review_with_new_names(names)


async def _names_of(caller: Caller, waiting: Sequence[Change]) -> Mapping[str, NamesInUse]:
    """Read the names of the instances for which something waits; of the others nobody asks."""
    return {
        name: await caller.get_instance(name).catalogue.names() for name in _instances_of(waiting)
    }


def _instances_of(waiting: Iterable[Change]) -> list[str]:
    return sorted({change.document.instance for change in waiting})


def _page(
    waiting: Sequence[Change], names: Mapping[str, NamesInUse], after: NameCursor | None, limit: int
) -> NamesPage:
    every = find_new_names_without_similar(waiting, names)
    rest = every if after is None else [one for one in every if one.cursor > after]
    here = tuple(add_similar_names(one, names) for one in rest[:limit])
    return NamesPage(here, total=len(every), has_more=len(rest) > limit, in_use=names)
