"""One document: its history, its files, and its current text and values in Paperless.

A person can also ignore it, or stop ignoring it. Documents that another tool has processed can be
adopted, so that no scan selects them; only our own database is written then.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from actions.caller import Caller
from actions.errors import InvalidRequest
from actions.timeline import CHANGE_EVENTS, drop_trivial_suggestions, load_suggestions
from actions.timeouts import TIMEOUT, PaperlessTakesLong, get_names_within
from core.changes import UNDOABLE, WAITING, Change, ChangeState, PlannedSuggestion
from core.documents import DocumentRef, DocumentState, KnownDocument
from core.fields import CustomField, Definition, Field, FieldName, Name, Value, is_empty
from core.jobs import ANALYZE, APPLY, DRY_RUN, LIVE, UNDO, Event, Job
from core.messages import message
from core.names import TagIds
from core.text import clean_line
from paperless_client import (
    DocumentFields,
    DocumentSummary,
    FileStream,
    PaperlessError,
    Thumbnail,
    chunked,
)
from processor.instance import Instance
from processor.names.catalogue import NamesInUse
from processor.reconcile import CurrentValues, read_current_values
from scanner.listing import FullListing, fetch_by_ids
from scanner.selection import Selection
from store import DONE_TO_PAPERLESS, JobFilter, Store

_EARLIER = 10
"""Earlier documents of a correspondent that are read."""


@dataclass(frozen=True, slots=True)
class DocumentHistory:
    """Everything that is stored about one document."""

    ref: DocumentRef
    known: KnownDocument | None
    """None if it was never processed."""
    jobs: tuple[Job, ...]
    """Newest first."""
    changes: tuple[Change, ...]
    """Oldest first."""
    last_analysis: tuple[Event, ...]
    suggestions: tuple[PlannedSuggestion, ...]
    """The events of the last analysis; its plan contains what was left out, and why."""
    tried: tuple[PlannedSuggestion, ...]
    """Suggestions of the last dry run, without those that would change nothing."""
    carried_out: Mapping[int, tuple[Event, ...]]
    """Events about what was decided, written and undone, by job."""

    @property
    def title(self) -> str:
        """Return the title as it was last read, or "#" and the document's id."""
        tried = (job.title for job in self.jobs if job.title)
        title = self.known.title if self.known else next(tried, "")
        return clean_line(title) or f"#{self.ref.id}"

    @property
    def waits_for_review(self) -> bool:
        return any(change.state in WAITING for change in self.changes)

    @property
    def can_undo(self) -> bool:
        return any(change.state in UNDOABLE for change in self.changes)

    @property
    def undone(self) -> int:
        """Return how many changes of the last analysis were undone."""
        return sum(change.state is ChangeState.UNDONE for change in self._last_changes)

    @property
    def is_undone(self) -> bool:
        """Whether everything that followed from the last analysis was undone."""
        is_kept = any(change.state in UNDOABLE | WAITING for change in self._last_changes)
        return self.undone > 0 and not is_kept

    @property
    def is_being_undone(self) -> bool:
        return any(job.kind == UNDO and job.status in LIVE for job in self.jobs)

    @property
    def _last_changes(self) -> list[Change]:
        analyses = [job.id for job in self.jobs if job.kind == ANALYZE]
        # Changes outlive their jobs.
        last = max([*analyses, *(change.job_id for change in self.changes)], default=None)
        return [change for change in self.changes if change.job_id == last]

    @property
    def last_change_at(self) -> datetime | None:
        """When Paperclerk last changed the document in Paperless; None if it never did."""
        written = (change for change in self.changes if change.state in DONE_TO_PAPERLESS)
        return max((at for change in written if (at := change.last_event_at)), default=None)


