"""Labels that are composed, spaced out or in another language, and values that need none."""

from datetime import date
from decimal import Decimal

import pytest

from core.fields import CustomField, FieldName, Money, Value
from processor.analysis.checks import run_checks
from tests.builders import a_source, a_suggestion

NUMBER, TOTAL, DUE = (
    CustomField(n, name) for n, name in enumerate(("invoice number", "total", "due date"))
)


def passes(field: CustomField | FieldName, value: Value, evidence: str, text: str) -> bool:
    suggestion = a_suggestion(field, str(value), evidence=evidence)
    return not run_checks(suggestion, value, a_source(text)).failures


def number_passes(value: str, text: str) -> bool:
    line = next(line for line in text.splitlines() if value in line)
    return passes(NUMBER, value, line, text)


@pytest.mark.parametrize(
    "text",
    [
        "H O N O R A R N O T E     Zahl 2026/0418",
        "R E C H N U N G   2026/0418",
        "LIQUIDATION  Nr. 2026/0418",
        "Liquidation\nNr.              2026/0418",
        "Beleg Nr. 2026/0418    Kunden-Nr. 5567",
        "Rechnungs Nr  2026/0418            Datum  24.04.2026",
        "Abrechnungsnummer 2026/0418",
        "Bill #        2026/0418",
        "Fee note 2026/0418                          20 April 2026",
        "Document no.   2026/0418        Printed 01/05/2026",
        "FACTURE  réf. 2026/0418",
        "Appel de fonds n° 2026/0418           Émis le 23/03/2026",
        "Pièce n° 2026/0418",
        "Quittance n° 2026/0418 du 12 janvier 2026",
        "Verkoopfactuur 2026/0418",
        "Bolletta n. 2026/0418          Emessa il 5 marzo 2026",
        "DOCUMENTO N.  2026/0418",
        "Nº de recibo: 2026/0418",
        "Fatura N.º 2026/0418",
        "KREDITNOTA  nr. 2026/0418",
        "Fakturans nummer 2026/0418         Utskriven 2026-02-27",
        "Faktura VAT nr 2026/0418",
        "Rechnungsnummer    Kundennummer    Betrag\n2026/0418          4711-8          119,00",
        "GUTSCHRIFT\nNummer Datum Kunde Ihre UID Seite\n2026/0418 22.01.2026 61840 DE 311 408 1",
        "FACTUUR                    Aan\nNummer    : 2026/0418      Anna de Wit",
        "SCHOOLREKENING  SEPTEMBER 2025        nr. 2026/0418",
        "\nKundennummer\nRechnungsnummer\nKennwort\n\n300 718\n2026/0418\nja\n\nGuten Tag,",
        "Wilt u dit bedrag uiterlijk 15 mei overmaken op onze rekening o.v.v. factuur 2026/0418?",
    ],
)
def test_a_word_for_a_bill_beside_a_number_makes_it_an_invoice_number(text: str) -> None:
    assert number_passes("2026/0418", f"Praxis für Orthopädie am Marktplatz\n{text}")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("88199", "Fakturadatum     2026-04-20             88199 Wasserhof"),
        ("88199", "Abrechnungsnummer 900118\nVerbrauchspreis  88199 kWh       902,10"),
        ("5180", "Liquidation Nr. 7\nPatient-Nr.  5180"),
        ("220417", "Rechnung 7\nCompteur        D08 FA 220417"),
        ("26-007", "Schlussrechnung 7\n1. Abschlagsrechnung 26-007 vom 20.01.2026    -5.000,00"),
        ("4471", "Rechnung 7\n15.02.   Restaurant Bon 4471      31,40     31,40     B"),
        ("20894", "Skagbo, den 16. juni 2026\nVedr. vores faktura 20894 af 28.05.2026"),
        ("61207", "Distributiecentrum        PAKBON\nDelfgeest                 61207"),
        (
            "3317",
            "Rechnung 7\nThe landlord paid the cleaners by card for their invoice 3317 in May.",
        ),
        ("99044718", "DOCUMENTO N.  0412-0087\n    99044718"),
        ("43 732 55 0 118", "Rechnung 7\noffice@rechnung.example | +43 732 55 0 118"),
        ("0345 000 5518", "Questions about your bill?\n      0345 000 5518 (8am-6pm)"),
        ("2024", "Abrechnung 01.01.2024 - 31.12.2024\nAbrechnung für das Wirtschaftsjahr 2024"),
        ("SS-7182", "Factura 7\nInscrita en el Registro Mercantil, folio 47, hoja SS-7182"),
    ],
)
def test_a_number_of_something_else_is_not_an_invoice_number(value: str, text: str) -> None:
    assert not number_passes(value, text)


