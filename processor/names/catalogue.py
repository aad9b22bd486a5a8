"""The names in use in one Paperless: tags, correspondents, document types, storage paths."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

from core.fields import FieldName, Name
from core.names import AliasRule, TagIds
from paperless_client import NamedObject, NameLists
from processor.analysis.name_matching import (
    find_nearest,
    find_possible_names,
    match_name,
    spelling_key,
)
from processor.analysis.prompt_blocks import NameEntry, OfferedNames, explain_template
from processor.analysis.text_rating import FiledWords
from processor.fields import BUILT_IN_FIELDS

NAME_KINDS = {
    field: definition.kind for field, definition in BUILT_IN_FIELDS.items() if definition.kind
}


FetchedNames: TypeAlias = Mapping[FieldName, tuple[NamedObject, ...]]
AliasRules: TypeAlias = Mapping[tuple[FieldName, str], AliasRule]
"""Aliases that people defined, by field and key of the spelling."""


class StoredNames(Protocol):
    """Loads what is stored about names: aliases that people defined, tags that we created."""

    async def meanings(self) -> AliasRules: ...
    async def created_tags(self) -> frozenset[int]: ...


@dataclass(frozen=True, slots=True)
class ResolvedName:
    """The name that a suggestion stands for."""

    name: Name
    similar: tuple[str, ...] = ()
    """Names in use that a new name may stand for."""


@dataclass(frozen=True, slots=True)
class NamesInUse:
    """All names of one Paperless at one moment, most used first."""

    by_field: Mapping[FieldName, tuple[Name, ...]]
    parents: Mapping[int, int | None]
    """The parent of each tag; None at the top."""
    aliases: AliasRules = field(default_factory=dict)
    templates: Mapping[int, str] = field(default_factory=dict)
    """What the template of each storage path makes of a document, by its id."""
    unmatched_tags: frozenset[int] = frozenset()
    """Tags that Paperless never assigns automatically."""
    left_out_tags: frozenset[int] = frozenset()
    """Tags that a model may not use."""
    filed_words: FiledWords = field(default_factory=dict)
    """Words of the documents that a person filed, by document type and by tag."""

    def get_name(self, field: FieldName, id_: int | None) -> Name | None:
        """Return the name with that id; a name that we may not see is called by its id."""
        if id_ is None:
            return None
        known = (name for name in self.by_field[field] if name.id == id_)
        return next(known, Name(id_, f"#{id_}"))

    def match(self, field: FieldName, suggested: str) -> Name:
        """Return the name in use that `suggested` means, or one without an id."""
        return match_name(suggested, self.by_field[field])

    def resolve(self, field: FieldName, suggested: str) -> ResolvedName:
        """Resolve a suggestion: by its alias, then by its spelling, then by the nearest name."""
        if alias := self.find_alias(field, suggested):
            return ResolvedName(alias)
        known = self.by_field[field]
        name = match_name(suggested, known)
        if name.id is None:
            name = find_nearest(suggested, known) or name
        if name.id is not None:
            return ResolvedName(name)
        possible = find_possible_names(field, suggested, known)
        return ResolvedName(name, tuple(similar.name for similar in possible))

    def find_alias(self, field: FieldName, suggested: str) -> Name | None:
        """Return the name that `suggested` is an alias of; None if there is none."""
        rule = self.aliases.get((field, spelling_key(suggested)))
        return self.find_target(rule) if rule else None

    def find_target(self, rule: AliasRule) -> Name | None:
        """Return the target of an alias with its current name; None if it was deleted."""
        target, known = rule.target, self.by_field[rule.field]
        if target is None:
            return None
        if target.id is not None:
            return next((name for name in known if name.id == target.id), None)
        # The target was a new name itself when it was chosen.
        named = match_name(target.name, known)
        return named if named.id is not None else None

    @property
    def refused(self) -> frozenset[tuple[FieldName, str]]:
        """Return the names that must never be suggested, by field and key."""
        decided = (key for key, rule in self.aliases.items() if rule.target is None)
        tags = (
            (FieldName.TAGS, spelling_key(tag.name))
            for tag in self.by_field[FieldName.TAGS]
            if tag.id in self.left_out_tags
        )
        return frozenset((*decided, *tags))

    @property
    def offered(self) -> OfferedNames:
        """Return the names that a model may choose from.

        Tags come with the tags above them, storage paths with their templates.
        """
        offered: dict[FieldName, list[NameEntry]] = {
            field: [NameEntry(name.name, id=name.id or 0) for name in names]
            for field, names in self.by_field.items()
        }
        tags = {tag.id: tag.name for tag in offered[FieldName.TAGS]}
        above = {
            id_: [tags[above] for above in self.ancestors(id_) if above in tags] for id_ in tags
        }
        offered[FieldName.TAGS] = [
            replace(tag, parents=tuple(reversed(above[tag.id])))
            for tag in offered[FieldName.TAGS]
            if tag.id not in self.left_out_tags
        ]
        offered[FieldName.STORAGE_PATH] = [
            replace(path, note=self.templates.get(path.id, ""))
            for path in offered[FieldName.STORAGE_PATH]
        ]
        return offered

    @property
    def tag_ids(self) -> TagIds:
        """Return the ids of the tags by name."""
        tags = self.by_field[FieldName.TAGS]
        return TagIds.from_pairs((tag.name, tag.id) for tag in tags if tag.id is not None)

    def tags(self, ids: Iterable[int]) -> tuple[Name, ...]:
        """Return the tags with these ids."""
        found = (self.get_name(FieldName.TAGS, id_) for id_ in sorted(ids))
        return tuple(tag for tag in found if tag is not None)

    def ancestors(self, tag: int) -> Iterator[int]:
        """Yield the tag's parent, its parent's parent, and so on."""
        while (parent := self.parents.get(tag)) is not None:
            yield parent
            tag = parent

    def descendants(self, tag: int) -> frozenset[int]:
        """Return the tags beneath `tag`."""
        return frozenset(id_ for id_ in self.parents if tag in self.ancestors(id_))


class Catalogue:
    """The names of one Paperless, most used first, with the aliases that people defined."""

    def __init__(
        self,
        lists: NameLists,
        *,
        stored: StoredNames,
        fields: Collection[FieldName],
        offers_unmatched_tags: bool = True,
    ) -> None:
        self._lists = lists
        self._stored = stored
        self._offers_unmatched_tags = offers_unmatched_tags
        self._fields = fields
        """Fields whose names are fetched; of the others, no name is known."""
        self._sorted: NamesInUse | None = None
        self._sorted_from: FetchedNames = {}

    async def names(self) -> NamesInUse:
        """Return all names, at most five minutes old."""
        fetched = {
            field: await self._lists.of_kind(kind).get_entries() if field in self._fields else ()
            for field, kind in NAME_KINDS.items()
        }
        if self._sorted is None or any(
            fetched[field] is not self._sorted_from[field] for field in fetched
        ):
            self._sorted, self._sorted_from = _sort(fetched), fetched
        if self._offers_unmatched_tags:
            return self._sorted
        # Those that we create have no matching algorithm either.
        left_out = self._sorted.unmatched_tags - await self._stored.created_tags()
        return replace(self._sorted, left_out_tags=left_out)

    async def inbox_tags(self) -> frozenset[int]:
        """Return the ids of the tags that mark documents which nobody has filed yet."""
        tags = await self._lists.tags.get_entries()
        return frozenset(tag.id for tag in tags if tag.is_inbox_tag)

    async def names_with_aliases(self) -> NamesInUse:
        """Return all names, with the aliases as stored now."""
        return replace(await self.names(), aliases=await self._stored.meanings())

    def invalidate(self, *fields: FieldName) -> None:
        """Discard the names of these fields (all without a field); they are fetched when needed."""
        for named in fields or NAME_KINDS:
            self._lists.of_kind(NAME_KINDS[named]).invalidate()


def _sort(fetched: FetchedNames) -> NamesInUse:
    """Build the names in use, the most used first."""
    by_field = {
        field: tuple(
            Name(named.id, named.name)
            for named in sorted(found, key=lambda named: (-(named.document_count or 0), named.name))
        )
        for field, found in fetched.items()
    }
    return NamesInUse(
        by_field,
        parents={tag.id: tag.parent for tag in fetched[FieldName.TAGS]},
        unmatched_tags=frozenset(
            tag.id for tag in fetched[FieldName.TAGS] if tag.is_never_assigned
        ),
        templates={p.id: explain_template(p.path) for p in fetched[FieldName.STORAGE_PATH]},
    )
