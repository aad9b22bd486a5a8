"""Resolve the names of tags in the settings to ids in Paperless."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.errors import PaperclerkError
from core.messages import message


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
    """Ids of the tags of one Paperless by name."""

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
