"""Checks on custom fields: the quote must show the very value."""

from datetime import date
from decimal import Decimal

import pytest

from core.fields import CustomField, FieldName, Money, Option, Value
from processor.analysis.checks import CheckFailure, run_checks
from processor.analysis.numbers import NumberFormat
from tests.builders import TODAY, a_source, a_suggestion

LONG = "Die Ware bleibt bis zur vollständigen Bezahlung unser Eigentum. " * 3
LETTER = f"""Stadtwerke Musterstadt
Rechnungsnummer: SW-2026-0810223, Kundennummer 7 214 905 331
Verbrauch 1.234 kWh zu 31,40 ct, Stückzahl 3
Rechnungsbetrag 1.100,94 EUR, fällig am 14.12.2099
Bezahlt: ja. Nicht gemahnt. Mehr unter www.example.org/hilfe, gezahlt per Lastschrift.
{LONG}
"""


LABEL_FAILURES = {CheckFailure.VALUE_NOT_LABELLED, CheckFailure.VALUE_OF_SOMETHING_ELSE}


def all_doubts(value: Value, evidence: str, *, name: str, text: str = LETTER) -> set[str]:
    suggestion = a_suggestion(CustomField(7, name), str(value), evidence=evidence)
    return set(run_checks(suggestion, value, a_source(text)).failures)


def doubts(value: Value, evidence: str, *, name: str = "Feld", text: str = LETTER) -> set[str]:
    """Return every failure but those of labels, which depend on the field's name."""
    return all_doubts(value, evidence, name=name, text=text) - LABEL_FAILURES


@pytest.mark.parametrize(
    ("value", "evidence"),
    [
        ("SW-2026-0810223", "Rechnungsnummer: SW-2026-0810223"),
        ("SW2026-0810223", "SW-2026-0810223"),
        ("7214905331", "Kundennummer 7 214 905 331"),
        (LONG.strip(), "Die Ware bleibt"),
        ("https://www.example.org/hilfe", "Mehr unter www.example.org/hilfe,"),
        ("http://www.example.org/hilfe/", "www.example.org/hilfe"),
        (3, "Stückzahl 3"),
        (1234, "Verbrauch 1.234 kWh"),
        (31.4, "31,40 ct"),
        (Money(Decimal("1100.94"), "EUR"), "Rechnungsbetrag 1.100,94 EUR"),
        (Money(Decimal("1100.94")), "Rechnungsbetrag 1.100,94 EUR"),
        (date(2099, 12, 14), "fällig am 14.12.2099"),
        (Option("a1", "Bankeinzug"), "gezahlt per Lastschrift"),
    ],
)
def test_a_value_that_its_quote_shows_passes(value: Value, evidence: str) -> None:
    assert doubts(value, evidence) == set()


@pytest.mark.parametrize(
    ("value", "evidence"),
    [
        ("SW-2026-08102", "Rechnungsnummer: SW-2026-0810223"),
        ("2026-0810224", "Rechnungsnummer: SW-2026-0810223"),
        ("https://www.example.org/hilf", "www.example.org/hilfe"),
        ("https://evil.example", "www.example.org/hilfe"),
        ("!", "Rechnungsnummer: SW-2026-0810223"),
        (4, "Stückzahl 3"),
        (31.5, "31,40 ct"),
        (1.234, "Verbrauch 1.234 kWh"),
        (Money(Decimal("1100.95"), "EUR"), "Rechnungsbetrag 1.100,94 EUR"),
        (Money(Decimal("100.94"), "EUR"), "Rechnungsbetrag 1.100,94 EUR"),
    ],
)
def test_a_value_that_its_quote_does_not_show_is_doubted(value: Value, evidence: str) -> None:
    assert doubts(value, evidence) == {CheckFailure.VALUE_NOT_IN_EVIDENCE}


@pytest.mark.parametrize(
    ("name", "evidence", "yes", "no"),
    [
        ("Bezahlt", "Bezahlt: ja", True, False),
        ("Gemahnt", "Nicht gemahnt.", False, True),
        ("gemahnt am Ort", "Nicht gemahnt.", False, True),
        ("Paid", "gezahlt per Lastschrift", False, False),
        ("Lastschrift", "gezahlt per Lastschrift", True, False),
        ("Stück", "Stückzahl 3", True, False),
    ],
)
def test_a_yes_or_no_needs_a_quote_that_speaks_of_the_field(
    name: str, evidence: str, *, yes: bool, no: bool
) -> None:
    shown = [doubts(value, evidence, name=name) == set() for value in (True, False)]

    assert shown == [yes, no]