@dataclass(frozen=True, slots=True)
class DocumentSnapshot:
    """A document as Paperless has it now."""

    text: str
    current: CurrentValues
    names: NamesInUse
    definitions: tuple[Definition, ...] = ()
    """The custom fields that the settings name."""
    earlier: tuple[CurrentValues, ...] = ()
    """Earlier documents of the same correspondent."""
    reserved_tags: frozenset[str] = frozenset()
    """Tags that control processing; they are never offered."""
    fields: tuple[Field, ...] = field(default=())
    """The fields that a person may fill in, in the order in which they are shown."""

    def value(self, of: Field) -> Value:
        """Return the current value of a field other than the tags."""
        return self.current.values.get(of)

    @property
    def tags(self) -> tuple[Name, ...]:
        """Return the current tags, by name."""
        return tuple(sorted(self.current.tags, key=lambda tag: tag.name.casefold()))


class DocumentExcluded(InvalidRequest):
    """The document has an excluded tag: nothing of it may be read."""

    code = "document_excluded"
    user_message = "This document has an excluded tag."

    def __init__(self, document: DocumentRef) -> None:
        super().__init__(message("{document} has an excluded tag", document=str(document)))


async def ignore(caller: Caller, ref: DocumentRef) -> KnownDocument:
    """Ignore a document from now on.

    Its running analysis is cancelled, and its changes that wait for review are rejected.
    """
    caller.require_instance(ref.instance)
    return await caller.store.documents.ignore(ref, by=caller.by, now=caller.now())


async def unignore(caller: Caller, ref: DocumentRef) -> KnownDocument | None:
    """Stop ignoring a document; return None if the next scan may select it. Raise NotIgnored."""
    caller.require_instance(ref.instance)
    return await caller.store.documents.unignore(ref, now=caller.now())


async def get_document_history(caller: Caller, ref: DocumentRef) -> DocumentHistory:
    """Return a document's history, as far as retention has kept it."""
    caller.require_instance(ref.instance)
    store = caller.store
    jobs = await store.jobs.list(JobFilter(document=ref))
    analysis = max((job.id for job in jobs if job.kind == ANALYZE), default=None)
    events = () if analysis is None else await store.jobs.list_events(analysis)
    suggestions = () if analysis is None else await load_suggestions(store, analysis, events)
    carried_out = [job.id for job in jobs if job.kind in {APPLY, UNDO}]
    dry_run = max((job.id for job in jobs if job.kind == DRY_RUN), default=None)
    tried = () if dry_run is None else await store.changes.list_suggestions(dry_run)
    return DocumentHistory(
        ref=ref,
        known=await store.documents.get(ref),
        jobs=jobs,
        changes=await store.changes.list_for_document(ref),
        last_analysis=events,
        suggestions=suggestions,
        tried=drop_trivial_suggestions(tried),
        carried_out=await store.jobs.list_events_of_jobs(carried_out, CHANGE_EVENTS)
        if carried_out
        else {},
    )


async def name_excluded_tags(
    caller: Caller, instance: str, tags: frozenset[int]
) -> tuple[str, ...]:
    """Return the names of a document's tags that exclude it from processing."""
    found = caller.get_instance(instance)
    names = await found.catalogue.names()
    excluded = tags & names.tag_ids.all_ids(found.tags.exclude)
    return tuple(sorted(tag.name for tag in names.tags(excluded)))


def build_link(caller: Caller, ref: DocumentRef) -> str:
    """Return the URL of a document in Paperless's web interface."""
    address = caller.require_instance(ref.instance).paperless.link_url.rstrip("/")
    return f"{address}/documents/{ref.id}/"


async def get_titles(store: Store, refs: Iterable[DocumentRef]) -> Mapping[DocumentRef, str]:
    """Return the title of each document, or "#" and its id if it has none."""
    wanted = set(refs)
    known = await store.documents.get_many_by_ref(wanted) if wanted else {}
    titles = {ref: document.title for ref, document in known.items()}
    if wanted - titles.keys():
        titles |= await store.documents.list_tried_titles(wanted - titles.keys())
    return {ref: clean_line(titles.get(ref, "")) or f"#{ref.id}" for ref in wanted}


