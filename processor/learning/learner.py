"""Learn from filed documents in the background, and from those that are processed.

The archive index has the texts. Where it is off, only documents that are processed are known.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from itertools import islice
from time import monotonic

import structlog

from core.archive import ArchiveDocument
from core.calendar import Clock
from core.changes import Change, ChangeState, is_system_actor
from core.documents import DocumentRef
from core.fields import FieldName, Name
from core.learning import FactKind, LearntDocument
from paperless_client import Document, chunked
from processor.instance import Instance
from processor.learning.date_orders import count_date_orders
from processor.learning.facts import find_facts, find_sender_facts
from processor.learning.owner_names import count_addressees
from processor.names.catalogue import NamesInUse
from store import Store

log = structlog.get_logger()

COUNT_INTERVAL = timedelta(days=1)
"""How often owner names and date orders are counted again."""
_BATCH = 20
"""Documents that are read and stored together: no transaction may take long."""
_CHUNKS = 2
_COUNTED = frozenset({FactKind.ADDRESSEE, FactKind.DATE_ORDER})


class Learner:
    """Learns from the documents of one instance."""

    def __init__(self, instance: Instance, *, store: Store, clock: Clock) -> None:
        self._instance = instance
        self._name = instance.name
        self._store = store
        self._clock = clock

    async def update(self) -> None:
        """Read new and changed documents, forget those that are gone, and count if due.

        Raise PaperlessError.
        """
        if self._instance.is_indexed:
            await self._read_changed()
        else:
            await self._store.learnt.forget_senders(self._name)
        await self._count_if_due()

    async def _read_changed(self) -> None:
        known = await self._store.learnt.list_modified(self._name)
        there = await self._store.index.list_all_modified(self._name)
        for gone in chunked(sorted(known.keys() - there.keys())):
            await self._store.learnt.forget(self._name, gone)
        changed = (id_ for id_, modified in there.items() if known.get(id_) != modified)
        while batch := list(islice(changed, _BATCH)):
            started = monotonic()
            await self._read(batch)
            # Jobs and pages come first: a whole archive takes a while.
            await asyncio.sleep(monotonic() - started)

    async def _read(self, ids: Sequence[int]) -> None:
        written = await find_written(ids, self._store, self._instance)
        inbox = await self._instance.catalogue.inbox_tags()
        documents = await self._store.index.get_documents(self._name, ids, chunks=_CHUNKS)
        # The texts of a batch take long enough to block the event loop.
        learnt = await asyncio.to_thread(
            lambda: [read_document(document, written, inbox) for document in documents]
        )
        await self._store.learnt.record(learnt)

    async def _count_if_due(self) -> None:
        counted_at = await self._store.learnt.get_counted_at(self._name)
        now = self._clock()
        if counted_at is not None and timedelta(0) <= now - counted_at < COUNT_INTERVAL:
            return
        addressees, filed = await self._store.learnt.count_facts(self._name, FactKind.ADDRESSEE)
        orders, _ = await self._store.learnt.count_facts(self._name, FactKind.DATE_ORDER)
        counts = (*count_addressees(addressees, filed), *count_date_orders(orders))
        await self._store.learnt.replace_counts(self._name, _COUNTED, counts, now=now)
        log.debug("learnt facts counted", instance=self._name, documents=filed)


async def learn_from_processed(document: Document, store: Store, instance: Instance) -> None:
    """Store the facts about a document that is processed, where there is no archive index."""
    ref, sender = DocumentRef(instance.name, document.id), document.correspondent
    written = (await find_written([document.id], store, instance)).get(document.id)
    inbox = await instance.catalogue.inbox_tags()
    facts = await asyncio.to_thread(find_facts, document.content)
    by_person = is_filed_by_person(sender, written, document.tags, inbox)
    await store.learnt.record([LearntDocument(ref, facts, sender, by_person, written)])


async def learn_from_accepted(
    document: DocumentRef, changes: Iterable[Change], store: Store
) -> None:
    """Store that a person confirmed the correspondent, if a written change is about it."""
    for change in changes:
        is_written = change.state is ChangeState.APPLIED and not is_system_actor(change.decided_by)
        if change.field is FieldName.CORRESPONDENT and is_written:
            sender = change.after.id if isinstance(change.after, Name) else None
            await store.learnt.set_filed_by_person(document, sender)


async def find_written(
    ids: Sequence[int], store: Store, instance: Instance
) -> Mapping[int, int | None]:
    """Return the correspondents that were written to documents without a person.

    They are remembered longer than the changes, which retention deletes.
    """
    known = await store.learnt.list_written(instance.name, ids)
    changes = await store.changes.list_written_automatically(instance.name, ids)
    names = await instance.catalogue.names()
    return {**known, **list_correspondents(changes, names)}


def list_correspondents(changes: Iterable[Change], names: NamesInUse) -> Mapping[int, int | None]:
    """Return the ids of the correspondents in changes, by document."""
    return {
        change.document.id: change.after.id or names.match(change.field, change.after.name).id
        for change in changes
        if change.field is FieldName.CORRESPONDENT and isinstance(change.after, Name)
    }


def read_document(
    document: ArchiveDocument, written: Mapping[int, int | None], inbox: Collection[int]
) -> LearntDocument:
    """Return the facts about an indexed document."""
    fields = document.fields
    automatic = written.get(fields.ref.id)
    by_person = is_filed_by_person(fields.correspondent, automatic, fields.tags, inbox)
    facts = find_facts(document.text)
    if by_person:
        facts |= find_sender_facts(document.text)
    return LearntDocument(
        fields.ref, facts, fields.correspondent, by_person, automatic, fields.modified
    )


def is_filed_by_person(
    correspondent: int | None, written: int | None, tags: Iterable[int], inbox: Collection[int]
) -> bool:
    """Return whether a person chose or confirmed the correspondent of a document.

    `written` is the one that was written automatically. A document in the inbox is not filed yet.
    """
    return correspondent not in {None, written} and set(inbox).isdisjoint(tags)
