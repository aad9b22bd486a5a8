"""Everything on a page that a careless model could take for the right value is found."""

from datetime import date
from decimal import Decimal

import pytest

from benchmarks.eval import page


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Rechnung Nr. 26/118 vom 12.05.2026", date(2026, 5, 12)),
        ("14.03.26  18:22   Kasse 2", date(2026, 3, 14)),
        ("22/02/2026 3:14 PM", date(2026, 2, 22)),
        ("03/15/2026", date(2026, 3, 15)),
        ("09-05-2026 17:42", date(2026, 5, 9)),
        ("sent 2026-07-30", date(2026, 7, 30)),
        ("made this 24th day of June, 2026", date(2026, 6, 24)),
        ("Oct 4, 2026", date(2026, 10, 4)),
        ("à échéance le 1er février 2026.", date(2026, 2, 1)),
        ("Genehmigt am 9. Juni 2026", date(2026, 6, 9)),
        ("17 april 2026", date(2026, 4, 17)),
        ("24AUG2026  NL 118", date(2026, 8, 24)),
        ("3 Mar '26", date(2026, 3, 3)),
    ],
)
def test_a_date_is_found_in_whatever_form(text: str, day: date) -> None:
    assert [found.day for found in page.find_dates(text)] == [day]


def test_what_is_no_day_is_no_date() -> None:
    assert not list(page.find_dates("31.02.2026, 3.15 pm, 14.13.2026"))


def test_only_dates_in_digits_can_be_swapped() -> None:
    found = page.find_dates("03.04.2026 or 3 April 2026")

    assert [found_value.is_numeric for found_value in found] == [True, False]


@pytest.mark.parametrize(
    ("text", "currency", "amount"),
    [
        ("Gesamtbetrag 1.200,60 EUR", "EUR", "1200.60"),
        ("RM  58.40", "MYR", "58.40"),
        ("CHF 1'000.00", "CHF", "1000.00"),
        ("kr 1 398,00", "SEK", "1398.00"),
        ("Balance to pay $339.50", "USD", "339.50"),
        ("¥ 48,300", "JPY", "48300"),
        ("die Kosten betragen 468 Euro", "EUR", "468"),
        ("Guthaben -59,40", "", "-59.40"),
    ],
)
def test_an_amount_is_found_with_its_currency(text: str, currency: str, amount: str) -> None:
    found = list(page.find_amounts(text))

    assert [(found_value.currency, found_value.amount) for found_value in found] == [
        (currency, Decimal(amount))
    ]


@pytest.mark.parametrize(
    "text", ["am 12.02.2026", "um 18:22 Uhr", "2,69 %", "19.50 kWh", "Bon 004471"]
)
def test_dates_times_shares_and_quantities_are_no_amounts(text: str) -> None:
    assert not list(page.find_amounts(text))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Rechnungsnummer: R-2026-114208", "R-2026-114208"),
        ("Rechnungsnummer     442 871 9902", "442 871 9902"),
        ("IBAN DE17 2105 0170 0012 3456 78", "DE17 2105 0170 0012 3456 78"),
        ("USt-ID DE811204577", "DE811204577"),
        ("Invoice INV-SE-44718 follows", "INV-SE-44718"),
        ("Rechnung 26/118 vom 12.05.2026", "26/118"),
    ],
)
def test_a_number_is_found_as_it_is_written(text: str, number: str) -> None:
    assert [found.text for found in page.find_numbers(text)] == [number]


def test_years_amounts_and_short_numbers_are_no_numbers() -> None:
    assert not list(page.find_numbers("für das Jahr 2025: 4.302,00 EUR, 24 m, Mühlenweg 17"))


@pytest.mark.parametrize("number", ["DE811204577", "GB 288 4410 27", "NL004471882B01"])
def test_a_vat_id_is_recognised(number: str) -> None:
    assert page.is_vat_id(number)


def test_an_invoice_number_is_no_vat_id() -> None:
    assert not page.is_vat_id("R-2026-114208")


def test_an_organisation_is_found_by_its_legal_form() -> None:
    text = "Konto bei der Volksbank Ellerbach eG\nHandled by Marknad Online Ltd, Leeds"

    found = [(found_value.text, found_value.line) for found_value in page.find_organisations(text)]

    assert found == [
        ("Volksbank Ellerbach eG", "Konto bei der Volksbank Ellerbach eG"),
        ("Marknad Online Ltd", "Handled by Marknad Online Ltd, Leeds"),
    ]


@pytest.mark.parametrize(
    ("text", "recipient"),
    [
        ("Frau\nJana Albers\nMühlenweg 17", "Jana Albers"),
        ("Mr Owen Pascoe\n3 Harbour Terrace", "Owen Pascoe"),
        ("Sold to: Owen Pascoe", "Owen Pascoe"),
        ("Client            Pascoe Design Ltd, Plymouth", "Pascoe Design Ltd"),
        ("Verkäufer     Käufer\nTimm GmbH     Albers GmbH", "Albers GmbH"),
        ("Sold to       Faktura 11820\nOwen Pascoe   2026-07-28", "Owen Pascoe"),
    ],
)
def test_a_recipient_is_found_by_its_form_of_address_or_label(text: str, recipient: str) -> None:
    assert [found.text for found in page.find_recipients(text)] == [recipient]


def test_a_sentence_about_customers_names_no_recipient() -> None:
    assert not list(page.find_recipients("Customer service is open from nine to five"))


def test_the_first_line_of_an_address_is_an_addressee() -> None:
    text = "Rechnung\n\nJana Albers\nMühlenweg 17\n24619 Ellerbach\n\nMit freundlichen Grüßen\nSven"

    assert [found.text for found in page.find_addressees(text)] == ["Jana Albers"]


def test_a_name_is_found_as_whole_words_in_any_case() -> None:
    text = "Stadtwerke\nBRIGHTWATER ENERGY\nBrightwater Energy plc"

    assert page.find_name("Brightwater Energy Ltd", text) == "BRIGHTWATER ENERGY"
    assert page.find_name("Stadt", text) is None


def test_a_name_is_found_without_its_accents() -> None:
    assert page.find_name("Pharmacie du Môle", "PHARMACIE DU MOLE") == "PHARMACIE DU MOLE"


@pytest.mark.parametrize(
    ("name", "line"),
    [("St Petroc's School", "St Petroc Primary School"), ("Biomarkt", "Quittung")],
)
def test_the_line_nearest_to_a_name_has_most_of_its_words(name: str, line: str) -> None:
    text = "Quittung\nSchool uniform\nSt Petroc Primary School"

    assert page.find_nearest_line(name, text) == line


def test_a_name_within_a_longer_one_is_not_another_organisation() -> None:
    text = "Nordlicht Systeme Service GmbH\nMutterunternehmen: Nordlicht Systeme GmbH"

    line = page.find_other_lines("Nordlicht Systeme", ["Nordlicht Systeme Service"], text)

    assert line == "Mutterunternehmen: Nordlicht Systeme GmbH"
