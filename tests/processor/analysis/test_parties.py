"""Names that a letter only mentions."""

import pytest

from processor.analysis.parties import is_label, is_only_mentioned


def test_a_label_is_no_name() -> None:
    assert is_label("Invoice to:")
    assert not is_label("Invoice Ltd")


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
        "a brand of Musterbank plc",
        "eine Marke der Musterbank AG",
        "Onderdeel van Musterbank Groep",
        "une enseigne de Musterbank SA",
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
        "From: Musterbank <post@musterbank.example>",
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


@pytest.mark.parametrize(
    "name", ["Baumarkt Handels GmbH", "Partnerschaft mbB", "Rechtsschutz-Versicherung AG"]
)
def test_a_legal_form_with_general_words_is_only_a_part_of_a_name(name: str) -> None:
    assert is_only_mentioned(name, f"MUSTERMARKT\n{name}\nFiliale Graz\n")
    assert not is_only_mentioned(name, f"{name}\nFiliale Graz\n", [name])
    assert not is_only_mentioned(f"Muster {name}", f"Muster {name}\nFiliale Graz\n")


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


def test_a_new_name_below_one_in_use_is_only_mentioned_even_if_they_share_a_word() -> None:
    text = "BAUHOF MUSTER\nIhr Baumarkt\nRing 20\n12345 Ort\nTel. 1\nMuster Baustoffe GmbH\n"

    assert is_only_mentioned("Muster Baustoffe GmbH", text, ["Bauhof Muster"])
    assert not is_only_mentioned("Muster Baustoffe", text, ["Bauhof Muster", "Muster Baustoffe"])


@pytest.mark.parametrize(
    "lines",
    [
        "Kassenzeichen: 5 0711        Musterbank\nIBAN DE55 2805 0177 0000 0100 18",
        "Musterbank Pay    Term  CT424017",
    ],
)
def test_a_bank_below_the_letterhead_beside_an_account_is_only_mentioned(lines: str) -> None:
    assert is_only_mentioned(NAME, f"Landkreis\nDer Landrat\nPostfach 1\n12345 Ort\n{lines}\n")


def test_a_name_begins_with_a_capital_and_is_no_sentence() -> None:
    head = "Institut Muster\ngemeinnützige Forschungsgesellschaft mbH\n"
    sentence = "autografa sostituita a mezzo stampa ai sensi dell'art."

    assert is_only_mentioned("Forschungsgesellschaft mbH", head)
    assert is_only_mentioned(sentence, f"Firma {sentence}\n")


def test_a_name_that_is_not_there_is_not_mentioned() -> None:
    assert not is_only_mentioned(NAME, "Beispiel GmbH")
    assert not is_only_mentioned("", "Beispiel GmbH")


HEAD = "Landkreis\nDer Landrat\nPostfach 1\n12345 Ort\n"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("Zollagentur Muster GmbH", "  (Zollagentur Muster GmbH)"),
        ("Kartalpin Services GmbH", "Kartenbeleg  Kartalpin Services GmbH"),
        ("Jo Muster", "Jo Muster          Kim Beispiel"),
        ("Muster Distributie B.V.", "u in april van Muster Distributie B.V. Drukwerk: ja"),
    ],
)
def test_a_name_below_the_letterhead_may_be_another_partys(name: str, line: str) -> None:
    assert is_only_mentioned(name, f"{HEAD}{line}\n")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("Prairie Bank, N.A.", "issued by Prairie Bank, N.A."),
        ("Muster Online Ltd", "This e-mail was sent by Muster Online Ltd, 4th Floor, Arcade,"),
        ("Prüfstelle Muster GmbH", "Prüfstelle Muster GmbH, amtlich anerkannte Überwachungs-"),
    ],
)
def test_a_sender_may_say_what_it_is(name: str, line: str) -> None:
    assert not is_only_mentioned(name, f"{HEAD}{line}\n")
    assert is_only_mentioned("Quoll Ltd", f"{HEAD}Our policies are issued by Quoll Ltd.\n")


def test_a_label_of_a_telephone_number_is_no_name() -> None:
    assert is_label("Mobile")
    assert not is_label("Muster Mobile GmbH")


BODY = "Position 1\nPosition 2\nPosition 3\nPosition 4\n"


@pytest.mark.parametrize(
    "lines",
    [
        "Auslagen\nMuster Labor GmbH\nsiehe Beleg",
        "Kundenkarte 118\nMuster Labor GmbH\ndanke",
    ],
)
def test_a_name_below_the_letterhead_without_a_sign_is_only_mentioned(lines: str) -> None:
    assert is_only_mentioned("Muster Labor", f"{HEAD}{BODY}{lines}\n{BODY}")