def test_a_value_that_does_not_fit_its_type_says_so() -> None:
    assert CheckFailure.VALUE_UNREADABLE in doubts(None, "Stückzahl 3")
    assert (
        CheckFailure.VALUE_UNREADABLE not in run_checks(a_suggestion(), None, a_source()).failures
    )


def test_a_number_that_can_be_read_in_two_ways_is_for_a_person() -> None:
    assert doubts(1234, "zu 1.234 Stück", text="Lieferung zu 1.234 Stück") == {
        CheckFailure.NUMBER_TWO_WAYS
    }


@pytest.mark.parametrize(
    ("currency", "text", "doubted"),
    [
        ("EUR", "Betrag 12,50 EUR", False),
        ("EUR", "Betrag 12,50 GBP", True),
        ("EUR", "Betrag 12,50", True),
        ("", "Betrag 12,50", False),
        ("GBP", "Betrag 12,50\nNational Insurance", False),
        ("GBP", "Betrag 12,50\nVAT 144 9036 21", False),
        ("EUR", "Betrag 12,50\nVAT 144 9036 21", True),
        ("TWD", "Betrag 12,50\nNT$ 12,50", False),
    ],
)
def test_a_currency_that_the_document_does_not_name_is_doubted(
    currency: str, text: str, *, doubted: bool
) -> None:
    found = doubts(Money(Decimal("12.50"), currency), "Betrag 12,50", text=text)

    assert found == ({CheckFailure.CURRENCY_NOT_IN_TEXT} if doubted else set())


def test_an_open_currency_goes_to_review() -> None:
    suggestion = a_suggestion(CustomField(7, "Betrag"), "$ 12.50", evidence="Betrag $ 12.50")

    checked = run_checks(suggestion, Money(Decimal("12.50")), a_source("Betrag $ 12.50"))

    assert CheckFailure.CURRENCY_NOT_IN_TEXT in checked.failures


def test_a_date_of_a_custom_field_may_be_due_or_long_ago_but_must_stand_there() -> None:
    due = date(2099, 12, 14)
    own = run_checks(
        a_suggestion(FieldName.DATE, "x", evidence="am 14.12.2099"), due, a_source(LETTER)
    )

    assert CheckFailure.DATE_IN_FUTURE in own.failures
    assert doubts(due, "Rechnungsbetrag 1.100,94 EUR") == {CheckFailure.DATE_NOT_IN_EVIDENCE}
    assert CheckFailure.DATE_NOT_IN_TEXT in doubts(TODAY, "fällig am 14.12.2099")


BILL = """Elektro Beispiel GmbH                     USt-IdNr. DE 123 456 789
Kundennummer    Rechnungsnummer    Betrag
4711-8          2026-0815          119,00

Bestellung 77-12 vom 01.02.2026, Lieferschein Nr. 5512
Installation                               100,00 EUR
Summe netto                                100,00 EUR
19 % MwSt.                                  19,00 EUR
Gesamtbetrag inkl. 19,00 MwSt.             119,00 EUR
Skonto bei Zahlung in 7 Tagen                2,38 EUR
Verbrauch 350 kWh, Fläche 84,5 m²
"""


def a_money(amount: str) -> Money:
    return Money(Decimal(amount), "EUR")


@pytest.mark.parametrize(
    ("name", "value", "evidence"),
    [
        ("Rechnungsnummer", "2026-0815", "2026-0815"),
        ("invoice number", "2026-0815", "2026-0815"),
        ("Kunden-Nr.", "4711-8", "4711-8"),
        ("numéro de commande", "77-12", "Bestellung 77-12"),
        ("delivery note", "5512", "Lieferschein Nr. 5512"),
        ("VAT id", "DE 123 456 789", "USt-IdNr. DE 123 456 789"),
        ("total", a_money("119.00"), "Gesamtbetrag inkl. 19,00 MwSt. 119,00 EUR"),
        ("Netto", a_money("100.00"), "Summe netto 100,00 EUR"),
        ("Verbrauch (kWh)", 350, "Verbrauch 350 kWh"),
        ("Fläche", 84.5, "Fläche 84,5 m²"),
        ("Bemerkung", "Elektro Beispiel GmbH", "Elektro Beispiel GmbH"),
    ],
)
def test_a_value_whose_label_fits_the_field_passes(name: str, value: Value, evidence: str) -> None:
    assert all_doubts(value, evidence, name=name, text=BILL) == set()


