"""Documents are found by their words, on both engines."""

from datetime import date, timedelta

import pytest

from core.archive import ArchiveDocument, ArchiveFields, ArchiveHits, ArchiveName, ArchiveSearch
from core.documents import DocumentRef
from store import Store
from store.index.text import MAX_CHUNK
from tests.store.builders import NOON

LEASE = "Wohnungsmietvertrag über die Wohnung Hauptstraße 7, Kaltmiete 640,00 EUR."
INVOICE = "Rechnung Nr. 4711-2026 der Stadtwerke, Café und Straßenbeleuchtung."
LETTER = "Dear Sir or Madam, your invoices for the heating are enclosed."
HOME = frozenset({"home"})


def a_document(id_: int, text: str, instance: str = "home", **fields: object) -> ArchiveDocument:
    given: dict[str, object] = {
        **{"title": f"scan_{id_}", "correspondent": None, "document_type": None},
        **{"tags": frozenset(), "created": date(2026, 2, 1), "added": NOON, "modified": NOON},
        **fields,
    }
    return ArchiveDocument(ArchiveFields(ref=DocumentRef(instance, id_), **given), text)  # type: ignore[arg-type]


async def fill(store: Store, *documents: ArchiveDocument) -> None:
    for document in documents:
        await store.index.put(document)
        await store.index.set_excluded_tags(document.fields.ref.instance, ())


async def find(store: Store, words: str, **wanted: object) -> list[int]:
    instances = wanted.pop("instances", HOME)
    search = ArchiveSearch(words, instances, **wanted)  # type: ignore[arg-type]
    return ids(await store.index.search(search))


def ids(found: ArchiveHits) -> list[int]:
    return [hit.fields.ref.id for hit in found.hits]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("Rechnung", [2]),
        ("rechnung stadtwerke", [2]),
        ("rechnung hauptstraße", []),
        ("mietvertrag", [1]),
        ("Mietverträge", [1]),
        ("HAUPTSTRASSE", [1]),
        ("cafe", [2]),
        ("straßen beleuchtung", [2]),
        ("4711", [2]),
        ("invoice", [3]),
        ("scan_3", [3]),
        ("die", []),
        ("", []),
        ('"; DROP TABLE', []),
    ],
)
async def test_a_document_is_found_by_its_words(store: Store, words: str, found: list[int]) -> None:
    await fill(store, a_document(1, LEASE), a_document(2, INVOICE), a_document(3, LETTER))

    assert await find(store, words) == found


async def test_a_search_without_an_index_finds_nothing(store: Store) -> None:
    assert await find(store, "rechnung") == []


