"""Quotes and titles found in a text in spite of slips."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.text import fold, split_words
from processor.analysis.dates import dates_in
from processor.analysis.quotes import (
    Contents,
    normalize_lookalikes,
    numbers_are_supported,
    occurs_in,
    title_is_supported,
)
from sandbox.documents import FOLDER, load_truth

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


TITLED_LETTER = """Stadtwerke Musterstadt GmbH
Rechnungsdatum: 31.10.26
Rechnung Nr. SW-1010447 für Ihre Wohnung, Lindenweg 4
Arbeitspreis MusterStrom, Abschläge, Zeitraum 09/2026
"""
CONTENTS = Contents.of(fold(TITLED_LETTER), set(dates_in(TITLED_LETTER)), ["Versorgungsvertrag"])
OWN_WORDS = {"17-werkstattrechnung.txt"}
"""Where a good title has a word of its own: nothing calls itself a garage there."""


@pytest.mark.parametrize(
    "title",
    [
        "",
        "Rechnung",
        "Stromrechnung Oktober 2026",
        "Stromrechnung September 2026",
        "Stadtwerke Musterstadt: Rechnung 2026-10",
        "Rechnung SW-1010447 vom 31.10.2026",
        "Rechnung für die Wohnungen im Lindenweg",
        "Invoice October 2026",
        "Versorgungsvertrag Strom",
        "Vertrag 4",
        "Stromabschlag Musterstadt",
        "Stadtwerke Musterstadt Jahresbrief",
        "Strom und Wasser der Stadtwerke Musterstadt",
    ],
)
def test_a_title_may_say_what_stands_in_the_text(title: str) -> None:
    assert title_is_supported(title, CONTENTS)


@pytest.mark.parametrize(
    "title",
    [
        "Gasrechnung",
        "Telefonvertrag Telekom",
        "Stromrechnung November 2026",
        "Stromrechnung Oktober 2025",
        "Rechnung SW-1010448",
        "Wasser Musterstadt",
        "Paid in full",
        "Fernwärme",
    ],
)
def test_a_title_may_not_say_more(title: str) -> None:
    assert not title_is_supported(title, CONTENTS)


@pytest.mark.parametrize(
    ("title", "founded"),
    [
        ("Electricity bill October 2026", True),
        ("Electricity bill no. 1010447", True),
        ("Electricity bill", True),
        ("Electricity bill November 2026", False),
        ("Electricity bill 2025", False),
    ],
)
def test_figures_can_be_compared_in_any_language(title: str, *, founded: bool) -> None:
    assert numbers_are_supported(title, CONTENTS) is founded


@pytest.mark.parametrize("file", [file for file, truth in load_truth().items() if truth.title])
def test_the_right_title_of_a_sample_document_is_founded(file: str) -> None:
    text = (FOLDER / file).read_text(encoding="utf-8")
    contents = Contents.of(fold(text), set(dates_in(text)))

    founded = title_is_supported(load_truth()[file].title or "", contents)

    assert founded is (file not in OWN_WORDS)
