"""The names in use in one Paperless: tags, correspondents, document types."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

from core.fields import FieldName, Name
from core.names import AliasRule
from core.tags import TagIds
from paperless_client import NamedObject, NameKind, NameLists
from processor.analysis.name_matching import match_name, spelling_key
from processor.analysis.name_similarity import find_nearest, find_possible_names

NAME_KINDS = {
    FieldName.CORRESPONDENT: NameKind.CORRESPONDENT,
    FieldName.DOCUMENT_TYPE: NameKind.DOCUMENT_TYPE,
    FieldName.TAGS: NameKind.TAG,
}


FetchedNames: TypeAlias = Mapping[FieldName, tuple[NamedObject, ...]]
AliasRules: TypeAlias = Mapping[tuple[FieldName, str], AliasRule]
"""What people decided that spellings mean, by field and key."""


class AliasSource(Protocol):
    """Where it is remembered what people decided about names."""

    async def meanings(self) -> AliasRules: ...


@dataclass(frozen=True, slots=True)
class ResolvedName:
    """What a suggested name means."""

    name: Name
    similar: tuple[str, ...] = ()
    """If it is new: the names in use that it may stand for."""


@dataclass(frozen=True, slots=True)
class NamesInUse:
    """All names of one Paperless at one moment, most used first."""

    by_field: Mapping[FieldName, tuple[Name, ...]]
    parents: Mapping[int, int | None]
    """Of each tag its parent, None at the top."""
    aliases: AliasRules = field(default_factory=dict)

    def get_name(self, field: FieldName, id_: int | None) -> Name | None:
        """Return the name with that id; one that we may not see is called by its number."""
        if id_ is None:
            return None
        known = (name for name in self.by_field[field] if name.id == id_)
        return next(known, Name(id_, f"#{id_}"))

    def match(self, field: FieldName, suggested: str) -> Name:
        """Return the name in use that `suggested` means, or one without an id."""
        return match_name(suggested, self.by_field[field])

    def resolve(self, field: FieldName, suggested: str) -> ResolvedName:
        """Read a suggestion as a person would: what it was told to mean, then what it is like."""
        if alias := self.find_alias(field, suggested):
            return ResolvedName(alias)
        known = self.by_field[field]
        name = match_name(suggested, known)
        if name.id is None:
            name = find_nearest(suggested, known) or name
        if name.id is not None:
            return ResolvedName(name)
        return ResolvedName(
            name, tuple(one.name for one in find_possible_names(field, suggested, known))
        )

    def find_alias(self, field: FieldName, suggested: str) -> Name | None:
        """Return what a person said that `suggested` means; None if nothing, or if it is gone."""
        meaning = self.aliases.get((field, spelling_key(suggested)))
        return self.find_target(meaning) if meaning else None

    def find_target(self, meaning: AliasRule) -> Name | None:
        """Return the name that is meant as it is called now; None if there is none."""
        target, known = meaning.target, self.by_field[meaning.field]
        if target is None:
            return None
        if target.id is not None:
            return next((name for name in known if name.id == target.id), None)
        # It was new itself when it was chosen.
        named = match_name(target.name, known)
        return named if named.id is not None else None

    @property
    def refused(self) -> frozenset[tuple[FieldName, str]]:
        """Return the names that are never to be suggested, by field and key."""
        return frozenset(one for one, said in self.aliases.items() if said.target is None)

    @property
    def offered(self) -> Mapping[FieldName, list[str]]:
        """Return the names that a model may choose from."""
        return {field: [one.name for one in names] for field, names in self.by_field.items()}

    @property
    def tag_ids(self) -> TagIds:
        """Return the numbers of the tags by name."""
        tags = self.by_field[FieldName.TAGS]
        return TagIds.from_pairs((tag.name, tag.id) for tag in tags if tag.id is not None)

    def tags(self, ids: Iterable[int]) -> tuple[Name, ...]:
        """Return the tags with these numbers."""
        found = (self.get_name(FieldName.TAGS, id_) for id_ in sorted(ids))
        return tuple(tag for tag in found if tag is not None)

    def ancestors(self, tag: int) -> Iterator[int]:
        """Yield the tag's parent, its parent's parent, and so on."""
        while (parent := self.parents.get(tag)) is not None:
            yield parent
            tag = parent

    def descendants(self, tag: int) -> frozenset[int]:
        """Return the tags beneath `tag`."""
        return frozenset(one for one in self.parents if tag in self.ancestors(one))


class Catalogue:
    """The names of one Paperless, sorted for the model, with people's decisions about them."""

    def __init__(self, lists: NameLists, *, aliases: AliasSource) -> None:
        self._lists = lists
        self._aliases = aliases
        self._sorted: NamesInUse | None = None
        self._sorted_from: FetchedNames = {}

    async def names(self) -> NamesInUse:
        """Return all names, at most five minutes old."""
        fetched = {
            field: await self._lists.of_kind(kind).get_entries()
            for field, kind in NAME_KINDS.items()
        }
        if self._sorted is None or any(
            fetched[field] is not self._sorted_from[field] for field in fetched
        ):
            self._sorted, self._sorted_from = _sort(fetched), fetched
        return self._sorted

    async def names_with_aliases(self) -> NamesInUse:
        """Return the names, with what people decided about them until this moment."""
        return replace(await self.names(), aliases=await self._aliases.meanings())

    def invalidate(self, *fields: FieldName) -> None:
        """Discard the names of these fields (all without a field); they are fetched when needed."""
        for named in fields or NAME_KINDS:
            self._lists.of_kind(NAME_KINDS[named]).invalidate()


def _sort(fetched: FetchedNames) -> NamesInUse:
    """Build the names in use, the most used first."""
    by_field = {
        field: tuple(Name(named.id, named.name) for named in sorted(found, key=_most_used_first))
        for field, found in fetched.items()
    }
    return NamesInUse(by_field, {tag.id: tag.parent for tag in fetched[FieldName.TAGS]})


def _most_used_first(named: NamedObject) -> tuple[int, str]:
    return (-(named.document_count or 0), named.name)
