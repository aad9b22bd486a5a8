"""Languages told apart."""

import pytest

from processor.analysis.language import detect_language


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
