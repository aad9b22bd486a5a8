"""Check whether Paperless at another address has the documents that are known.

Documents are known by their numbers. At the address of another archive they would mean others.
"""

from collections.abc import Sequence
from datetime import datetime

from core.documents import KnownDocument, content_hash
from core.holds import HoldCause, address_target, filter_holds
from core.messages import message
from core.scans import KnownInstance
from paperless_client import DocumentQuery
from processor.instance import Instance
from store import Store

SAMPLE = 10
"""Number of documents that are compared."""


async def hold_for_address(store: Store, known: KnownInstance, url: str, *, now: datetime) -> None:
    """Put an instance on hold if its address is not the one whose documents are known.

    The hold monitor compares the documents. If the former address is back, the hold ends.
    """
    target = address_target(known.name)
    is_held = bool(filter_holds(await store.holds.list_active(), {target}))
    if known.url == url:
        if is_held:
            await store.holds.lift(target, now=now)
        return
    cause = HoldCause(
        message(
            "its address has changed from {former} to {url}; the documents are being compared",
            former=known.url or "",
            url=url,
        )
    )
    if is_held:
        # Whoever asked about another address gets an answer about this one.
        await store.holds.lift(target, now=now)
    await store.holds.place(target, cause, next_probe_at=now, now=now)


async def compare_documents(instance: Instance, store: Store) -> tuple[bool, ...]:
    """Return for known documents whether Paperless has the same text under their numbers.

    Documents with an excluded tag are left out: their text is never fetched. Raise PaperlessError.
    """
    known = await store.documents.list_latest_read(instance.name, SAMPLE)
    if not known:
        return ()
    names = await instance.catalogue.names()
    excluded = names.tag_ids.all_ids(instance.tags.exclude)
    ids = frozenset(document.ref.id for document in known)
    page = await instance.paperless.list_documents(
        DocumentQuery(ids=ids), page=1, page_size=len(ids)
    )
    left_out = {listed.id for listed in page.results if listed.tags & excluded}
    return tuple(
        [
            await _has_same_text(document, instance, excluded)
            for document in known
            if document.ref.id not in left_out
        ]
    )


def is_same_archive(compared: Sequence[bool]) -> bool:
    """Return whether most of the documents are the same, or there is none to compare."""
    return 2 * sum(compared) > len(compared) or not compared


def build_mismatch(url: str) -> HoldCause:
    """Return the cause of a hold that only a person ends."""
    return HoldCause(
        message(
            "the documents at {url} are not those that Paperclerk knows for this instance",
            url=url,
        )
    )


async def _has_same_text(
    known: KnownDocument, instance: Instance, excluded: frozenset[int]
) -> bool:
    """Return whether Paperless has the document, with the text that was read before."""
    found = await instance.paperless.fetch_document_unless_tagged(
        known.ref.id, without_tags=excluded
    )
    return found is not None and content_hash(found.content) == known.content_hash