def total_passes(amount: str, text: str, currency: str = "EUR") -> bool:
    written = amount.replace(".", ",")
    line = next(line for line in text.splitlines() if written in line or amount in line)
    return passes(TOTAL, Money(Decimal(amount), currency), line, text)


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("695.60", "Zwischentotal   643,50 EUR\nMWST   52,10 EUR\nRechnungstotal   695,60 EUR"),
        ("221.05", "Kosten   1.761,05 EUR\nAbschläge   -1.540,00 EUR\nEs bleibt   221,05 EUR"),
        ("965.00", "Deposit   1050,00 EUR\nless cleaning   85,00 EUR\nback to you   965,00 EUR"),
        ("467.40", "The fee is 380,00 EUR plus VAT at 23 %, which makes 467,40 EUR in the end"),
        (
            "476.44",
            "Premium   461,44 EUR\nCharge   15,00 EUR\nOwed   476,44 EUR\n"
            "You may instead spread the premium over ten months with a total 512,00 EUR",
        ),
        (
            "25.00",
            "Bussgeld   25,00 EUR\nDanach ergeht noch ein Bescheid mit einer Gebühr von 28,50 EUR",
        ),
        ("445.14", "Neuer Saldo zu zahlen    445,14- EUR"),
        ("393.60", "Naprawa   320,00 EUR\nVAT   73,60 EUR\nRazem do zapłaty   393,60 EUR"),
        ("39.88", "Consumo   22,05 EUR\nImporte a abonar   39,88 EUR"),
        ("86.40", "Billetes (2)   46,80 EUR\nGastos   9,00 EUR\nImporte total pagado   86,40 EUR"),
        ("182.63", "Total charges du trimestre  422,13 EUR\nSolde en notre faveur  182,63 EUR"),
    ],
)
def test_a_total_is_known_by_its_label_or_by_arithmetic(amount: str, text: str) -> None:
    assert total_passes(amount, text)


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("643.50", "Zwischentotal   643,50 EUR\nMWST   52,10 EUR\nRechnungstotal   695,60 EUR"),
        ("1761.05", "Kosten   1761,05 EUR\nAbschläge   -1.540,00 EUR\nEs bleibt   221,05 EUR"),
        ("1180.00", "Loyer mensuel   Loyer net   1180,00 EUR\nCharges   95,00 EUR"),
        ("25.00", "If you miss an appointment without notice, a fee of 25,00 EUR may be charged"),
    ],
)
def test_what_is_deducted_or_may_never_be_paid_is_no_total(amount: str, text: str) -> None:
    assert not total_passes(amount, text)


@pytest.mark.parametrize(
    ("currency", "text"),
    [
        ("NOK", "Org.nr 911 820 441 MVA\nSum   2 470,00 kr"),
        ("SEK", "Bankgiro 118-2044\nSumma   2 470,00 kr"),
        ("DKK", "CVR 11820441\nI alt   kr. 2.470,00"),
        ("USD", "Bend OR 97701\nTotal   $2,470.00"),
        ("AUD", "ABN 51 824 753 556\nTotal   $2,470.00"),
    ],
)
def test_the_country_of_a_document_shows_which_currency_a_sign_means(
    currency: str, text: str
) -> None:
    line = text.splitlines()[1]

    assert passes(TOTAL, Money(Decimal("2470.00"), currency), line, text)


def test_a_sign_of_several_currencies_stays_open_if_two_countries_are_shown() -> None:
    text = "CVR 11820441, Oslo, Norge\nTotal   2 470,00 kr"

    assert not passes(TOTAL, Money(Decimal("2470.00"), "NOK"), text.splitlines()[1], text)


DAY = date(2022, 5, 23)


