"""Names that a document only mentions."""

import pytest

from processor.analysis.senders import is_only_mentioned

NAME = "Musterbank"


@pytest.mark.parametrize(
    "line",
    [
        "Bitte überweisen Sie den Betrag auf unser Konto bei der Musterbank.",
        "Bankverbindung: Musterbank, DE12 3456 7890 1234 5678 90",
        "02.03.2026  Gehalt Musterbank AG             2.988,40 H",
        "Trocknung lt. Rechnung der Musterbank vom 26.10.2026",
        "in Sachen Albers ./. Musterbank",
        "Part of the group: supplied by Musterbank plc",
        "Musterbank  IBAN DE12 3456 7890 1234 5678 90",
        "02.03. 03.03. Kartenzahlung MUSTERBANK//MUSTERSTADT   47,12 S",
        "Hypothekengläubiger: Musterbank AG, Darlehen 4 410 008 22",
        "Einkünfte aus Gewerbebetrieb (Musterbank)       21.340",
        "Musterbank AG (Leasing) is a separate company.",
        "Carrier      Musterbank",
        "Spediteur: Musterbank",
    ],
)
def test_a_name_may_only_be_mentioned(line: str) -> None:
    assert is_only_mentioned(NAME, f"Beispiel GmbH\n{line}\n")


@pytest.mark.parametrize(
    "line",
    [
        "Musterbank AG",
        "Musterbank AG, Hauptstraße 1, 12345 Musterstadt, IBAN DE12 3456 7890 1234 5678 90",
        "zwischen der Musterbank AG und Frau Erika Mustermann",
        "der Musterbank AG, Hauptstraße 1",
        "Absender: Musterbank",
        "Ihre Musterbank",
        "Mit freundlichen Grüßen, Musterbank",
    ],
)
def test_a_sender_is_more_than_mentioned(line: str) -> None:
    assert not is_only_mentioned(NAME, f"{line}\nIhr Konto bei der Musterbank\n")


@pytest.mark.parametrize("line", ["Éts MUSTERBANK      FACTURE", "Stichting Musterbank Hout"])
def test_in_the_letterhead_a_name_may_follow_words_of_its_own(line: str) -> None:
    assert not is_only_mentioned(NAME, f"{line}\n12, rue du Lavoir\n")
    assert is_only_mentioned(NAME, f"A\nB\nC\nD\n{line}\n")


@pytest.mark.parametrize(
    "name", ["Hersteller Musterbank GmbH", "Ein Unternehmen der Musterbank AG", "Inh. M. Muster"]
)
def test_what_somebody_does_for_the_sender_begins_no_name(name: str) -> None:
    assert is_only_mentioned(name, f"{name}, Remscheid\n")


def test_where_a_longer_name_in_use_stands_the_shorter_one_does_not() -> None:
    text = "Musterbank Leasing GmbH\nein Unternehmen der Musterbank AG"

    assert is_only_mentioned(NAME, text, ["Musterbank Leasing"])
    assert not is_only_mentioned(NAME, text)


def test_below_the_letterhead_of_another_name_in_use_a_name_is_only_mentioned() -> None:
    text = "Landkreis Beispiel\nDer Landrat\nPostfach 1\n12345 Beispiel\n\nMusterbank AG\n"

    assert is_only_mentioned(NAME, text, ["Landkreis Beispiel", NAME])
    assert not is_only_mentioned(NAME, text, [NAME])
    assert not is_only_mentioned(NAME, text, ["Landkreis Beispiel"], ["Landkreis Beispiel"])
    assert not is_only_mentioned("Landkreis Beispiel", text, ["Landkreis Beispiel", NAME])


def test_a_name_that_is_not_there_is_not_mentioned() -> None:
    assert not is_only_mentioned(NAME, "Beispiel GmbH")
    assert not is_only_mentioned("", "Beispiel GmbH")