async def fetch_thumbnail(caller: Caller, ref: DocumentRef) -> Thumbnail:
    """Return the thumbnail of a document; raise PaperlessError."""
    return await caller.get_instance(ref.instance).paperless.files.fetch_thumbnail(ref.id)


async def fetch_snapshot(
    caller: Caller,
    ref: DocumentRef,
    correspondent: Name | None = None,
    timeout: timedelta = TIMEOUT,
) -> DocumentSnapshot:
    """Fetch a document, with earlier documents of its suggested or current correspondent.

    Raise PaperlessError, PaperlessTakesLong, or DocumentExcluded if it is excluded or gone.
    """
    try:
        async with asyncio.timeout(timeout.total_seconds()):
            return await _fetch_snapshot(caller.get_instance(ref.instance), ref, correspondent)
    except TimeoutError as error:
        raise PaperlessTakesLong(
            message("Paperless did not return {document} in time", document=str(ref))
        ) from error


def most_common(values: Iterable[Value]) -> list[Value]:
    """Return the values that are not empty, the most common first."""
    counted = Counter(value for value in values if not is_empty(value))
    return [value for value, _ in counted.most_common()]


def definition_of(of: Field, definitions: Iterable[Definition]) -> Definition | None:
    """Return the definition of a custom field; None for other fields."""
    by_field: Mapping[CustomField, Definition] = {known.field: known for known in definitions}
    return by_field.get(of) if isinstance(of, CustomField) else None


async def require_not_excluded(caller: Caller, ref: DocumentRef) -> None:
    """Raise DocumentExcluded if the document has an excluded tag now, or PaperlessError."""
    instance = caller.get_instance(ref.instance)
    names = await get_names_within(instance)
    excluded = names.tag_ids.all_ids(instance.tags.exclude)
    summary = await instance.paperless.fetch_summary(ref.id)
    if summary.tags & excluded:
        raise DocumentExcluded(ref)


@asynccontextmanager
async def open_file(caller: Caller, ref: DocumentRef, start: int = 0) -> AsyncIterator[FileStream]:
    """Open the file of a document, if possible at `start`; raise PaperlessError.

    Call `require_not_excluded` first.
    """
    async with caller.get_instance(ref.instance).paperless.files.open(ref.id, start=start) as file:
        yield file


async def _fetch_snapshot(
    instance: Instance, ref: DocumentRef, correspondent: Name | None
) -> DocumentSnapshot:
    names = await instance.catalogue.names()
    excluded = names.tag_ids.all_ids(instance.tags.exclude)
    document = await instance.paperless.fetch_document_unless_tagged(ref.id, without_tags=excluded)
    if document is None:
        raise DocumentExcluded(ref)
    definitions = await _fetch_definitions(instance)
    current = read_current_values(document, names, definitions)
    sender = correspondent if correspondent and correspondent.id else _correspondent_of(current)
    earlier = await _fetch_earlier(instance, ref, sender, excluded)
    return DocumentSnapshot(
        document.content,
        current,
        names,
        definitions,
        tuple(read_current_values(fields, names, definitions) for fields in earlier),
        instance.policy.reserved_tags,
        _list_shown_fields(instance, definitions),
    )


def _correspondent_of(current: CurrentValues) -> Name | None:
    value = current.values.get(FieldName.CORRESPONDENT)
    return value if isinstance(value, Name) else None


async def _fetch_definitions(instance: Instance) -> tuple[Definition, ...]:
    """Fetch the custom fields that the settings name; those that are missing are left out."""
    wanted = instance.policy.custom
    if not wanted:
        return ()
    known = {definition.field.name: definition for definition in await instance.custom_fields.all()}
    return tuple(known[name] for name in wanted if name in known)


async def _fetch_earlier(
    instance: Instance, ref: DocumentRef, correspondent: Name | None, excluded: frozenset[int]
) -> list[DocumentFields]:
    if correspondent is None or correspondent.id is None:
        return []
    try:
        found = await instance.paperless.list_of_correspondent(
            correspondent.id, limit=_EARLIER, without_tags=excluded
        )
    except PaperlessError:
        # They only serve to offer alternatives.
        return []
    return [fields for fields in found if fields.id != ref.id]


