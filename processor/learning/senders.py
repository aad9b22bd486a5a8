"""Recognise the sender of a document by what was learnt from its earlier documents."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from core.fields import FieldName, Name
from core.learning import MIN_DOCUMENTS, SENDER_NUMBERS, Fact, FactCount, FactKind
from processor.analysis.name_matching import is_same_party
from processor.names.catalogue import NamesInUse


def find_known_senders(
    counts: Iterable[FactCount],
    declined: Collection[Fact],
    names: NamesInUse,
    owner_names: Collection[str],
) -> Mapping[Fact, Name]:
    """Return the correspondent to whom each fact belongs.

    A fact drops out if a person deleted it, if several correspondents use it, if too few documents
    show it, or if it is the owner's.
    """
    by_fact: defaultdict[Fact, list[FactCount]] = defaultdict(list)
    for count in counts:
        by_fact[count.fact].append(count)
    known = {name.id: name for name in names.by_field[FieldName.CORRESPONDENT]}
    found: dict[Fact, Name] = {}
    for fact, senders in by_fact.items():
        name = known.get(senders[0].correspondent)
        is_unique = len(senders) == 1 and senders[0].documents >= MIN_DOCUMENTS
        if not is_unique or name is None or fact in declined:
            continue
        if not any(is_same_party(name.name, own) for own in owner_names):
            found[fact] = name
    return found


def recognise_sender(own: Collection[Fact], known: Mapping[Fact, Name]) -> Name | None:
    """Return the correspondent to whom a number in the sender's own block belongs.

    `known` has all known numbers on the page. None if they belong to several correspondents.
    """
    numbers = {fact: name for fact, name in known.items() if fact.kind in SENDER_NUMBERS}
    if len({name.id for name in numbers.values()}) != 1:
        return None
    return next((name for fact, name in numbers.items() if fact in own), None)


def recognise_letterhead(known: Mapping[Fact, Name]) -> Name | None:
    """Return the correspondent that a person chose for documents with this letterhead."""
    return next((name for fact, name in known.items() if fact.kind is FactKind.LETTERHEAD), None)
