"""The scan rules of an instance, and their tags resolved to ids."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo

from core.errors import PaperclerkError
from core.messages import message
from core.names import TagIds, TagMissing
from paperless_client import CachedList, NamedObject, PaperlessClient, PermissionMissing
from scanner.selection import Selection


class DoneTagBeneathRemoved(PaperclerkError):
    """Removing the trigger tag would also remove the done tag."""

    code = "done_tag_beneath_removed"
    user_message = "The done tag is a child of a tag that is to be removed."
    hint = "Choose another scan.done_tag, or move the tag in Paperless."


@dataclass(frozen=True, slots=True)
class ScanRules:
    """The scan settings of an instance, with tags by name."""

    include_tags: frozenset[str] = field(default_factory=frozenset)
    exclude_tags: frozenset[str] = field(default_factory=frozenset)
    remove_tags: frozenset[str] = field(default_factory=frozenset)
    done_tag: frozenset[str] = field(default_factory=frozenset)
    """One tag, or none."""
    since: datetime | None = None
    min_age: timedelta = timedelta(minutes=2)
    max_attempts: int = 3
    permissions: frozenset[str] = frozenset({"change_document"})
    """Permissions that the token's user needs to file documents."""
    custom_fields: frozenset[str] = frozenset()
    """Custom fields to fill, by name."""
    reanalyze: bool = False
    """Whether a document is analyzed again when its text has changed."""
    zone: tzinfo | None = None
    """The owner's time zone, which decides when it is night; None means the system's."""

    @property
    def tags(self) -> frozenset[str]:
        return self.include_tags | self.exclude_tags | self.remove_tags | self.done_tag


class TagResolver:
    """Resolves the tag names of the rules to ids."""

    def __init__(self, rules: ScanRules, tags: CachedList[NamedObject]) -> None:
        self._rules = rules
        self._tags = tags
        self._hidden = frozenset[int]()
        """Tags on documents that the token may not see."""

    async def resolve_selection(self, carried: frozenset[int] = frozenset()) -> Selection:
        """Resolve the names; raise TagMissing if one does not exist.

        The list is fetched again if it is older than five minutes, or if it lacks a name from the
        rules or a tag of a document.
        """
        if not self._rules.tags:
            return _build_selection(self._rules, ())
        if (cached := self._tags.cached) is not None:
            if not _find_missing(carried - self._hidden, cached):
                with suppress(TagMissing):
                    return _build_selection(self._rules, cached)
            self._tags.invalidate()
        fetched = await self._tags.get_entries()
        self._hidden = _find_missing(carried | self._hidden, fetched)
        return _build_selection(self._rules, fetched)


def _find_missing(ids: frozenset[int], tags: Iterable[NamedObject]) -> frozenset[int]:
    return ids - {tag.id for tag in tags}


def _build_selection(rules: ScanRules, tags: Sequence[NamedObject]) -> Selection:
    ids = TagIds.from_pairs((tag.name, tag.id) for tag in tags)
    removed, done = ids.one_per_name(rules.remove_tags), ids.one_per_name(rules.done_tag)
    _require_done_tag_kept({tag.id: tag.parent for tag in tags}, done, removed)
    include = ids.one_per_name(rules.include_tags)
    counts = [tag.document_count for tag in tags if tag.id in include]
    return Selection(
        include=include,
        exclude=ids.all_ids(rules.exclude_tags),
        trigger=removed,
        done=done,
        since=rules.since,
        min_age=rules.min_age,
        at_most=min((count for count in counts if count is not None), default=None),
    )


async def fetch_permitted_user(rules: ScanRules, client: PaperlessClient) -> str:
    """Return the token's user; raise PermissionMissing if it may not file documents.

    Otherwise the model would be paid for values that cannot be written. Some tokens may not even
    read their user: then return "", and the first write shows the permissions.
    """
    try:
        user = await client.fetch_user()
    except PermissionMissing:
        return ""
    missing = sorted(rules.permissions - user.permissions)
    if missing and not user.is_superuser:
        lacks = message('the user "{user}" lacks permission', user=user.username)
        action = message("file documents")
        raise PermissionMissing(action, lacks, permission=", ".join(missing))
    return user.username


def _require_done_tag_kept(
    parents: Mapping[int, int | None], done: frozenset[int], removed: frozenset[int]
) -> None:
    """Raise DoneTagBeneathRemoved if removing a tag would remove the done tag with it."""
    for tag in done:
        above = parents.get(tag)
        while above is not None:
            if above in removed:
                raise DoneTagBeneathRemoved(
                    message("scan.done_tag is a child of a tag in remove_tags")
                )
            above = parents.get(above)
