"""The search by title: with its index it finds what reading title by title finds."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, delete, insert, text, update

from core.documents import DocumentFilter, DocumentRef, DocumentState
from store import document_rows, document_search
from store.columns import folded
from store.document_search import MANY, NEWEST, find, find_rows, list_documents
from store.engine import engines_for
from store.rows import new_document_row, title_columns
from store.tables import documents
from tests.store.builders import NOON
from tests.store.conftest import Place

HOSTILE = "aAäÄßſbB1 %_\\/\"'*^:()-+.~{}$\x00\u0301\u0130İ😀\U0010ffff\ufffe\ufeff\ud800\r\n\t"
TITLES = st.text(st.sampled_from(HOSTILE), max_size=12) | st.text(max_size=12)
LONG = st.text(st.sampled_from("abä%_"), min_size=60, max_size=300)
HOME = ("home",)


@pytest.fixture
def writer(place: Place) -> Iterator[Engine]:
    engines = engines_for(place.url, place.data)
    yield engines.writer
    engines.dispose()


def remember(connection: Connection, titles: Iterable[str], instance: str = "home") -> None:
    rows = [
        new_document_row(DocumentRef(instance, number), DocumentState.DONE, title=title, now=NOON)
        for number, title in enumerate(titles, start=1)
    ]
    connection.execute(insert(documents), rows)


def numbers_found(connection: Connection, words: str, limit: int = 1_000) -> list[int]:
    found = find(connection, HOME, words, limit=limit)
    return [document.ref.id for document in found.documents]


def integrity(connection: Connection) -> None:
    """Have FTS5 compare its index with the titles; it raises an error if they differ."""
    if connection.dialect.name == "sqlite":
        check = "INSERT INTO title_index (title_index, rank) VALUES ('integrity-check', 1)"
        connection.execute(text(check))


@st.composite
def searches(draw: st.DrawFn) -> tuple[Mapping[int, tuple[str, str]], str]:
    """Draw titles before and after, and what is looked for: mostly a part of one of them."""
    titles = draw(st.lists(st.tuples(TITLES | LONG, TITLES | LONG), min_size=1, max_size=6))
    known = dict(enumerate(titles, start=1))
    title = draw(st.sampled_from(titles))[1]
    begin = draw(st.integers(0, len(title)))
    end = draw(st.integers(begin, len(title)))
    part = title[begin:end]
    return known, draw(st.sampled_from([part, part.upper(), part.swapcase()]) | TITLES | LONG)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(search=searches())
@example(search=({1: ("", 'a "b" c')}, '"b"'))
@example(search=({1: ("Brief", "")}, "brief"))
@example(search=({1: ("", "100% sicher"), 2: ("", "1000 sicher")}, "00% s"))
@example(search=({1: ("", "Ärzteversorgung")}, "ärzte"))
@example(search=({1: ("", "a" * 5_000)}, "A" * 4_000))
def test_the_index_finds_what_reading_all_titles_finds(
    writer: Engine, search: tuple[Mapping[int, tuple[str, str]], str]
) -> None:
    known, words = search
    key = folded(words)
    expected = [number for number, (_, title) in known.items() if key in folded(title)]
    with writer.connect() as connection:
        remember(connection, (before for before, _ in known.values()))
        for number, (_, title) in known.items():
            document_rows.set_title(connection, DocumentRef("home", number), title, now=NOON)

        integrity(connection)
        by_title = list_documents(connection, DocumentFilter(title=words), 100)
        assert sorted(document.ref.id for document in by_title) == (
            expected if key else sorted(known)
        )
        if not words.isdecimal():
            assert sorted(numbers_found(connection, words)) == (expected if key else [])
        assert (find_rows(connection, key) is None) == (len(key) < document_search.MIN_WORD_LENGTH)


def test_what_very_many_titles_have_is_found_as_well(writer: Engine) -> None:
    with writer.connect() as connection:
        remember(connection, ["Brief"] * (MANY + 1))

        newest = numbers_found(connection, "brief", limit=3)
        wanted = DocumentFilter(title="BRIEF", before=DocumentRef("home", 100))
        page = [document.ref.id for document in list_documents(connection, wanted, 3)]

    assert newest == [MANY + 1, MANY, MANY - 1]
    assert page == [99, 98, 97]


def test_only_those_of_the_instances_that_are_seen_are_found(writer: Engine) -> None:
    with writer.connect() as connection:
        remember(connection, ["Brief"])
        remember(connection, ["Brief"], instance="office")

        found = find(connection, ("office",), "brief", limit=10)
        numbered = find(connection, ("office",), "1", limit=10)

    assert [str(document.ref) for document in found.documents] == ["office/1"]
    assert [str(document.ref) for document in numbered.documents] == ["office/1"]


def test_for_one_or_two_letters_the_newest_are_searched_and_that_is_reported(
    writer: Engine,
) -> None:
    with writer.connect() as connection:
        remember(connection, ["Qi", *["Brief"] * (NEWEST - 1)])
        all_of_them = find(connection, HOME, "qi", limit=10)
        remember(connection, ["Brief"], instance="office")

        too_old, enough = (
            find(connection, HOME, "qi", limit=10),
            find(connection, HOME, "br", limit=10),
        )
        listed_all = list_documents(connection, DocumentFilter(title="qi"), 10)

    assert ([document.ref.id for document in all_of_them.documents], all_of_them.among) == (
        [1],
        None,
    )
    assert (too_old.documents, too_old.among) == ((), NEWEST)
    assert (len(enough.documents), enough.among) == (10, None)
    assert [document.ref.id for document in listed_all] == [1]


def test_a_number_is_found_whatever_titles_have_it(writer: Engine) -> None:
    with writer.connect() as connection:
        remember(connection, ["Brief", *["Strom 1"] * 20])

        assert numbers_found(connection, "1", limit=3) == [1, 21, 20]


def test_a_document_that_is_forgotten_is_not_found(writer: Engine) -> None:
    with writer.connect() as connection:
        remember(connection, ["Brief", ""])
        connection.execute(delete(documents))

        integrity(connection)
        assert numbers_found(connection, "brief") == []
        assert find_rows(connection, "brief") == []


def test_a_move_of_a_document_leaves_the_index_alone(writer: Engine) -> None:
    """The queue would pay for the search: each job moves the row of its document."""
    with writer.connect() as connection:
        remember(connection, ["Brief"])
        before = _written(connection)
        moves = [{"state": "gone", "updated_at": NOON}, title_columns("BRIEF")]
        for move in moves:
            connection.execute(update(documents).values(move))

        assert _written(connection, moves) == before


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_without_fts5_titles_are_read_one_by_one(writer: Engine) -> None:
    with writer.connect() as connection:
        remember(connection, ["Brief", "Strom"])

        document_search.update_index(connection, able=False)
        document_rows.set_title(connection, DocumentRef("home", 2), "Zweiter Brief", now=NOON)
        without = (find_rows(connection, "brief"), numbers_found(connection, "brief"))
        document_search.update_index(connection, able=True)
        again = (find_rows(connection, "brief"), numbers_found(connection, "brief"))
        integrity(connection)

    assert without == (None, [2, 1])
    assert again == ([1, 2], [2, 1])


def _written(connection: Connection, moves: Sequence[object] = ()) -> object:
    """Give what differs if more was written than the one row by each of these moves."""
    if connection.dialect.name == "sqlite":
        driver = connection.connection.dbapi_connection
        assert isinstance(driver, sqlite3.Connection)
        return driver.total_changes - len(moves)
    return connection.execute(text("SELECT ctid FROM title_index")).all()