async def test_the_words_of_a_long_document_may_be_pages_apart(store: Store) -> None:
    filler = "Lorem ipsum dolor sit amet consectetur.\n" * (MAX_CHUNK // 20)
    long = f"Gutachten\n{filler}Dachstuhl\n{filler}Sachverständiger"
    await fill(store, a_document(1, long), a_document(2, "Gutachten ohne Weiteres"))

    assert await find(store, "gutachten sachverständiger") == [1]
    assert set(await find(store, "gutachten")) == {1, 2}


async def test_the_best_match_comes_first(store: Store) -> None:
    often = "Rechnung Rechnung Rechnung"
    seldom = "Rechnung " + "und vieles andere mehr steht hier noch " * 20
    await fill(store, a_document(1, seldom), a_document(2, often))

    assert await find(store, "rechnung") == [2, 1]


async def test_a_title_counts_more_than_the_text(store: Store) -> None:
    await fill(
        store,
        a_document(1, "Die Versicherung zahlt nichts.", title="Brief"),
        a_document(2, "Ein Brief ohne das Wort.", title="Versicherung"),
    )

    assert await find(store, "versicherung") == [2, 1]


async def test_a_snippet_shows_the_words_and_their_page(store: Store) -> None:
    await fill(store, a_document(1, "Deckblatt\f" + "Vorwort " * 60 + LEASE))

    [hit] = (await store.index.search(ArchiveSearch("mietvertrag", HOME))).hits

    assert [part.text for part in hit.snippet if part.is_match] == ["Wohnungsmietvertrag"]
    assert "".join(part.text for part in hit.snippet).endswith("Kaltmiete 640,00 EUR.")
    assert (hit.page, hit.is_page_estimated) == (2, False)


@pytest.mark.parametrize(
    ("page_count", "page", "estimated"), [(None, None, False), (1, 1, False), (4, 4, True)]
)
async def test_the_page_is_estimated_if_the_text_has_no_page_breaks(
    store: Store, page_count: int | None, page: int | None, *, estimated: bool
) -> None:
    await fill(store, a_document(1, "Vorwort " * 200 + LEASE, page_count=page_count))

    [hit] = (await store.index.search(ArchiveSearch("kaltmiete", HOME))).hits

    assert (hit.page, hit.is_page_estimated) == (page, estimated)


async def test_results_are_paged_without_gaps(store: Store) -> None:
    await fill(store, *(a_document(id_, "Rechnung " * (id_ % 3 + 1)) for id_ in range(1, 12)))
    everything = await find(store, "rechnung", limit=50)

    paged, after = list[int](), None
    while True:
        page = await store.index.search(ArchiveSearch("rechnung", HOME, after=after, limit=4))
        paged += ids(page)
        if page.next is None:
            break
        after = page.next

    assert paged == everything
    assert sorted(paged) == list(range(1, 12))


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"correspondent": "stadtwerke"}, [1]),
        ({"document_type": "Rechnung"}, [2]),
        ({"tag": "Strom"}, [1]),
        ({"tag": "Unbekannt"}, []),
        ({"created_since": date(2026, 3, 1)}, [2]),
        ({"created_until": date(2026, 3, 1)}, [1]),
        ({"instances": frozenset({"home", "attic"})}, [1, 2, 3]),
        ({"instances": frozenset({"attic"})}, [3]),
        ({"instances": frozenset()}, []),
    ],
)
async def test_a_search_can_be_filtered(
    store: Store, wanted: dict[str, object], found: list[int]
) -> None:
    tags, march = frozenset({3, 13}), date(2026, 3, 2)
    await fill(
        store,
        a_document(1, "Brief", correspondent=5, tags=tags),
        a_document(2, "Brief", document_type=5, tags=frozenset({33}), created=march),
        a_document(3, "Brief", "attic", correspondent=5, tags=tags),
    )
    names = {
        ArchiveName.CORRESPONDENT: {5: "Stadtwerke"},
        ArchiveName.DOCUMENT_TYPE: {5: "Rechnung"},
        ArchiveName.TAG: {3: "Strom", 13: "Haus", 33: "Privat"},
    }
    await store.index.replace_names("home", names)

    assert sorted(await find(store, "brief", **wanted)) == found


async def test_a_result_has_the_names_of_its_document(store: Store) -> None:
    await fill(store, a_document(1, LEASE, correspondent=5, tags=frozenset({3, 4})))
    await store.index.replace_names(
        "home", {ArchiveName.CORRESPONDENT: {5: "Vermieter"}, ArchiveName.TAG: {3: "Miete"}}
    )

    [hit] = (await store.index.search(ArchiveSearch("kaltmiete", HOME))).hits

    assert (hit.correspondent, hit.document_type, hit.tags) == ("Vermieter", None, ("Miete",))


async def test_similar_documents_share_rare_words(store: Store) -> None:
    await fill(
        store,
        a_document(1, "Abrechnung Fernwärme Stadtwerke Zählerstand Verbrauch"),
        a_document(2, "Abrechnung Fernwärme Stadtwerke Zählerstand Vorjahr"),
        a_document(3, "Elternbrief Klassenfahrt Gymnasium"),
        a_document(4, "Abrechnung Fernwärme Stadtwerke Zählerstand", tags=frozenset({9})),
        a_document(5, "Abrechnung Fernwärme Stadtwerke Zählerstand", "attic"),
    )

    found = await store.index.find_similar(
        DocumentRef("home", 1),
        "Abrechnung Fernwärme Stadtwerke Zählerstand Verbrauch",
        without_tags={9},
        limit=5,
    )

    assert [fields.ref.id for fields in found] == [2]
    assert found[0].added == NOON
    assert found[0].modified - NOON == timedelta(0)


async def test_a_long_document_may_be_similar_too(store: Store) -> None:
    letter = "Abrechnung Fernwärme Stadtwerke Zählerstand Verbrauch"
    long = "Lorem ipsum dolor sit amet.\n" * (MAX_CHUNK // 20) + letter
    await fill(store, *(a_document(id_, "Elternbrief") for id_ in range(1, 5)), a_document(7, long))

    found = await store.index.find_similar(
        DocumentRef("home", 99), letter, without_tags=(), limit=5
    )

    assert [fields.ref.id for fields in found] == [7]
