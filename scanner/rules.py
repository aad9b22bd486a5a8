"""What the owner of an instance asks for, and what it means in this Paperless."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo

from core.errors import PaperclerkError
from core.messages import message
from core.tags import TagIds, TagMissing
from paperless_client import CachedList, NamedObject, PaperlessClient, PermissionMissing
from scanner.selection import Selection


class DoneTagBeneathRemoved(PaperclerkError):
    """Taking the trigger tag away would take the done tag away as well."""

    code = "done_tag_beneath_removed"
    user_message = "The done tag is a child of a tag that is to be removed."
    hint = "Choose another scan.done_tag, or move the tag in Paperless."


@dataclass(frozen=True, slots=True)
class ScanRules:
    """What the owner of an instance asks for; tags by name."""

    include_tags: frozenset[str] = field(default_factory=frozenset)
    exclude_tags: frozenset[str] = field(default_factory=frozenset)
    remove_tags: frozenset[str] = field(default_factory=frozenset)
    done_tag: frozenset[str] = field(default_factory=frozenset)
    """One, or none."""
    since: datetime | None = None
    min_age: timedelta = timedelta(minutes=2)
    max_attempts: int = 3
    permissions: frozenset[str] = frozenset({"change_document"})
    """What the token's user must be allowed to, so that work can be ended."""
    custom_fields: frozenset[str] = frozenset()
    """Custom fields that are asked for, by name."""
    reanalyze: bool = False
    """Whether a document is analysed again when its text has changed."""
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
            return _selection(self._rules, ())
        if (cached := self._tags.cached) is not None:
            if not _without(carried - self._hidden, cached):
                with suppress(TagMissing):
                    return _selection(self._rules, cached)
            self._tags.invalidate()
        fetched = await self._tags.get_entries()
        self._hidden = _without(carried | self._hidden, fetched)
        return _selection(self._rules, fetched)


def _without(ids: frozenset[int], tags: Iterable[NamedObject]) -> frozenset[int]:
    return ids - {tag.id for tag in tags}


def _selection(rules: ScanRules, tags: Sequence[NamedObject]) -> Selection:
    ids = TagIds.from_pairs((tag.name, tag.id) for tag in tags)
    removed, done = ids.one_per_name(rules.remove_tags), ids.one_per_name(rules.done_tag)
    _refuse_done_beneath_removed({tag.id: tag.parent for tag in tags}, done, removed)
    include = ids.one_per_name(rules.include_tags)
    counts = [tag.document_count for tag in tags if tag.id in include]
    return Selection(
        include=include,
        exclude=ids.all_ids(rules.exclude_tags),
        trigger=removed,
        since=rules.since,
        min_age=rules.min_age,
        at_most=min((count for count in counts if count is not None), default=None),
    )


async def fetch_permitted_user(rules: ScanRules, client: PaperlessClient) -> str:
    """Say as whom we look, and do not begin what cannot be ended.

    A model would be paid for what nobody may write. Some tokens may not even ask whose they are:
    then the first write tells, and "" is returned.
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


def _refuse_done_beneath_removed(
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
