"""Quotes that have to do with a kind of document."""

import pytest

from processor.analysis.document_kinds import shows_kind


@pytest.mark.parametrize(
    ("kind", "quote"),
    [
        ("Rechnung", "Invoice no. 4711"),
        ("Rechnung", "Rechnungsnummer: 4711"),
        ("Rechnung", "R E C H N U N G"),
        ("Invoice", "Gesamtbetrag 119,00 EUR"),
        ("Kontoauszug", "Saldo am 31.03.2026"),
        ("Vertrag", "This Agreement is made between"),
        ("Mahnung", "Zahlungserinnerung"),
        ("Steuerbescheid", "Bescheid für 2025 über Einkommensteuer"),
        ("Sonstiges", "THANK YOU PLEASE COME AGAIN"),
    ],
)
def test_a_quote_shows_a_kind(kind: str, quote: str) -> None:
    assert shows_kind(quote, kind)


@pytest.mark.parametrize(
    ("kind", "quote"),
    [
        ("Receipt", "THANK YOU PLEASE COME AGAIN"),
        ("Rechnung", "Stadtwerke Musterstadt"),
        ("Kontoauszug", "Sehr geehrte Frau Mustermann"),
        ("Vertrag", "Musterstadt, den 03.05.2022"),
    ],
)
def test_another_quote_does_not(kind: str, quote: str) -> None:
    assert not shows_kind(quote, kind)
