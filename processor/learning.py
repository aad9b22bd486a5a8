"""Learn from the documents that people filed, and look up what concerns one document.

The texts come from the archive index. Without it, only processed documents are known. Values that
Paperclerk wrote do not count, because its mistakes would be learnt.
"""

import asyncio
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from time import monotonic

import structlog

from core.analysis import Analysis
from core.archive import ArchiveDocument, ArchiveName
from core.calendar import Clock, DateOrder
from core.changes import Change, ChangeState, is_system_actor
from core.documents import DocumentRef
from core.fields import FieldName, Name
from core.learning import SENDER_FACTS, Approval, Fact, FactKind, Learnt, LearntDocument
from core.text import distinct_words
from paperless_client import Document, chunked
from processor.analysis.identity import find_numbers, find_sender_numbers
from processor.instance import Instance
from processor.learnt_facts import (
    count_addressees,
    count_date_orders,
    find_facts,
    find_known_senders,
    find_letterhead,
    find_sender_facts,
    read_date_orders,
    recognise_letterhead,
    recognise_sender,
    shorten,
)
from processor.names.catalogue import NamesInUse
from store import Store, StoreUnavailable

log = structlog.get_logger()

COUNT_INTERVAL = timedelta(days=1)
"""How often owner names and date orders are counted again."""
_BATCH_SIZE = 20
"""Documents that are read and stored together: no transaction may take long."""
_CHUNKS = 2
_COUNTED = frozenset({FactKind.ADDRESSEE, FactKind.DATE_ORDER})
_ARCHIVE_NAMES = {
    FieldName.DOCUMENT_TYPE: ArchiveName.DOCUMENT_TYPE,
    FieldName.TAGS: ArchiveName.TAG,
}
_MAX_FILED = 30
"""Maximum number of documents that are read for the words of a name."""
_MIN_FILED = 5
"""Minimum number of documents from which words are learnt."""
_MAX_CHARACTERS = 6000
"""Characters that are read from each document."""
_MIN_WORD_LENGTH = 5
"""The index counts no shorter words."""
_MIN_OCCURRENCES = 2
"""Minimum number of documents in which a word must occur."""
_MIN_FREQUENCY_RATIO = 1.5
"""How much more often a word must occur than in the whole archive."""


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
        while batch := list(islice(changed, _BATCH_SIZE)):
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


async def look_up_learnt(
    document: Document, names: NamesInUse, store: Store, instance: Instance
) -> Learnt:
    """Return what was learnt from other documents and concerns this one."""
    kinds = SENDER_FACTS | {FactKind.DATE_ORDER}
    decisions = await store.learnt.list_decisions(instance.name, kinds)
    declined = [
        (decision.fact, decision.correspondent)
        for decision in decisions
        if decision.approval is Approval.DECLINED
    ]
    counted = await store.learnt.list_counts(instance.name, FactKind.DATE_ORDER)
    orders = read_date_orders(
        count for count in counted if (count.fact, count.correspondent) not in declined
    )
    # Searching a long text takes too long for the event loop.
    own, on_page = await asyncio.to_thread(_find_on_page, document.content)
    counts = await store.learnt.find_counts(instance.name, on_page) if instance.is_indexed else ()
    known = find_known_senders(
        counts, {fact for fact, _ in declined}, names, instance.prompt_settings.owner_names
    )
    return Learnt(
        sender=recognise_sender(own, known),
        letterhead=recognise_letterhead(known),
        date_order=orders.get(None, DateOrder.DOCUMENT),
        sender_date_orders={sender: order for sender, order in orders.items() if sender},
    )


