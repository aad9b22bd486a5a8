"""Decide which documents of an instance need analysis, and why the others are skipped.

`ScanRules` are the settings, with tags by name; a `Selection` has their ids. A document is compared
with the selection, with its stored row, and with the text that was last analyzed.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from itertools import islice

import structlog

from core.calendar import Clock
from core.documents import DocumentState, KnownDocument, content_hash
from core.errors import PaperclerkError
from core.jobs import Priority
from core.messages import message
from core.names import TagIds, TagMissing
from core.scans import SkipReason
from paperless_client import (
    CachedList,
    DocumentSummary,
    NamedObject,
    PaperlessClient,
    PermissionMissing,
)
from store import Store

log = structlog.get_logger()
_TEXTS = 100
"""Number of texts per request; some documents are books."""
_HANDLED = frozenset({SkipReason.DONE, SkipReason.FAILED})
"""Reasons that do not apply any more if the text has changed since the analysis."""
_NOT_AGAIN = {
    DocumentState.QUEUED: SkipReason.QUEUED,
    DocumentState.DONE: SkipReason.DONE,
    DocumentState.ADOPTED: SkipReason.ADOPTED,
    DocumentState.FAILED: SkipReason.FAILED,
    DocumentState.CANCELLED: SkipReason.CANCELLED,
    DocumentState.IGNORED: SkipReason.IGNORED,
    DocumentState.GONE: SkipReason.GONE,
    DocumentState.READ_ONLY: SkipReason.READ_ONLY,
}
Reasons = Mapping[int, SkipReason | None]
"""Why a document is skipped, by its id; None if it needs analysis."""


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


@dataclass(frozen=True, slots=True)
class Selection:
    """Which documents of one instance to select, with tags by id."""

    include: frozenset[int] = field(default_factory=frozenset)
    """A document must carry all of these."""
    exclude: frozenset[int] = field(default_factory=frozenset)
    """A document must carry none of these."""
    trigger: frozenset[int] = field(default_factory=frozenset)
    """Tags removed from a finished document: if one is added again, it is processed again."""
    done: frozenset[int] = field(default_factory=frozenset)
    """The tag of finished documents; an unknown document that carries it was processed before."""
    since: datetime | None = None
    min_age: timedelta = timedelta(0)
    at_most: int | None = None
    """Number of documents with the tags, by Paperless's own count; None without required tags."""

    def matches(self, document: DocumentSummary) -> bool:
        """Return whether Paperless's own filters would list a document."""
        arrived = self.since is None or document.added >= self.since
        return arrived and self.include <= document.tags


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


class DocumentSelector:
    """Decides which documents of one instance need analysis."""

    def __init__(
        self, name: str, client: PaperlessClient, rules: ScanRules, *, store: Store, clock: Clock
    ) -> None:
        self._name = name
        self._client = client
        self._rules = rules
        self._store = store
        self._clock = clock

    async def find_skip_reasons(
        self,
        documents: Sequence[DocumentSummary],
        selection: Selection,
        *,
        at: datetime | None = None,
    ) -> Reasons:
        """Return for each document why it is skipped, now or `at` another time.

        None: it needs analysis.
        """
        ids = [document.id for document in documents]
        known = await self._store.documents.get_many(self._name, ids)
        now = at or self._clock()
        reasons = {
            document.id: reason_to_skip(document, known.get(document.id), selection, now=now)
            for document in documents
        }
        if not self._rules.reanalyze:
            return reasons
        hashes = {
            id_: analyzed
            for id_, reason in reasons.items()
            if reason in _HANDLED and (analyzed := known[id_].content_hash) is not None
        }
        changed = await self._find_changed(hashes, selection.exclude)
        return reasons | dict.fromkeys(changed)

    async def _find_changed(self, hashes: Mapping[int, str], exclude: frozenset[int]) -> set[int]:
        """Return the documents whose text has changed since the analysis."""
        changed, rest = set[int](), iter(hashes)
        while chunk := frozenset(islice(rest, _TEXTS)):
            texts = await self._client.fetch_texts(chunk, without_tags=exclude)
            changed |= {
                text.id for text in texts.found if content_hash(text.content) != hashes[text.id]
            }
            for document in sorted(texts.too_large):
                # It stays filed; the other documents on the page are not affected.
                log.warning(
                    "text comparison skipped",
                    reason="too large",
                    instance=self._name,
                    document=document,
                )
        return changed


def reason_to_skip(
    document: DocumentSummary, known: KnownDocument | None, selection: Selection, *, now: datetime
) -> SkipReason | None:
    """Return why a document is skipped; None if it needs analysis.

    An excluded tag has priority over everything: it protects private documents.
    """
    if (reason := _check_rules(document, selection, now=now)) is not None:
        return reason
    if known is None and _is_done_by_tag(document, selection):
        return SkipReason.DONE_TAG
    if known is not None and not _was_requested_again(document, known, selection):
        return _NOT_AGAIN[known.state]
    # Only an explicit no counts: a Paperless that does not report this may allow it.
    return SkipReason.READ_ONLY if document.user_can_change is False else None


def priority_of(document: DocumentSummary, *, new_since: datetime | None) -> Priority:
    """Return the priority: documents added since `new_since` come before the backlog."""
    arrived = new_since is not None and document.added > new_since
    return Priority.NEW if arrived else Priority.BACKLOG


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


def _check_rules(
    document: DocumentSummary, selection: Selection, *, now: datetime
) -> SkipReason | None:
    """Return why the owner's rules exclude a document; None if they do not."""
    if document.tags & selection.exclude:
        return SkipReason.EXCLUDED
    if not selection.include <= document.tags:
        return SkipReason.NOT_ASKED_FOR
    if selection.since is not None and document.added < selection.since:
        return SkipReason.TOO_OLD
    return SkipReason.TOO_YOUNG if document.added > now - selection.min_age else None


def _is_done_by_tag(document: DocumentSummary, selection: Selection) -> bool:
    """Return whether the done tag says that the document was processed.

    Filing removes the trigger tags: where one stands beside the done tag, a person put it back.
    """
    return bool(document.tags & selection.done) and not document.tags & selection.trigger


def _was_requested_again(
    document: DocumentSummary, known: KnownDocument, selection: Selection
) -> bool:
    """Return whether a person requested it again: by a trigger tag, a share, or a restore."""
    if known.state in {DocumentState.GONE, DocumentState.READ_ONLY}:
        return True
    if not document.tags & selection.trigger:
        return False
    if known.state is DocumentState.ADOPTED:
        return True
    return known.state is DocumentState.DONE and known.trigger_removed


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