@pytest.mark.parametrize(
    ("name", "value", "evidence"),
    [
        ("invoice number", "4711-8", "4711-8"),
        ("invoice number", "77-12", "Bestellung 77-12 vom 01.02.2026"),
        ("invoice number", "5512", "Lieferschein Nr. 5512"),
        ("invoice number", "DE 123 456 789", "USt-IdNr. DE 123 456 789"),
        ("total", a_money("100.00"), "Summe netto 100,00 EUR"),
        ("total", a_money("19.00"), "Gesamtbetrag inkl. 19,00 MwSt. 119,00 EUR"),
        ("total", a_money("2.38"), "Skonto bei Zahlung in 7 Tagen 2,38 EUR"),
    ],
)
def test_a_value_that_the_text_calls_something_else_is_held(
    name: str, value: Value, evidence: str
) -> None:
    found = all_doubts(value, evidence, name=name, text=BILL)

    assert found == {CheckFailure.VALUE_OF_SOMETHING_ELSE}


@pytest.mark.parametrize(
    ("name", "value"),
    [("Temperatur", 350), ("Projektnummer", "5512"), ("Stand", a_money("119.00"))],
)
def test_a_value_without_a_word_of_the_field_is_held(name: str, value: Value) -> None:
    quote = next(line for line in BILL.splitlines() if str(value)[:3] in line)

    found = all_doubts(value, quote, name=name, text=BILL)

    assert found == {CheckFailure.VALUE_NOT_LABELLED}


@pytest.mark.parametrize(
    ("name", "held"),
    [("invoice number", {CheckFailure.VALUE_NOT_LABELLED}), ("Patient's clinic", set())],
)
def test_words_are_no_number(name: str, held: set[CheckFailure]) -> None:
    text = "Klinikum Ellerbach\nKlinik für Unfallchirurgie"

    assert all_doubts("Klinikum Ellerbach", "Klinikum Ellerbach", name=name, text=text) == held


@pytest.mark.parametrize(
    ("name", "held"), [("Fällig am", True), ("due date", True), ("Kaufdatum", False)]
)
def test_a_due_date_must_be_called_due(name: str, *, held: bool) -> None:
    found = all_doubts(date(2026, 2, 1), "vom 01.02.2026", name=name, text=BILL)

    assert found == ({CheckFailure.VALUE_NOT_LABELLED} if held else set())
    assert all_doubts(date(2099, 12, 14), "fällig am 14.12.2099", name=name) == set()


def test_without_a_label_the_total_is_the_sum_of_what_is_above_it() -> None:
    receipt = "2 Brote      5,90 EUR\n1 Kuchen    14,50 EUR\n            20,40 EUR"

    assert all_doubts(a_money("20.40"), "20,40 EUR", name="total", text=receipt) == set()
    assert all_doubts(a_money("14.50"), "1 Kuchen 14,50 EUR", name="total", text=receipt) == {
        CheckFailure.VALUE_NOT_LABELLED
    }


def test_without_a_total_the_largest_amount_with_a_label_is_the_one_that_is_paid() -> None:
    text = "Beitrag 84,00 EUR, Gebühr 3,00 EUR"

    assert all_doubts(a_money("84.00"), text, name="total", text=text) == set()
    assert all_doubts(a_money("3.00"), text, name="total", text=text) == {
        CheckFailure.VALUE_OF_SOMETHING_ELSE
    }