async def learn_filed_words(
    analysis: Analysis | None,
    document: Document,
    names: NamesInUse,
    store: Store,
    instance: Instance,
) -> NamesInUse:
    """Return the names with the words of each type and tag that is suggested.

    Without an archive index, no words are learnt.
    """
    if analysis is None or not instance.is_indexed:
        return names
    suggested = {
        (suggestion.field, names.resolve(suggestion.field, suggestion.value).name)
        for suggestion in analysis.suggestions
        if suggestion.field in _ARCHIVE_NAMES and isinstance(suggestion.field, FieldName)
    }
    known = [(field, name) for field, name in suggested if name.id is not None]
    try:
        learnt = await _find_filed_words(known, document, store, instance)
    except StoreUnavailable as error:
        log.warning("archive index not read", instance=instance.name, error=str(error))
        return names
    return replace(names, filed_words=learnt)


def choose_words(texts: Sequence[str], shares: Mapping[str, float]) -> frozenset[str]:
    """Return the words of several texts that are rarer elsewhere; `shares` are those of all texts.

    Too few texts have no words in common.
    """
    if len(texts) < _MIN_FILED:
        return frozenset()
    counts = _count_words(texts)
    return frozenset(
        word
        for word, count in counts.items()
        if count >= _MIN_OCCURRENCES
        and count / len(texts) >= _MIN_FREQUENCY_RATIO * shares.get(word, 0.0)
    )


async def find_written(
    ids: Sequence[int], store: Store, instance: Instance
) -> Mapping[int, int | None]:
    """Return the correspondents that were written to documents without a person.

    They are remembered longer than the changes, which retention deletes.
    """
    known = await store.learnt.list_written(instance.name, ids)
    changes = await store.changes.list_written_automatically(instance.name, ids)
    names = await instance.catalogue.names()
    written = {
        change.document.id: change.after.id or names.match(change.field, change.after.name).id
        for change in changes
        if change.field is FieldName.CORRESPONDENT and isinstance(change.after, Name)
    }
    return {**known, **written}


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


def _find_on_page(text: str) -> tuple[frozenset[Fact], frozenset[Fact]]:
    """Return the numbers in the sender's own block, and all numbers with the letterhead."""
    read = shorten(text)
    return find_sender_numbers(read), find_numbers(read) | frozenset(find_letterhead(read))


async def _find_filed_words(
    known: Sequence[tuple[FieldName, Name]], document: Document, store: Store, instance: Instance
) -> Mapping[tuple[FieldName, str], frozenset[str]]:
    """Return the words of the documents that people filed under each of these names."""
    filed = {
        (field, name): await _list_filed(field, name, document, store, instance)
        for field, name in known
    }
    ids = {entry.fields.ref.id for entries in filed.values() for entry in entries}
    written = await store.changes.list_written_automatically(instance.name, sorted(ids))
    ours = {
        (value.document, value.field, value.after.id)
        for value in written
        if isinstance(value.after, Name)
    }
    words: dict[tuple[FieldName, str], frozenset[str]] = {}
    for (field, name), entries in filed.items():
        texts = [
            entry.text[:_MAX_CHARACTERS]
            for entry in entries
            if (entry.fields.ref, field, name.id) not in ours
        ]
        words[field, name.name] = await _choose_words(texts, store)
    return words


async def _list_filed(
    field: FieldName, name: Name, document: Document, store: Store, instance: Instance
) -> list[ArchiveDocument]:
    assert name.id is not None
    filed = await store.index.list_filed(
        instance.name,
        _ARCHIVE_NAMES[field],
        name.id,
        without_tags=await instance.catalogue.inbox_tags(),
        limit=_MAX_FILED,
    )
    return [entry for entry in filed if entry.fields.ref.id != document.id]


async def _choose_words(texts: Sequence[str], store: Store) -> frozenset[str]:
    if len(texts) < _MIN_FILED:
        return frozenset()
    return choose_words(texts, await store.index.find_word_shares(sorted(_count_words(texts))))


def _count_words(texts: Sequence[str]) -> Counter[str]:
    """Return in how many of the texts each word occurs that is long enough."""
    return Counter(
        word
        for text in texts
        for word in distinct_words(text)
        if len(word) >= _MIN_WORD_LENGTH and word.isalpha()
    )
