"""Learn which words documents of a type, or with a tag, have more often than others.

Only what a person filed counts: from our own writes, our mistakes would be learnt.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import structlog

from core.analysis import Analysis
from core.archive import ArchiveDocument, ArchiveName
from core.changes import Change
from core.fields import FieldName, Name
from core.text import distinct_words
from paperless_client import Document
from processor.instance import Instance
from processor.names.catalogue import NamesInUse
from store import Store, StoreUnavailable

log = structlog.get_logger()

_KINDS = {
    FieldName.DOCUMENT_TYPE: ArchiveName.DOCUMENT_TYPE,
    FieldName.TAGS: ArchiveName.TAG,
}
_READ = 30
"""Documents of a name that are read."""
_ENOUGH = 5
"""Minimum documents from which words are learnt."""
_BEGINNING = 6000
"""Characters of each document that are read."""
_SHORTEST = 5
"""Minimum letters of a word; the index counts no shorter ones."""
_OCCURS_IN = 2
"""Minimum documents in which a word occurs."""
_MORE_OFTEN = 1.5
"""How much more often a word occurs than in all documents."""


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
        if suggestion.field in _KINDS and isinstance(suggestion.field, FieldName)
    }
    known = [(field, name) for field, name in suggested if name.id is not None]
    try:
        learnt = {
            (field, name.name): await _learn(field, name, document, store, instance)
            for field, name in known
        }
    except StoreUnavailable as error:
        log.warning("archive index not read", instance=instance.name, error=str(error))
        return names
    return replace(names, filed_words=learnt)


def choose_words(texts: Sequence[str], shares: Mapping[str, float]) -> frozenset[str]:
    """Return the words of several texts that are rarer elsewhere; `shares` are those of all texts.

    Too few texts have no words in common.
    """
    if len(texts) < _ENOUGH:
        return frozenset()
    counts = _count_words(texts)
    return frozenset(
        word
        for word, count in counts.items()
        if count >= _OCCURS_IN and count / len(texts) >= _MORE_OFTEN * shares.get(word, 0.0)
    )


async def _learn(
    field: FieldName, name: Name, document: Document, store: Store, instance: Instance
) -> frozenset[str]:
    assert name.id is not None
    filed = await store.index.list_filed(
        instance.name,
        _KINDS[field],
        name.id,
        without_tags=await instance.catalogue.inbox_tags(),
        limit=_READ,
    )
    others = [entry for entry in filed if entry.fields.ref.id != document.id]
    ids = [entry.fields.ref.id for entry in others]
    ours = await store.changes.list_written_automatically(instance.name, ids)
    texts = [entry.text[:_BEGINNING] for entry in others if not _is_ours(entry, field, name, ours)]
    if len(texts) < _ENOUGH:
        return frozenset()
    return choose_words(texts, await store.index.find_word_shares(sorted(_count_words(texts))))


def _is_ours(
    entry: ArchiveDocument, field: FieldName, name: Name, ours: Collection[Change]
) -> bool:
    return any(
        change.document == entry.fields.ref
        and change.field is field
        and isinstance(change.after, Name)
        and change.after.id == name.id
        for change in ours
    )


def _count_words(texts: Sequence[str]) -> Counter[str]:
    """Return in how many of the texts each word occurs that is long enough."""
    return Counter(
        word
        for text in texts
        for word in distinct_words(text)
        if len(word) >= _SHORTEST and word.isalpha()
    )