@pytest.mark.parametrize(
    "line",
    [
        "Ich ersuche um Überweisung bis längstens 23. Mai 2022",
        "Konditionen   30 Tage netto, Verfalltag 23.05.2022",
        "Faelligkeit: 23.05.2022",
        "Wir belasten Ihr Konto frühestens am 23.05.2022.",
        "Please make sure we have it by Monday 23 May 2022",
        "We will collect the sum from your account on or just after 23 May 2022",
        "Le prélèvement interviendra le 23 mai 2022 sur votre compte.",
        "Scadenza pagamento 23/05/2022 - bonifico bancario",
        "Se cargará en su cuenta el día 23-05-2022",
        "Data limite de pagamento: 23/05/2022",
        "Sidste rettidige indbetalingsdato 23-05-2022",
        "KID 0118204410              Forfallsdato 23.05.2022",
        "Termin płatności: 23.05.2022",
        "Beloppet ska vara oss tillhanda senast 2022-05-23.",
        "Beløbet bedes indbetalt senest den 23. maj 2022 på foreningens konto.",
        "Der Betrag muss bis zum 23.05.2022 bezahlt werden.",
        "La somme doit être payée avant le 23/05/2022.",
        "Het bedrag moet voor 23 mei 2022 betaald zijn.",
    ],
)
def test_a_due_date_is_labelled_in_many_ways(line: str) -> None:
    assert passes(DUE, DAY, line, line)


@pytest.mark.parametrize(
    ("line", "is_due"),
    [
        ("Wir bitten Sie, den Betrag bis Freitag, den 23. Mai zu überweisen.", True),
        ("Please pay by May 23rd at the latest.", True),
        ("Ein Elternabend ist am 23. Mai in der Turnhalle.", False),
    ],
)
def test_a_due_date_may_have_no_year(line: str, *, is_due: bool) -> None:
    text = f"Ulm, 2. Mai 2022\n{line}"

    assert passes(DUE, DAY, line, text) is is_due
    assert not passes(DUE, DAY.replace(year=2023), line, text)
    assert not passes(FieldName.DATE, DAY, line, text)


def test_a_day_at_the_end_of_the_term_for_paying_is_due() -> None:
    text = "Invoice date: 9 May 2022\nTerms: please pay within 14 days\nBox A: 23 May 2022"

    assert passes(DUE, DAY, "Box A: 23 May 2022", text)
    assert not passes(DUE, DAY, "Box A: 23 May 2022", text.replace("14", "10"))


@pytest.mark.parametrize(
    "line",
    [
        "Het bedrag staat uiterlijk op 23 mei 2022 op uw rekening.",
        "Önskar ni plats kommande vinter ber vi om besked före 23 maj 2022.",
        "An inventory will be taken on 23 May 2022 and shall be signed.",
        "KREDITNOTA nr. 5120\nsom forfalder den 23.05.2022 som aftalt",
    ],
)
def test_a_day_of_something_else_is_not_due(line: str) -> None:
    assert not passes(DUE, DAY, line.splitlines()[-1], line)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Call-out    11 April 2022\nDate raised   23 May 2022", True),
        ("Herrn Paul Reiter      23.05.2022\nDie Versammlung ist am 20.05.2022.", True),
        ("Fattura n. 118/2026 del 23/05/2022\nScadenza 02/05/2022", True),
        ("Facture n° 4711\ndu 23/05/2022", True),
        ("Printed 23 May 2022\nRent for January", True),
        ("Printed 23 May 2022\nDate: 2 May 2022", False),
        ("Anna Bell   2 May 2022\nJob 4   23 May 2022", False),
        ("Date of purchase   23 May 2022\nSlippers   14.00", True),
        ("Date of purchase   23 May 2022\nDate   2 May 2022", False),
        ("Votre facture du 23/05/2022\nPrélevé le 02/06/2022", True),
        ("Monday 23 May 2022\nOur tour is in spring   2 May 2022", True),
        ("PURRING\nPurredato   23.05.2022\nFakturadato   02.05.2022", True),
        ("PURRING\nPurredato   02.05.2022\nFakturadato   23.05.2022", False),
        ("Belegnummer    Belegtag      Lieferung\n4711           23.05.2022    02.05.2022", True),
    ],
)
def test_the_first_of_several_dates_without_a_label_is_the_documents(
    text: str, *, own: bool
) -> None:
    line = next(line for line in text.splitlines() if "23" in line)

    assert passes(FieldName.DATE, DAY, line, text) is own


@pytest.mark.parametrize(
    "name", ["Patient-Nr.", "Auskunft:", "A R I N E", "Kundennummer", "Landlord: Millbrook Homes"]
)
def test_a_label_is_no_correspondent(name: str) -> None:
    text = f"{name}   5180"

    assert not passes(FieldName.CORRESPONDENT, name, text, text)
