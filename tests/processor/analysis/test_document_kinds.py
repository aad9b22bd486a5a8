"""Quotes that have to do with a kind of document."""

from collections.abc import Callable

import pytest

from processor.analysis.document_kinds import shows_tag, shows_type


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