@pytest.mark.parametrize("number", ["RE-2026-118", "FA-2026-118", "INV-SE-44718"])
def test_an_invoice_number_may_say_what_it_is(number: str) -> None:
    text = f"Menuiserie Aubrac\n\n{number} - 03.04.2026"

    assert all_doubts(number, f"{number} - 03.04.2026", name="invoice number", text=text) == set()
    assert all_doubts(number, f"{number} - 03.04.2026", name="customer number", text=text) == {
        CheckFailure.VALUE_NOT_LABELLED
    }


def test_an_invoice_number_that_the_text_calls_something_else_is_held() -> None:
    text = "Bestellung RE-2026-118 vom 03.04.2026"

    assert all_doubts("RE-2026-118", text, name="invoice number", text=text) == {
        CheckFailure.VALUE_OF_SOMETHING_ELSE
    }


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("Nummer        Opgesteld op\nDS-26-2044    30-04-2026", False),
        ("No.           Date\nDS-26-2044    30 April 2026", False),
        ("Nummer        Artikel\nDS-26-2044    Kabel", True),
        ("Nummer        Datum         Betrag\nDS-26-2044    30.04.2026    12,50", True),
        ("Kunde         Datum\nDS-26-2044    30.04.2026", True),
    ],
)
def test_a_number_beside_a_date_under_just_number_is_the_documents_own(
    text: str, *, held: bool
) -> None:
    found = all_doubts("DS-26-2044", text.splitlines()[1], name="Rechnungsnummer", text=text)

    assert bool(found & LABEL_FAILURES) is held


@pytest.mark.parametrize(
    "text",
    [
        "INVOICE\nNo.   4711/26",
        "RECHNUNG\nNr.\n4711/26",
        "Acme Ltd     CREDIT NOTE\nKendal\nAccount   KRA004   Number   4711/26",
        "FACTURE\n12, rue du Lavoir\nn° 4711/26",
        "Rechnungsdatum\nRechnungsnummer\n05.03.2026\n4711/26",
        "Sold to: 0044718 Credit Memo No.\nMUSTER GRAFIK 4711/26",
        "BON-NR 4711/26",
        "Bill reference 4711/26",
        "Elektro Beispiel GmbH\nRg.-Nr. 4711/26",
        "Numéro du reçu : 4711/26",
        "2. Mahnung Nr. 4711/26\nRechnung     R-118     212,80",
        "FACTURA\nFra. núm.: 4711/26",
        "Elektro Beispiel GmbH\nRe.-Nr.:   4711/26",
        "Inv. No. 4711/26",
        "lnvoice No:   4711/26",
        "Creditnummer: 4711/26",
        "STATEMENT OF FEES, INVOICE\nOur ref   4711/26",
        "INVOICE\nAktenzeichen   4711/26\nPlease pay quoting 4711/26",
        "FAKTUUR          Nr: 4711/26        Datum: 30-05-2026",
        "FACTURE D'ACOMPTE        Mme Anne Muster\nN° 4711/26            3 rue du Port",
        "CREDIT NOTE\nC/N No.: 4711/26",
        "A/C No.    Credit No     Tax point\nKRA004     4711/26       17 May 2026",
        "AVISO DE COBRANÇA N.º 4711/26",
        "Caisse 02   Ticket 4711/26\nTOTAL TTC   62,55",
        "TICKET CLIENT   4711/26\nTOTAL TTC   62,55",
        "Erika Muster             Bill number\n31 Beckett Row           4711/26",
        "Receipt number    4711/26\nPaid by card",
    ],
)
def test_an_invoice_number_may_be_called_so_by_the_title_or_the_layout(text: str) -> None:
    line = next(line for line in text.splitlines() if "4711/26" in line)

    assert all_doubts("4711/26", line, name="invoice number", text=text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "DELIVERY NOTE\nNo.   4711/26",
        "RECHNUNG\nPos   Nr.   Artikel\n1   4711/26   Kabel",
        "Ihre letzte Rechnung 4711/26 haben wir erhalten",
        "Original Invoice 4711/26 dated 10/29/2014",
        "zu Rechnung 4711/26 vom 09.06.2026",
        "BON-NR 12-34\nTerminal 4711/26",
    ],
)
def test_a_number_of_another_document_is_no_invoice_number(text: str) -> None:
    line = next(line for line in text.splitlines() if "4711/26" in line)

    assert all_doubts("4711/26", line, name="invoice number", text=text) & LABEL_FAILURES


