"""Which of the amounts on a page is the total."""

from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from processor.analysis.amount_labels import amount_subject, find_amounts, find_total
from processor.analysis.value_labels import Subject


def total_of(text: str) -> Decimal | None:
    return find_total(find_amounts(text))


def subjects_of(amount: str, text: str) -> set[Subject | None]:
    return {found.subject for found in find_amounts(text) if found.amount == Decimal(amount)}


@pytest.mark.parametrize(
    "label",
    [
        "Zu zahlender Betrag", "noch zu zahlen", "Restbetrag", "Auszahlungsbetrag", "Nachzahlung",
        "Bitte überweisen Sie", "Offener Betrag", "Balance due", "Amount now due", "Please pay",
        "Remaining payment", "Net pay", "Settlement", "You owe", "Net à payer", "Reste dû",
        "À régler avant le 31 décembre 2025", "Te betalen", "Netto te ontvangen", "Nog te voldoen",
        "Net amount remitted to you", "Daher Abgabennachforderung", "Da pagare", "Total a pagar",
        "Att betala", "At betale",
    ],
)  # fmt: skip
def test_what_is_left_to_pay_comes_before_the_total(label: str) -> None:
    text = f"Total     119,00 EUR\nSumme     119,00 EUR\n{label}     69,00 EUR"

    assert total_of(text) == Decimal("69.00")


def test_what_is_left_of_a_total_is_to_be_paid_whatever_its_label() -> None:
    text = "TOTAAL      176,30\nAanbetaald 25-03      -50,00\nVOLDAAN PIN      126,30"

    assert total_of(text) == Decimal("126.30")


def test_a_total_with_fees_on_what_is_open_is_to_be_paid() -> None:
    text = "Offener Betrag     412,93\nMahngebühr     5,00\nGesamt     417,93"

    assert total_of(text) == Decimal("417.93")


def test_nothing_left_to_pay_leaves_the_total() -> None:
    assert total_of("Total     119.00\nPaid by card     119.00\nBalance due     0.00") == 119


@pytest.mark.parametrize(
    "rows",
    [
        "Contributie   118,00\nLiggeld   644,00\nAf: uren   -60,00\nBijeen   702,00",
        "Waren          100,00\nSteuer 19 %     19,00\nErgebnis       119,00",
        "Anteil A   50,00\nRabatt   5,00\nAnteil B   20,00\nErgibt   65,00",
    ],
)
def test_without_a_label_the_total_is_the_sum_with_its_signs(rows: str) -> None:
    assert total_of(rows) == Decimal(rows.rsplit(maxsplit=1)[-1].replace(",", "."))


def test_the_year_to_date_is_not_this_period() -> None:
    text = "DEDUCTIONS     Current          YTD\nNET PAY        1,604.91    17,193.68"

    assert total_of(text) == Decimal("1604.91")


def test_an_overpayment_leaves_a_refund() -> None:
    text = "Total payable     90.00\nTax deducted     100.00\nRefund     10.00"

    assert total_of(text) == Decimal("10.00")


def test_a_row_counts_before_a_sentence() -> None:
    text = (
        "CREDIT TOTAL     EUR 380.60\n"
        "After allocation the amount outstanding on that other invoice is EUR 823.40."
    )

    assert total_of(text) == Decimal("380.60")