@pytest.mark.parametrize(
    "lines",
    [
        "Muster Labor GmbH, HRB 118, USt-IdNr. DE 123",
        "Muster Labor GmbH\nTel. 040 118 220",
        "Muster Labor SARL au capital de 40 000 EUR - 8 rue des Forges, 69999 Vaulx",
        "Mit freundlichen Grüßen\nMuster Labor GmbH",
        "Ihre Muster Labor GmbH",
        "Muster Labor GmbH\nPosition\nMuster Labor GmbH",
        "Muster Labor GmbH\nFragen: post@muster.example",
    ],
)
def test_a_sign_shows_the_sender_below_the_letterhead(lines: str) -> None:
    assert not is_only_mentioned("Muster Labor", f"{HEAD}{BODY}{lines}\n{BODY}")


def test_a_sender_at_the_bottom_or_spread_over_the_head_needs_no_other_sign() -> None:
    assert not is_only_mentioned("Muster Labor", f"{HEAD}{BODY}Muster Labor\n")
    spread = f"MUSTER\nLabor GmbH\nAgentur Beispiel\nOrt\n{BODY}Muster Labor\n{BODY}"
    assert not is_only_mentioned("Muster Labor", spread, ["Agentur Beispiel", "Muster Labor"])


def test_a_person_below_the_letterhead_of_a_company_is_a_signature() -> None:
    letter = f"Muster Labor GmbH\nWeg 1\n{BODY}Mit freundlichen Grüßen\nPetra Beispiel\n"
    assert is_only_mentioned("Petra Beispiel", letter)
    assert not is_only_mentioned("Petra Beispiel", letter.replace("Muster Labor GmbH", "Hallo"))


@pytest.mark.parametrize("head", ["MUSTER LABOR", "M U S T E R   L A B O R", "Radhof Muster"])
def test_a_person_below_a_firm_of_the_same_name_in_use_is_only_mentioned(head: str) -> None:
    letter = f"{head}\nWeg 1\nErika Muster, M.Sc.\n{BODY}Danke!\nErika Muster\nUSt-IdNr. DE 1\n"

    assert is_only_mentioned("Erika Muster", letter, ["Muster Labor", "Radhof Muster"])
    assert not is_only_mentioned("Erika Muster", letter)


@pytest.mark.parametrize(
    "label", ["Inhaberin: ", "Inh. Dr. ", "prop. ", "Gérante : ", "Eigenaar: ", "Titolare: "]
)
def test_a_proprietor_who_signs_is_only_mentioned(label: str) -> None:
    letter = f"Radhof\n{label}Erika Muster\n{BODY}Danke!\nErika Muster\nUSt-IdNr. DE 1\n"

    assert is_only_mentioned("Erika Muster", letter)
    assert not is_only_mentioned("Erika Muster", letter.replace(label, ""))


def test_a_line_that_goes_on_from_the_one_above_mentions_a_name() -> None:
    line = "Op al onze leveringen zijn de algemene voorwaarden van"
    rest = "Muster Groep B.V. van toepassing. KvK 08 990 114"

    assert is_only_mentioned("Muster Groep", f"{HEAD}{BODY}{line}\n{rest}\n")
    assert not is_only_mentioned("Muster Groep", f"{HEAD}{BODY}{line} ons.\n{rest}\n")


def test_the_address_to_which_an_e_mail_goes_is_no_sign_of_the_sender() -> None:
    head = "Aan: post@musterlabor.example\nOnderwerp: factuur\nDatum: 1\nWiki\n"
    sent = head.replace("Aan:", "Van:")

    assert is_only_mentioned("Musterlabor", f"{head}{BODY}Musterlabor, Weg 1\n{BODY}")
    assert not is_only_mentioned("Musterlabor", f"{sent}{BODY}Musterlabor, Weg 1\n{BODY}")


def test_a_misread_general_word_is_still_no_name() -> None:
    assert is_only_mentioned("Baurnarkt GmbH", "MUSTERMARKT\nBaurnarkt GmbH\nFiliale Graz\n")


def test_a_name_in_the_letterhead_below_another_in_use_is_only_mentioned() -> None:
    text = f"Landkreis Beispiel\nMuster Labor GmbH\n{BODY}"
    assert is_only_mentioned("Muster Labor", text, ["Landkreis Beispiel"])
    assert not is_only_mentioned("Muster Labor", text)


@pytest.mark.parametrize(
    "lines",
    ["Es betreut Sie:\nMuster Labor GmbH", "Amt\nMuster Labor GmbH\nPriority Abroad"],
)
def test_an_agency_or_a_franking_mark_in_the_letterhead_is_only_mentioned(lines: str) -> None:
    assert is_only_mentioned("Muster Labor", f"{lines}\n{BODY}")


def test_a_number_may_precede_the_party_of_a_contract() -> None:
    line = "(1) MUSTERBANK AG, a company registered in England under number 4471820, and"

    assert not is_only_mentioned(NAME, f"{HEAD}{line}\n")