def test_in_a_reminder_the_earlier_invoice_is_the_one_to_file() -> None:
    text = "2. Mahnung\nzu Rechnung 4711/26 vom 09.06.2026"

    assert all_doubts("4711/26", text.splitlines()[1], name="invoice number", text=text) == set()


def test_a_month_is_no_invoice_number() -> None:
    text = "Rechnung 02/2026"

    assert all_doubts("02/2026", text, name="invoice number", text=text) == {
        CheckFailure.VALUE_OF_SOMETHING_ELSE
    }


def test_a_number_that_looks_like_two_years_may_be_labelled_as_a_number() -> None:
    text = "Rechnung Nr. 2026/27"

    assert all_doubts("2026/27", text, name="invoice number", text=text) == set()


def test_a_day_before_the_document_is_not_due() -> None:
    text = "Musterstadt, 22.06.2026\nBeleg   fällig am\n260611  08.05.2026\nZahlbar bis 03.07.2026"

    assert all_doubts(date(2026, 7, 3), "bis 03.07.2026", name="due date", text=text) == set()
    assert all_doubts(date(2026, 5, 8), "260611 08.05.2026", name="due date", text=text) == {
        CheckFailure.VALUE_OF_SOMETHING_ELSE
    }


def test_a_day_before_a_reminder_is_not_due_even_if_its_date_has_no_label() -> None:
    text = (
        "Ort 4         06. oktober 2026\nRYKKERSKRIVELSE\nForfald      Beløb\n"
        "01.09.2026   186,25\nBeløbet bedes indbetalt senest den 20. oktober 2026."
    )

    assert (
        all_doubts(date(2026, 10, 20), text.splitlines()[-1], name="due date", text=text) == set()
    )
    assert all_doubts(date(2026, 9, 1), "01.09.2026   186,25", name="due date", text=text) == {
        CheckFailure.VALUE_OF_SOMETHING_ELSE
    }


def test_without_figures_no_currency_is_known() -> None:
    assert NumberFormat() == NumberFormat(frozenset(), "")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("R-118", "2. Mahnung Nr. 4711/26\nRechnung R-118     212,80"),
        ("DE77 2695 0011 0000 9090 13", "Rechnung DE77 2695 0011 0000 9090 13"),
        ("HALF 2025", "TAX BILL HALF 2025"),
        ("8999", "Rechnungs-Nr. 555 118     8999 Ufenried"),
        ("CRO 88", "The invoice will follow by post.\nVAT 0759499K     CRO 88"),
        ("2699", "Factuur: F-2518 (14-05-2025)     2699 Westerlee"),
        ("F-2518", "CREDITFACTUUR\nBij factuur: F-2518"),
        ("FA-3091", "Annule partiellement la facture FA-3091 de juin"),
        ("4711/26", "INVOICE\nInvoice no. 118\nOur ref   4711/26"),
        ("4711/26", "Certificate\nOur ref   4711/26"),
        ("618 220", "E-ticket receipt\nMUSTER / JO MR     Ticket 618 220"),
        ("70447", "Muster Abrechnungsgesellschaft mbH\nPostfach 30 · 70447 Musterstadt"),
        ("D60", "INVOICE\nMuster Electrical\nApproved installer of the board  no. D60"),
        ("F-2518", "CREDITNOTA\nNummer       Betreft factuur\nC-118        F-2518"),
        ("F-2518", "AVOIR N° C-118\nFacture origine: F-2518"),
        ("F-2518", "CREDIT NOTE\nCredit No    Orig. invoice\nC-118        F-2518"),
        ("2026/2027", "COUNCIL TAX BILL 2026/2027"),
        ("2026/27", "REVISED TAX BILL 2026/27"),
        ("RE-118", "Kontoauszug 3\nGutschrift MUSTER GMBH\nRE-118      1.309,00 H"),
        ("22-44", "Your receipt #22-44\nReceipt number   22-44\nInvoice number   8F2C-14"),
    ],
)
def test_a_number_of_something_else_is_not_an_invoice_number(value: str, text: str) -> None:
    line = next(line for line in text.splitlines() if value in line)

    assert all_doubts(value, line, name="invoice number", text=text) & LABEL_FAILURES