@pytest.mark.parametrize(
    "text",
    [
        "Ihr Beitrag: 39,90 EUR monatlich",
        "RENT £1,285.00 per calendar month",
        "Monatsbeitrag 39,90 EUR",
        "Zu zahlen nach dem 16. Mai 105,00 EUR",
        "Summe Soll 953,00     Summe Haben 640,00",
        "Totaal debet 953,00     Totaal credit 640,00",
        "Anschaffungskosten     EUR 31.900,00",
        "Das Einkommen beträgt     27.940,00 EUR",
        "Total rent received     €1,740.00",
        "Amount due after Jul 30     $145.01",
        "Zusätzliche Verfahrenskosten mind. CHF 200.00",
        "A cost of £90.00 to £140.00",
        "every 5,000 cycles for as long as you use it (service fee currently £48.00)",
        "Call-out charge     £95.00",
    ],
)
def test_what_is_paid_again_or_later_is_no_total(text: str) -> None:
    assert total_of(text) is None


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("Total CHF inkl. MWST 812.70", "812.70"),
        ("Totaal incl. btw € 427,35", "427.35"),
        ("Total   USD   12,-", "12"),
        ("Subtotaal incl. btw   123,85\nBetaald   123,85\nOpenstaand   0,00", "123.85"),
        ("Totale merce   1.929,00\nSconto   -96,45\nTotale fattura   1.832,55", "1832.55"),
        ("Meloxivet to take home   £14.20\nTOTAL   £506.64", "506.64"),
        ("Saldo zu Gunsten der Steuerverwaltung   CHF 893.40", "893.40"),
        ("Betrag   99,00   9,00\nBitte zahlen Sie bis 18.12.2025      108,00 €", "108.00"),
        ("Hausrat, Vers.-Summe 68.000 EUR   168,40 EUR\nGesamtbeitrag   150,00 EUR", "150.00"),
    ],
)
def test_a_note_on_the_tax_does_not_end_a_label(text: str, amount: str) -> None:
    assert total_of(text) == Decimal(amount)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("Endbetrag   119,00\nbis 30.01.2026 abzüglich 2 % Skonto (2,38 EUR) = 116,62 EUR", 119),
        ("Charge   200.00\nLess discount   -50.00\nRevised   150.00\nNow due   30.00", 30),
    ],
)
def test_what_remains_is_not_the_total_if_another_amount_is_to_be_paid(
    text: str, amount: int
) -> None:
    assert total_of(text) == amount


def test_a_day_or_year_beside_a_currency_is_no_amount() -> None:
    assert find_amounts("jeweils zum 31.12. zahlbar") == ()
    assert subjects_of("2026", "bis 2 October 2026, £35.00") == set()
    assert total_of("Membership fee 2026: £25.00") == 25


@pytest.mark.parametrize(
    ("name", "subject"),
    [
        ("Betrag", Subject.TOTAL),
        ("total", Subject.TOTAL),
        ("Zahlbetrag", Subject.PAYABLE),
        ("Netto", Subject.NET),
        ("Rabatt", Subject.DEDUCTED),
        ("Farbe", None),
    ],
)
def test_the_name_of_a_field_says_which_amount_it_has(name: str, subject: Subject | None) -> None:
    assert amount_subject(name) is subject


@given(st.text())
@example("0\n£0")
def test_any_text_can_be_searched_for_amounts(text: str) -> None:
    assert all(found.amount >= 0 for found in find_amounts(text))


@pytest.mark.parametrize(
    "text",
    [
        "RECEIPT\nLatte     3.20\nVISA     3.20",
        "Quittung\nFahrt Bahnhof     3,20 EUR",
    ],
)
def test_the_largest_amount_of_a_bill_is_the_total_if_it_is_repeated_or_the_only_one(
    text: str,
) -> None:
    assert total_of(text) == Decimal("3.20")
    assert total_of(text.split("\n", 1)[1]) is None


def test_an_entry_below_the_heading_total_is_not_the_total() -> None:
    text = "Artikel     Menge     Total\nMatratze     1     269,00\nMontant de l'avoir     249,00"

    assert total_of(text) == Decimal("249.00")


def test_an_amount_followed_by_a_minus_is_deducted() -> None:
    text = "Dividende     198,00+\nSteuer     49,50-\nSoli     2,72-\nBetrag     145,78+"

    assert total_of(text) == Decimal("145.78")


def test_a_net_amount_plus_its_tax_is_the_total() -> None:
    text = "Netto     100,00\nA1     30,00\nUSt     19,00\n119,00     Position"

    assert total_of(text) == Decimal("119.00")


@pytest.mark.parametrize(
    "sentence",
    [
        "The cost of the trip in the summer will be between £90.00 and £140.00",
        "Die Gebühr am Schalter beträgt für Sie voraussichtlich ungefähr 95,00 EUR",
        "Missed appointments cost the hospital a fee of about £120.00 each",
    ],
)
def test_an_estimate_is_not_the_total(sentence: str) -> None:
    assert total_of(sentence) is None


def test_a_net_sum_without_any_tax_below_it_is_the_total() -> None:
    items = "Mikrofon     890,00\nStativ     110,00\nAuftragswert ohne MwSt.     1.000,00"

    assert total_of(items) == Decimal("1000.00")
    assert total_of(f"{items}\nMwSt. 8,1 %     81,00") is None
    assert total_of("Zwischensumme     1.000,00") is None
