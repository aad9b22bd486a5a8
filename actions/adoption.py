"""Adopt documents that another tool has processed, so that no scan selects them; undo that.

Only our own database is written.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from actions.caller import Caller
from core.documents import DocumentState
from core.names import TagIds
from paperless_client import DocumentSummary, chunked
from scanner.listing import FullListing, fetch_by_ids
from scanner.selection import Selection


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
