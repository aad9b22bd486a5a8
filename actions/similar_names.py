"""Names in use that look like the same name, spelled in two ways."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from actions.caller import Caller
from actions.timeouts import get_names_within
from core.fields import FieldName, Name
from processor.analysis.name_similarity import find_possible_names
from processor.names.catalogue import NamesInUse

_MOST_COMPARED = 250
"""Names of a field that are compared, the most used ones: each is compared with every other."""
_COMPARED = (FieldName.CORRESPONDENT, FieldName.DOCUMENT_TYPE, FieldName.TAGS)


@dataclass(frozen=True, slots=True)
class SimilarPair:
    """Two names in use that may mean the same."""

    instance: str
    field: FieldName
    kept: Name
    """The one that more documents have."""
    other: Name


async def find_similar_pairs(caller: Caller, instance: str) -> tuple[SimilarPair, ...]:
    """Return the pairs of similar names; those with an alias are decided and left out.

    Raise PaperlessError or PaperlessTakesLong.
    """
    names = await get_names_within(caller.get_instance(instance))
    aliases = await caller.store.names.list_aliases(instance)
    decided = {(alias.meaning.field, alias.meaning.spelling) for alias in aliases}
    pairs = await asyncio.to_thread(lambda: tuple(_pairs(instance, names)))
    return tuple(pair for pair in pairs if (pair.field, pair.other.name) not in decided)


def _pairs(instance: str, names: NamesInUse) -> Iterator[SimilarPair]:
    for field in _COMPARED:
        # Most used first, so that the first of two similar names is the one to keep.
        compared = names.by_field[field][:_MOST_COMPARED]
        for number, kept in enumerate(compared):
            for other in find_possible_names(field, kept.name, compared[number + 1 :]):
                if not _is_parent(names, kept, other):
                    yield SimilarPair(instance, field, kept, other)


def _is_parent(names: NamesInUse, name: Name, other: Name) -> bool:
    """Return whether one of two tags is above the other, so that both are wanted."""
    return name.id in set(names.ancestors(other.id or 0)) or other.id in set(
        names.ancestors(name.id or 0)
    )
