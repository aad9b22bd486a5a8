"""Quotes found in spite of slips."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.text import split_words
from processor.analysis.quotes import normalize_lookalikes, occurs_in

LETTER = """Stadtwerke Musterstadt GmbH, Am Gaswerk 12
Malerbetrieb Jonas Thiele, Steuernummer 118/290/11873
Rechnungsdatum: 14.10.2026, zahlbar innerhalb von 30 Tagen ohne Abzug
Ihre ING und unsere neue Abrechnung der Unternehmen
"""
SENTENCES = st.text("abcdefghijklmnopqrstuvwxyz", min_size=24, max_size=60)


def spelled(text: str) -> str:
    return " ".join(split_words(text))


@pytest.mark.parametrize(
    "quote",
    [
        "Stadtwerke Musterstadt",
        "STADT WERKE Musterstadt",
        "Stadtwerke-Musterstadt",
        "Stadtvverke Musterstadt GmbH",
        "Stadtwerke Mustrstadt",
        "Stadtwerke Musterrstadt",
        "Malerbetr1eb Jonas Thie1e",
        "MaIerbetrieb Jonas ThieIe",
        "Steuernumrner 118/290/11873",
        "Rechnungsdatum: l4.1O.2026",
        "zahlbar innerhalb von 3O Tagen ohne Abzug",
        "zahlbar inerhalb von 30 Tagn ohne Abzug",
        "lNG",
        "unsere neue Abrechnung",
        "der Untemehmen",
        "Ihre ING und unsere neue Abrechnung der Unternehmen",
    ],
)
def test_slips_of_text_recognition_are_passed_over(quote: str) -> None:
    assert occurs_in(spelled(quote), spelled(LETTER))


@pytest.mark.parametrize(
    "quote",
    [
        "Stadtwerke Musterdorf",
        "Musterstadt Stadtwerke",
        "Rechnungsdatum: 15.10.2026",
        "Rechnungsdatum: 14.10.2027",
        "Rechnungsdatum 114.10.2026",
        "innerhalb von 31 Tagen",
        "Steuernummer 118/290/11878",
        "zahlbar binnen von 30 Tagen ohne Abzug",
        "Thielo",
        "BING",
        "etrie",
    ],
)
def test_other_words_and_other_numbers_are_not(quote: str) -> None:
    assert not occurs_in(spelled(quote), spelled(LETTER))


def test_a_quote_that_is_a_copy_must_be_exact() -> None:
    page = spelled(" ".join(f"Absatz{letter} und noch ein paar Zeilen" for letter in "abcdefghij"))

    assert occurs_in(page, page)
    assert not occurs_in(page.replace("zeilen", "zelen", 1), page)


def test_a_text_without_an_end_to_it_does_not_keep_us_busy() -> None:
    # Were it to try every place, the test would run into its time limit.
    assert not occurs_in("a" * 100 + "bcdefghij" * 11, "a" * 200_000)


@given(SENTENCES, SENTENCES, st.data())
def test_one_lost_letter_of_a_long_quote_is_forgiven(
    quote: str, around: str, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(quote) - 1))
    text = around + quote[:place] + quote[place + 1 :] + around
    # Only so many places are tried: a text of one letter has more.
    assume(all(text.count(text[start : start + 4]) < 5 for start in range(len(text) - 3)))

    assert occurs_in(quote, text)


@given(SENTENCES, st.integers(0, 9), st.integers(0, 9))
def test_no_digit_is_ever_forgiven(words_around: str, said: int, written: int) -> None:
    quote = f"{words_around} {said}{said}7"

    assert occurs_in(quote, f"{words_around} {written}{written}7") == (said == written)


def test_a_digit_is_not_forgiven_for_letters_that_look_like_it() -> None:
    assert not occurs_in("all the papers in the mail 117", "all the papers in the mail 777")


@given(st.text())
def test_what_looks_alike_is_as_long_as_before(text: str) -> None:
    assert len(normalize_lookalikes(text)) == len(text)
