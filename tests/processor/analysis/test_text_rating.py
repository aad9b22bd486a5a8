"""Texts told apart by their words: language, legibility, kind."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processor.analysis.text_rating import (
    Legibility,
    detect_language,
    legibility_of,
    shows_tag,
    shows_type,
)
from sandbox.documents import FOLDER, load_truth


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Sehr geehrte Frau Mustermann, wir danken Ihnen für Ihre Bestellung.", "de"),
        ("Thank you for your order. We will send it to you by Monday.", "en"),
        ("Nous vous remercions pour votre commande, elle sera livrée dans la semaine.", "fr"),
        ("Wij danken u voor uw bestelling. De levering wordt door ons verzorgd.", "nl"),
        ("Stromrechnung August 2026", "de"),
        ("Rechnung Harbour Cloud", "de"),
        ("Zusatzbeitrag zum Januar", "de"),
        ("Invoice Harbour Cloud September 2026", "en"),
        ("Payslip August 2026", "en"),
        ("Notice of assessment", "en"),
        ("Facture d'électricité octobre 2026", "fr"),
        ("Energiefactuur oktober 2026", "nl"),
        ("Rekening van de tandarts", "nl"),
    ],
)
def test_a_language_is_recognised_by_its_small_words_and_kinds(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Harbour Cloud 2026",
        "Rechnung Bank of Scotland",
        "Invoice Rechnung",
        "TeleKontakt Mobil L",
        "Carbon 12",
        "Lavoro e famiglia",
        "4711",
    ],
)
def test_what_cannot_be_recognised_is_left_open(text: str) -> None:
    assert detect_language(text) is None


def test_a_long_text_needs_a_clear_lead() -> None:
    german, english = "wir haben nicht ", "you have not "

    assert detect_language(german * 10 + english * 9) is None
    assert detect_language(german * 20 + english * 9) == "de"


@pytest.mark.parametrize(
    "text",
    [
        "Quittung",
        "Stromrechnung Oktober 2026",
        "R-Nr. 4711, 12,50 EUR (19 % USt.)",
        "Summe 1.234,56€ 12:30 01.02.2026 +49/30-115 3x 68m²",
        "Name: ____________  Unterschrift: . . . . . . . . .",
        "Menge ----------- Betrag =========",
        "ЗДРАВСТВУЙТЕ дорогой клиент",
        "請求書 株式会社",
        "Ζητήματα",
        "„Vielen Dank“ – bis bald!",
    ],
)
def test_words_and_numbers_can_be_read(text: str) -> None:
    assert legibility_of(text) is Legibility.GOOD


@pytest.mark.parametrize(
    "text",
    [
        "Rechnung ;~ |I1l St~dtw~rke 12,00 EUR ~k|t @@ ^^ ]]",
        "Quittung ||| ~~ |_| K|_|nd~ dank~nd erhalten 4~7|",
    ],
)
def test_a_text_with_much_rubbish_is_poor(text: str) -> None:
    assert legibility_of(text) is Legibility.POOR


@pytest.mark.parametrize(
    "text",
    [
        "",
        " .",
        "~~~ ||| ~~~ ...",
        "4711 12,50 01.02.2026",
        "bcd fgh xyz qrst klm",
        "R E C H N U N G",
        "M@ ~k t  a_m  T0|? v~e1en D@n< Tag",
    ],
)
def test_a_text_without_words_is_hopeless(text: str) -> None:
    assert legibility_of(text) is Legibility.HOPELESS


@pytest.mark.parametrize(("file", "truth"), load_truth().items())
def test_of_the_sample_documents_only_those_without_an_answer_are_hopeless(
    file: str, truth: object
) -> None:
    text = (FOLDER / file).read_text(encoding="utf-8")
    expected = Legibility.GOOD if load_truth()[file].title else Legibility.HOPELESS

    assert legibility_of(text) is expected


@given(st.text())
def test_any_text_can_be_judged(text: str) -> None:
    assert legibility_of(text) in Legibility


@pytest.mark.parametrize(
    ("name", "quote"),
    [
        ("Rechnung", "Invoice no. 4711"),
        ("Rechnung", "Rechnungsnummer: 4711"),
        ("Rechnung", "R E C H N U N G"),
        ("Invoice", "Gesamtbetrag 119,00 EUR"),
        ("Kontoauszug", "Saldo am 31.03.2026"),
        ("Vertrag", "This Agreement is made between"),
        ("Mahnung", "Zahlungserinnerung"),
        ("Steuerbescheid", "Bescheid für 2025 über Einkommensteuer"),
        ("Sonstiges", "Elternbrief zum Sommerfest"),
        ("Brief", "Sehr geehrte Damen und Herren,"),
    ],
)
def test_a_quote_shows_a_document_type(name: str, quote: str) -> None:
    assert shows_type(quote, name)


@pytest.mark.parametrize(
    ("name", "quote"),
    [
        ("Receipt", "THANK YOU PLEASE COME AGAIN"),
        ("Sonstiges", "THANK YOU PLEASE COME AGAIN"),
        ("Sonstiges", "Sehr geehrte Damen und Herren,"),
        ("Sonstiges", "Seite 1"),
        ("Rechnung", "Stadtwerke Musterstadt"),
        ("Kontoauszug", "Sehr geehrte Frau Mustermann"),
        ("Vertrag", "Musterstadt, den 03.05.2022"),
    ],
)
def test_another_quote_does_not(name: str, quote: str) -> None:
    assert not shows_type(quote, name)


FILED = frozenset({"elternbrief", "klasse"})


@pytest.mark.parametrize("shows", [shows_type, shows_tag])
def test_a_word_of_the_documents_that_were_filed_so_shows_a_name(
    shows: Callable[[str, str, frozenset[str]], bool],
) -> None:
    assert shows("Ausflug der Klasse 7b", "Post", FILED)
    assert not shows("Ausflug in den Harz", "Post", FILED)


@pytest.mark.parametrize("shows", [shows_type, shows_tag])
def test_words_of_the_name_always_show_it(
    shows: Callable[[str, str, frozenset[str]], bool],
) -> None:
    assert shows("Schulausflug in den Harz", "Schule", FILED)


def test_words_that_were_learnt_add_to_the_usual_ones_of_a_type() -> None:
    assert shows_type("Invoice no. 4711", "Rechnung", FILED)
    assert shows_type("Ausflug der Klasse 7b", "Rechnung", FILED)


def test_of_a_tag_nothing_is_known_before_it_is_learnt() -> None:
    assert shows_tag("Ausflug in den Harz", "Rechnung")
    assert not shows_tag("Vielen Dank und auf Wiedersehen", "Rechnung")