def _list_shown_fields(instance: Instance, definitions: Iterable[Definition]) -> tuple[Field, ...]:
    """Return every field that is shown: storage paths only where they are in use."""
    asked = set(instance.policy.fields)
    built_in = [name for name in FieldName if name is not FieldName.STORAGE_PATH or name in asked]
    return (*built_in, *(definition.field for definition in definitions))


@dataclass(frozen=True, slots=True)
class DocumentChoice:
    """Which documents to adopt: those with a tag, or those with these ids."""

    tag: str = ""
    ids: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class AdoptionPreview:
    """What an adoption would do with the chosen documents."""

    titles: Mapping[int, str] = field(default_factory=dict)
    """The documents to adopt."""
    known: Mapping[DocumentState, int] = field(default_factory=dict)
    """Number of chosen documents that are left as they are, by their state."""
    requested: int = 0
    """Number of chosen documents that a tag of `scan.remove_tags` asks to process."""
    missing: tuple[int, ...] = ()
    """Ids that Paperless does not have, or that the token's user may not see."""


async def preview_adoption(
    caller: Caller, instance: str, choice: DocumentChoice
) -> AdoptionPreview:
    """Return what an adoption would do. Raise TagMissing or PaperlessError."""
    tags = await _fetch_tag_ids(caller, instance)
    trigger = tags.all_ids(caller.require_instance(instance).scan.remove_tags)
    chosen = await _fetch_chosen(caller, instance, choice, tags)
    known = await caller.store.documents.get_many(instance, chosen)
    unknown = [document for id_, document in chosen.items() if id_ not in known]
    return AdoptionPreview(
        titles={doc.id: doc.title for doc in unknown if not doc.tags & trigger},
        known=Counter(document.state for document in known.values()),
        requested=sum(bool(document.tags & trigger) for document in unknown),
        missing=tuple(sorted(choice.ids - chosen.keys())),
    )


async def adopt(caller: Caller, instance: str, preview: AdoptionPreview) -> int:
    """Adopt the documents of a preview; return how many were still unknown."""
    adopted = 0
    for ids in chunked(preview.titles):
        titles = {id_: preview.titles[id_] for id_ in ids}
        adopted += await caller.store.adoption.adopt(instance, titles, now=caller.now())
    return adopted


async def list_adopted(
    caller: Caller, instance: str, choice: DocumentChoice | None
) -> frozenset[int]:
    """Return the adopted documents, of these or of all. Raise TagMissing or PaperlessError."""
    adopted = await caller.store.adoption.list_adopted(instance)
    if choice is None:
        return adopted
    if not choice.tag:
        return adopted & choice.ids
    tags = await _fetch_tag_ids(caller, instance)
    return adopted & (await _fetch_chosen(caller, instance, choice, tags)).keys()


async def withdraw_adoption(caller: Caller, instance: str, ids: Iterable[int]) -> int:
    """Stop counting adopted documents as processed; return how many still were adopted."""
    return sum([await caller.store.adoption.withdraw(instance, chunk) for chunk in chunked(ids)])


async def _fetch_chosen(
    caller: Caller, instance: str, choice: DocumentChoice, tags: TagIds
) -> Mapping[int, DocumentSummary]:
    """Return the chosen documents that Paperless has, by id."""
    client = caller.get_instance(instance).paperless
    found = {document.id: document for document in await fetch_by_ids(client, choice.ids)}
    # Several users may each have a tag of this name.
    for tag in tags.all_ids({choice.tag} - {""}):
        listing = FullListing(client, Selection(include=frozenset({tag})), now=caller.now())
        async for documents in listing.pages():
            found |= {document.id: document for document in documents}
    return found


async def _fetch_tag_ids(caller: Caller, instance: str) -> TagIds:
    return (await caller.get_instance(instance).catalogue.names()).tag_ids
