"""Numbers that identify a sender are valid, and stand where a sender writes about itself."""

import pytest

from core.learning import Fact, FactKind
from processor.analysis.identity import find_numbers, find_sender_numbers

IBAN = Fact(FactKind.IBAN, "DE89370400440532013000")
VAT = Fact(FactKind.VAT_ID, "DE136695976")
DOMAIN = Fact(FactKind.DOMAIN, "stadtwerke-bonn.example")
FOOTER = "IBAN DE89 3704 0044 0532 0130 00   USt-IdNr. DE136695976   www.stadtwerke-bonn.example"
BODY = "\n".join(f"Zeile {number} des Briefes" for number in range(40))


@pytest.mark.parametrize(
    ("line", "kind", "value"),
    [
        ("IBAN: DE89 3704 0044 0532 0130 00 BIC COBADEFF", FactKind.IBAN, IBAN.value),
        ("IBAN NL91ABNA0417164300", FactKind.IBAN, "NL91ABNA0417164300"),
        ("USt-IdNr.: DE 136 695 976", FactKind.VAT_ID, VAT.value),
        ("UID ATU13585627", FactKind.VAT_ID, "ATU13585627"),
        ("TVA FR40303265045", FactKind.VAT_ID, "FR40303265045"),
        ("VAT Reg No GB 980 7806 84", FactKind.VAT_ID, "GB980780684"),
        ("Gläubiger-ID DE98ZZZ09999999999", FactKind.CREDITOR_ID, "DE98ZZZ09999999999"),
        ("Amtsgericht Aachen, HRA 11223", FactKind.REGISTER, "Aachen HRA 11223"),
        ("HRB 12345, Amtsgericht München", FactKind.REGISTER, "München HRB 12345"),
        ("Firmenbuch FN 122119m", FactKind.REGISTER, "FN 122119m"),
        ("Registered in England No. 01234567", FactKind.REGISTER, "GB 01234567"),
        ("KvK-nummer: 12345678", FactKind.REGISTER, "KvK 12345678"),
        ("RCS Paris 552 008 443", FactKind.REGISTER, "SIREN 552008443"),
        ("info@kundenservice.stadtwerke.example", FactKind.DOMAIN, "stadtwerke.example"),
        ("www.brightwater.co.uk", FactKind.DOMAIN, "brightwater.co.uk"),
        ("Telefon: +49 (0)30 123456-0", FactKind.PHONE, "+49301234560"),
        ("Tel. 030 / 12 34 56", FactKind.PHONE, "030123456"),
    ],
)
def test_a_valid_number_is_found(line: str, kind: FactKind, value: str) -> None:
    assert Fact(kind, value) in find_numbers(line)


@pytest.mark.parametrize(
    "line",
    [
        "IBAN: DE89 3704 0044 0532 0130 01",
        "USt-IdNr.: DE 136 695 977",
        "Gläubiger-ID DE97ZZZ09999999999",
        "HRB 12345",
        "RCS Paris 552 008 444",
        "erika.muster@gmail.com",
        "www.bundesnetzagentur.de",
        "https://ec.europa.eu/consumers/odr",
        "www.companieshouse.gov.uk",
        "www.facebook.com/stadtwerke",
        "Kundennummer 030 123456",
        "Rechnung Nr. 2026-0512",
    ],
)
def test_what_is_invalid_or_of_everybody_is_not_found(line: str) -> None:
    assert find_numbers(line) == frozenset()


def test_numbers_in_letterhead_and_footer_are_the_senders() -> None:
    assert find_sender_numbers(f"{FOOTER}\n{BODY}") >= {IBAN, VAT, DOMAIN}
    assert find_sender_numbers(f"{BODY}\n{FOOTER}") >= {IBAN, VAT, DOMAIN}


def test_a_number_in_the_middle_of_a_page_is_not_the_senders() -> None:
    text = f"{BODY}\n{FOOTER}\n{BODY}"

    assert find_sender_numbers(text) == frozenset()
    assert find_numbers(text) >= {IBAN, VAT, DOMAIN}


@pytest.mark.parametrize("label", ["Seller", "Lieferant:", "Vendeur"])
def test_a_number_beside_the_word_seller_is_the_senders(label: str) -> None:
    text = f"{BODY}\n{label}\nStadtwerke Bonn\n{FOOTER}\n{BODY}"

    assert IBAN in find_sender_numbers(text)


@pytest.mark.parametrize(
    "block",
    [
        f"Bill to:\nMuster Bau GmbH\n{FOOTER}",
        f"Kunde   {FOOTER}",
        "Ihre USt-IdNr. DE136695976",
        "Der Betrag wird von Ihrem Konto DE89 3704 0044 0532 0130 00 abgebucht",
    ],
)
def test_numbers_of_the_recipient_are_not_the_senders(block: str) -> None:
    assert find_sender_numbers(f"Stadtwerke Bonn\n{block}\n{BODY}").isdisjoint({IBAN, VAT})


def test_the_footer_of_every_page_is_the_senders() -> None:
    assert IBAN in find_sender_numbers(f"{BODY}\n{FOOTER}\f{BODY}")
