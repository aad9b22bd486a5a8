"""Documents of a name, and how common their words are, on both engines."""

import pytest

from core.archive import ArchiveName
from store import Store
from store.index.text import MAX_CHUNK
from tests.store.index.test_search import a_document, fill

INVOICE, INBOX = 7, 9


async def filed_ids(store: Store, kind: ArchiveName, *, limit: int = 10) -> list[int]:
    filed = await store.index.list_filed("home", kind, INVOICE, without_tags={INBOX}, limit=limit)
    return [document.fields.ref.id for document in filed]


async def test_the_documents_of_a_type_are_listed_the_last_one_first(store: Store) -> None:
    await fill(
        store,
        a_document(1, "eins", document_type=INVOICE),
        a_document(2, "zwei", document_type=8),
        a_document(3, "drei", document_type=INVOICE),
        a_document(4, "vier", document_type=INVOICE, tags=frozenset({INBOX})),
        a_document(5, "fünf", "attic", document_type=INVOICE),
    )

    assert await filed_ids(store, ArchiveName.DOCUMENT_TYPE) == [3, 1]
    assert await filed_ids(store, ArchiveName.DOCUMENT_TYPE, limit=1) == [3]


async def test_the_documents_with_a_tag_are_listed(store: Store) -> None:
    await fill(
        store,
        a_document(1, "eins", tags=frozenset({INVOICE, 8})),
        a_document(2, "zwei", tags=frozenset({17})),
    )

    assert await filed_ids(store, ArchiveName.TAG) == [1]


async def test_of_a_long_document_the_beginning_is_read(store: Store) -> None:
    long = "Gutachten " + "Lorem ipsum dolor\n" * (MAX_CHUNK // 6)
    await fill(store, a_document(1, long, document_type=INVOICE))

    filed = await store.index.list_filed(
        "home", ArchiveName.DOCUMENT_TYPE, INVOICE, without_tags=(), limit=10
    )

    assert [long.startswith(document.text) for document in filed] == [True]
    assert filed[0].text.startswith("Gutachten")


async def test_words_are_counted_over_all_documents(store: Store) -> None:
    await fill(store, a_document(1, "Rechnung Strom"), a_document(2, "Rechnung Wasser"))

    shares = await store.index.find_word_shares(["rechnung", "wasser", "heizung"])

    assert shares == {"rechnung": pytest.approx(1), "wasser": pytest.approx(0.5)}


async def test_without_an_index_nothing_is_known(store: Store) -> None:
    assert await filed_ids(store, ArchiveName.TAG) == []
    assert await store.index.find_word_shares(["rechnung"]) == {}
