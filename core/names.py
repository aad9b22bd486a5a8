"""Names in Paperless, such as tags and correspondents: ids, aliases, policies, created names."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.fields import FieldName, Name
from core.messages import message


@dataclass(frozen=True, slots=True)
class NameScope:
    """The scope of a name: an instance and a field."""

    instance: str
    field: FieldName


@dataclass(frozen=True, slots=True)
class NameFilter:
    """Filter by instance and field; None means any."""

    instance: str | None = None
    field: FieldName | None = None

    def covers(self, place: NameScope) -> bool:
        return self.instance in {None, place.instance} and self.field in {None, place.field}


@dataclass(frozen=True, slots=True)
class AliasRule:
    """A person's decision about a spelling of a name."""

    field: FieldName
    key: str
    """Key that equivalent spellings share."""
    spelling: str
    """The spelling as suggested."""
    target: Name | None
    """The name to use; None: never suggest it."""


@dataclass(frozen=True, slots=True)
class Alias:
    """A stored alias rule of one instance."""

    instance: str
    meaning: AliasRule
    decided_by: str
    decided_at: datetime


class NameOwner(StrEnum):
    """Who owns the names that we create."""

    NOBODY = "nobody"
    """Visible to everybody."""
    ME = "me"
    """The user of the token; visible to others only if shared."""
    DOCUMENT = "document"
    """The owner of the document that it is created for, shared with the document's groups."""


@dataclass(frozen=True, slots=True)
class WantedName:
    """A name that a change needs and that does not exist yet."""

    field: FieldName
    key: str
    name: str
    change_id: int


@dataclass(frozen=True, slots=True)
class NameReservation:
    """The right to create a name, which one job has at a time."""

    id: int
    is_inherited: bool
    """Whether a failed job had it before and may have created the name."""


@dataclass(frozen=True, slots=True)
class CreatedName:
    """A name that we created, or intended to create."""

    id: int
    field: FieldName
    name: str
    name_id: int | None
    """Its id in Paperless; None if it is unknown whether it was created."""
    document: DocumentRef
    """The document that it was created for."""
    change_id: int
    job_id: int
    intended_at: datetime
    made_at: datetime | None
    removed_at: datetime | None


class KeepReason(StrEnum):
    """Why a name that we created is not removed."""

    IN_USE = "in_use"
    RENAMED = "renamed"
    HAS_RULES = "has_rules"
    IS_PARENT = "is_parent"
    IN_SETTINGS = "in_settings"
    HAS_ALIAS = "has_alias"
    WAITS = "waits"


class TagMissing(PaperclerkError):
    """A tag in the settings does not exist, or is not visible to our user."""

    code = "tag_missing"
    user_message = "A tag named in the config does not exist in Paperless."
    hint = (
        "Create the tag in Paperless, make it visible to the token's user, or correct the config."
    )

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)
        listed = ", ".join(self.names)
        super().__init__(message("no such tag in Paperless: {names}", names=listed))


@dataclass(frozen=True, slots=True)
class TagIds:
    """Ids of the tags of one Paperless by name, for the tags in the settings."""

    by_name: Mapping[str, tuple[int, ...]]
    """Several users may each have a tag of one name; the oldest comes first."""

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[str, int]]) -> "TagIds":
        by_name: defaultdict[str, list[int]] = defaultdict(list)
        for name, id_ in pairs:
            by_name[name].append(id_)
        return cls({name: tuple(sorted(ids)) for name, ids in by_name.items()})

    def one_per_name(self, names: Iterable[str]) -> frozenset[int]:
        """Return one tag for each name; raise TagMissing with all that do not exist."""
        return frozenset(ids[0] for ids in self._find(names))

    def all_ids(self, names: Iterable[str]) -> frozenset[int]:
        """Return all tags of these names: an exclusion must cover every one."""
        return frozenset(id_ for ids in self._find(names) for id_ in ids)

    def _find(self, names: Iterable[str]) -> list[tuple[int, ...]]:
        # Paperless ignores a filter that it does not understand and returns everything, so a
        # missing tag must raise.
        wanted = list(names)
        missing = [name for name in wanted if name not in self.by_name]
        if missing:
            raise TagMissing(missing)
        return [self.by_name[name] for name in wanted]
