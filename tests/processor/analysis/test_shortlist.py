"""Which names a model is offered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.fields import FieldName
from core.text import distinct_words
from processor.analysis.prompt_blocks import NameEntry
from processor.analysis.shortlist import (
    NameSelection,
    WordIndex,
    divide_room,
    select_names,
    sort_by_likelihood,
    take_fitting,
)

TAGS, SENDER, KIND = FieldName.TAGS, FieldName.CORRESPONDENT, FieldName.DOCUMENT_TYPE


def entries(*names: str) -> list[NameEntry]:
    return [NameEntry(name) for name in names]


def first_of(text: str, *names: str) -> str:
    return sort_by_likelihood(entries(*names), WordIndex(distinct_words(text)))[0].name


def offered(names: list[str], text: str, *, room: int) -> NameSelection:
    return select_names({TAGS: entries(*names)}, text, room=room)


@pytest.mark.parametrize(
    ("text", "likeliest"),
    [
        ("Ihre Stadtwerke Musterstadt", "Stadtwerke Musterstadt GmbH"),
        ("STADTWERKE\nMUSTERSTADT", "Stadtwerke Musterstadt GmbH"),
        ("die Stadt-\nwerke Musterstadt", "Stadtwerke Musterstadt GmbH"),
        ("Cafe Creme, Paris", "Café Crème"),
        ("Mueller und Soehne", "Müller & Söhne KG"),
        ("Müller und Söhne", "Müller & Söhne KG"),
        ("Ihre Stromrechnung", "Strom"),
        ("Abschlussrechnung", "Rechnung"),
        ("Der Bund der Steuerzahler", "Bund der Steuerzahler e.V."),
        ("an und für sich", "Most Used Ltd"),
        ("Ein Stromer", "Strom"),
        ("", "Most Used Ltd"),
    ],
)
def test_a_name_whose_words_stand_in_the_text_comes_first(text: str, likeliest: str) -> None:
    assert likeliest == first_of(
        text,
        "Most Used Ltd",
        "Stadtwerke Beispielhausen",
        "Café Crème",
        "Müller & Söhne KG",
        "Strom",
        "Rechnung",
        "Bund der Steuerzahler e.V.",
        "Stadtwerke Musterstadt GmbH",
        "Der & Die",
    )


def test_a_word_that_many_names_share_says_little() -> None:
    banks = [f"Bank {place}" for place in ("Aachen", "Bonn", "Celle")]

    assert first_of("Bank der Nordsee, Celle", *banks) == "Bank Celle"
    assert first_of("Bank der Nordsee", "Zuletzt", *banks) == "Zuletzt"


def test_short_words_count_only_by_themselves() -> None:
    assert first_of("Autobahn", "Most used", "Aut") == "Most used"
    assert first_of("an Aut Ltd", "Most used", "Aut") == "Aut"


def test_what_the_owner_explained_comes_before_what_is_used_more() -> None:
    listed = [NameEntry("Most used"), NameEntry("Steuer", "für das Finanzamt"), NameEntry("Strom")]

    ranked = sort_by_likelihood(listed, WordIndex(distinct_words("Strom")))

    assert [entry.name for entry in ranked] == ["Strom", "Steuer", "Most used"]


def test_names_that_all_fit_are_offered_always_the_newest_last() -> None:
    newest, oldest = NameEntry("Gas", id=9), NameEntry("Strom", id=2)

    offer = select_names({TAGS: [newest, oldest]}, "Ihre Gasrechnung", room=100)

    assert offer == NameSelection(always={TAGS: [oldest, newest]}, chosen={})


def test_of_too_many_names_the_likeliest_are_chosen_and_the_most_used_fill_up() -> None:
    names = [f"number {number}" for number in range(1_000)]

    offer = offered([*names, "Windkraft"], "Windkraftanlage", room=10)

    assert offer.always == {}
    assert [entry.name for entry in offer.chosen[TAGS]] == ["Windkraft", "number 0"]


def test_a_field_with_few_names_keeps_them_whatever_the_others_have() -> None:
    many = entries(*(f"number {number}" for number in range(1_000)))

    offer = select_names({SENDER: many, KIND: entries("Rechnung")}, "", room=100)

    assert offer.always == {KIND: entries("Rechnung")}
    assert list(offer.chosen) == [SENDER]


@pytest.mark.parametrize(
    ("needs", "room", "shares"),
    [
        ({}, 10, {}),
        ({TAGS: 3, SENDER: 4}, 10, {TAGS: 3, SENDER: 4}),
        ({TAGS: 50, SENDER: 4}, 10, {TAGS: 6, SENDER: 4}),
        ({TAGS: 50, SENDER: 40, KIND: 2}, 10, {TAGS: 4, SENDER: 4, KIND: 2}),
        ({TAGS: 50}, -3, {TAGS: 0}),
    ],
)
def test_room_that_one_does_not_need_is_left_to_the_others(
    needs: dict[FieldName, int], room: int, shares: dict[FieldName, int]
) -> None:
    assert divide_room(needs, room) == shares


@pytest.mark.parametrize(
    ("room", "taken"),
    [
        (100, ["Strom", "Gas", "Wasser"]),
        (5, ["Strom", "Gas"]),
        (3, ["Strom"]),
        (2, []),
        (0, []),
    ],
)
def test_names_are_taken_as_long_as_there_is_room(room: int, taken: list[str]) -> None:
    assert [entry.name for entry in take_fitting(entries("Strom", "Gas", "Wasser"), room)] == taken


@given(st.lists(st.text()), st.text(), st.integers(min_value=0, max_value=60))
def test_whatever_the_names_they_take_no_more_than_their_room(
    names: list[str], text: str, room: int
) -> None:
    offer = offered(names, text, room=room)

    shown = [*offer.always.get(TAGS, ()), *offer.chosen.get(TAGS, ())]
    assert sum(entry.tokens for entry in shown) <= room
