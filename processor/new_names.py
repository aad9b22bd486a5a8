"""New names that wait for a person, and what follows from a word about one of them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from core.changes import Change, ChangeState, Decision, Revised, name_given_by
from core.documents import DocumentRef
from core.fields import FieldName, Name
from core.names import Meaning, Place
from processor.analysis.checks import Doubt
from processor.analysis.names import spelling_key
from processor.analysis.near import most_alike
from processor.catalogue import NamesInUse
from processor.decide import accept_as
from processor.plan import Reason

ABOUT_THE_NAME = frozenset(
    {
        Reason.NEW_NAME,
        Reason.SIMILAR_NAME,
        Doubt.NAME_LOOKS_MISREAD,
        Doubt.NAME_OF_MIXED_LETTERS,
        Doubt.NAME_TOO_LONG,
    }
)
"""Reasons that a word about the name answers; any other is about the document."""

Words: TypeAlias = Mapping[DocumentRef, Decision | Revised]
"""What becomes of each document's change."""


@dataclass(frozen=True, slots=True)
class NewName:
    """A name that does not exist yet, with the documents that wait with it."""

    instance: str
    field: FieldName
    name: str
    """As most of them spell it."""
    documents: tuple[DocumentRef, ...]
    similar: tuple[str, ...]
    """The names in use that it reminds of."""


def waiting_with(waiting: Iterable[Change], spelling: str) -> Mapping[Place, tuple[Change, ...]]:
    """Find the changes that wait with a name, new or in use, by where they do."""
    found: defaultdict[Place, list[Change]] = defaultdict(list)
    for change in waiting:
        given = name_given_by(change)
        if given and spelling_key(given[1].name) == spelling_key(spelling):
            found[Place(change.document.instance, given[0])].append(change)
    return {place: tuple(changes) for place, changes in found.items()}


def new_names(waiting: Iterable[Change], names: Mapping[str, NamesInUse]) -> tuple[NewName, ...]:
    """List the names that wait and do not exist, the most wanted first."""
    found: defaultdict[tuple[str, FieldName, str], list[Change]] = defaultdict(list)
    for change in waiting:
        given = name_given_by(change)
        if given and was_new(change) and not _exists(*given, names[change.document.instance]):
            key = change.document.instance, given[0], spelling_key(given[1].name)
            found[key].append(change)
    listed = [
        _listed(field, changes, names[instance]) for (instance, field, _), changes in found.items()
    ]
    return tuple(sorted(listed, key=_order))


def was_new(change: Change) -> bool:
    """Tell whether a change needs a name that did not exist when it was planned."""
    given = name_given_by(change)
    return given is not None and given[1].id is None


def write(changes: Iterable[Change], name: Name) -> Words:
    """Have the changes written with this name.

    A change that waits for another reason too, or because someone set another value meanwhile,
    goes on waiting for that, with this name.
    """
    return {change.document: _written(change, name) for change in changes}


def put_in_place(changes: Iterable[Change], meaning: Meaning, waiting: Iterable[Change]) -> Words:
    """Have the changes written with the name that theirs means from now on.

    A tag that waits by itself as well is not added twice.
    """
    assert meaning.target is not None
    target, twins = meaning.target, {(one.document, one.field, _id(one)) for one in waiting}
    words: dict[DocumentRef, Decision | Revised] = {}
    for change in changes:
        is_twin = (change.document, FieldName.TAGS, target.id) in twins
        words[change.document] = (
            Decision(reject=(change.id,)) if is_twin else _written(change, target)
        )
    return words


def drop(changes: Iterable[Change]) -> Words:
    """Have the changes rejected, whatever else they wait for."""
    return {change.document: Decision(reject=(change.id,)) for change in changes}


def _written(change: Change, name: Name) -> Decision | Revised:
    others = tuple(reason for reason in change.reasons if reason not in ABOUT_THE_NAME)
    if others or change.state is ChangeState.CONFLICT:
        return Revised(change.id, name, others)
    return Decision(accept=(accept_as(change, name),))


def _exists(field: FieldName, name: Name, names: NamesInUse) -> bool:
    """Tell whether someone made a name meanwhile."""
    return names.match(field, name.name).id is not None


def _order(one: NewName) -> tuple[str, int, str, str]:
    return one.instance, -len(one.documents), one.field, one.name


def _listed(field: FieldName, changes: list[Change], names: NamesInUse) -> NewName:
    counted = Counter(str(change.after) for change in changes)
    # Of spellings that are equally common, one without its legal form.
    name = min(counted, key=lambda one: (-counted[one], len(one), one))
    alike = most_alike(field, name, names.by_field[field])
    return NewName(
        changes[0].document.instance,
        field,
        name,
        tuple(change.document for change in changes),
        tuple(one.name for one in alike),
    )


def _id(change: Change) -> int | None:
    return change.after.id if isinstance(change.after, Name) else None
