"""Numbers and amounts as people write them."""

from decimal import Decimal

import pytest

from core.fields import Money
from processor.analysis.numbers import (
    NumberFormat,
    find_currencies,
    numbers_in,
    parse_money,
    parse_number,
    resolve_currencies,
)


@pytest.mark.parametrize(
    ("text", "meanings"),
    [
        ("42", {"42"}),
        ("1.234,56", {"1234.56"}),
        ("1,234.56", {"1234.56"}),
        ("1 234,56", {"1234.56"}),
        ("1'234.50", {"1234.50"}),
        ("1\u00a0234,56", {"1234.56"}),
        ("1.234.567", {"1234567"}),
        ("1.234.567,89", {"1234567.89"}),
        ("12,5", {"12.5"}),
        ("0.123", {"0.123"}),
        ("1.234", {"1234", "1.234"}),
        ("12,500", {"12500", "12.500"}),
        ("-12,50", {"-12.50"}),
        ("- 12,50", {"-12.50"}),
        ("\u221212,50", {"-12.50"}),
        ("12,50-", {"-12.50"}),
        ("12,--", {"12"}),
        ("12,- EUR", {"12"}),
        ("EUR12.50", {"12.50"}),
        ("12.50.", {"12.50"}),
        ("31.08.2026", set()),
        ("1.234.56", set()),
        ("12 of 13", set()),
        ("218 kWh", {"218"}),
        ("19 %", {"19"}),
        ("about 12 or so", set()),
        ("alert(1)", set()),
        ("31.02. 5", set()),
        ("none", set()),
        ("1234567890123456", set()),
        ("١٢", set()),
    ],
)
def test_a_number_is_read_in_every_way_that_it_can_be_meant(text: str, meanings: set[str]) -> None:
    assert parse_number(text) == {Decimal(meaning) for meaning in meanings}


@pytest.mark.parametrize("text", ["3,95 500 kWh", "1.234,56 789", "12.5 100 200 Stück"])
def test_three_digits_after_a_price_are_another_number(text: str) -> None:
    assert parse_number(text) == set()
    assert NumberFormat.detect(text).currencies == frozenset()


def test_a_price_before_three_digits_is_found() -> None:
    found = {number for meanings in numbers_in("3,95 500 kWh") for number in meanings}

    assert found == {Decimal("3.95"), Decimal(500)}


def test_a_space_may_stand_within_a_number_or_between_two() -> None:
    found = {number for meanings in numbers_in("2 100,94") for number in meanings}

    assert found == {Decimal("2100.94"), Decimal(2), Decimal("100.94")}


@pytest.mark.parametrize(
    ("mark", "meaning"), [(",", "1234"), (".", "1.234"), ("", None)], ids=["comma", "point", "?"]
)
def test_the_rest_of_a_document_says_what_a_lone_mark_means(mark: str, meaning: str | None) -> None:
    found = set(numbers_in("1.234 kWh", mark))

    both = frozenset({Decimal(1234), Decimal("1.234")})
    assert found == {both if meaning is None else frozenset({Decimal(meaning)})}


@pytest.mark.parametrize(
    ("text", "money"),
    [
        ("1.234,56 EUR", Money(Decimal("1234.56"), "EUR")),
        ("€1,234.56", Money(Decimal("1234.56"), "EUR")),
        ("1.234,56 €", Money(Decimal("1234.56"), "EUR")),
        ("EUR 12", Money(Decimal(12), "EUR")),
        ("£9.99", Money(Decimal("9.99"), "GBP")),
        ("US$ 5.00", Money(Decimal(5), "USD")),
        ("C$ 5.00", Money(Decimal(5), "CAD")),
        ("$ 5.00", Money(Decimal(5))),
        ("RM 5.00", Money(Decimal(5), "MYR")),
        ("kr 5,00", Money(Decimal(5), "NOK")),
        ("5,00 kr", Money(Decimal(5), "NOK")),
        ("¥ 5", Money(Decimal(5))),
        ("12 Euro", Money(Decimal(12), "EUR")),
        ("CHF 1'200.00", Money(Decimal(1200), "CHF")),
        ("XAF 100", Money(Decimal(100), "XAF")),
        ("-3,20 EUR", Money(Decimal("-3.20"), "EUR")),
        ("3.500", Money(Decimal(3500), "NOK")),
        ("12.5", Money(Decimal("12.5"), "NOK")),
        ("12.50", Money(Decimal("12.50"), "NOK")),
        ("0,123 EUR", None),
        ("EUR 12.50 or USD 13.60", None),
        ("EUR 12.50 USD", None),
        ("10 - 20 EUR", None),
        ("free of charge", None),
        ("Betrag 12 EUR", None),
        ("<b>12</b> EUR", None),
        ("12 US dollars", Money(Decimal(12), "USD")),
        ("12.50 Eur.", Money(Decimal("12.50"), "EUR")),
    ],
)
def test_an_amount_is_in_the_currency_that_it_names_or_in_the_usual_one(
    text: str, money: Money | None
) -> None:
    assert parse_money(text, currency="NOK") == money


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Betrag 12 €", {"EUR"}),
        ("EUR brutto", {"EUR"}),
        ("euros", {"EUR"}),
        ("pounds, GBP and £", {"GBP"}),
        ("US$ 5", {"USD"}),
        ("5 zł, 3 Kč", {"PLN", "CZK"}),
        ("TRY ALL THAT TOP OFFER", set()),
        ("TRY 12.50 or 3 TOP", {"TRY", "TOP"}),
        ("RM 5 and Rm.", {"MYR"}),
        ("Europa, neuro", set()),
    ],
)
def test_currencies_are_known_by_code_and_sign(text: str, codes: set[str]) -> None:
    assert resolve_currencies(find_currencies(text), ()) == codes


@pytest.mark.parametrize(
    ("text", "usual", "codes"),
    [
        ("$ 5.00", "EUR", set()),
        ("$ 5.00", "CAD", {"CAD"}),
        ("$ 5.00, all prices in AUD", "CAD", {"AUD"}),
        ("kr 5,00", "EUR", set()),
        ("5,00 kr", "SEK", {"SEK"}),
        ("¥500", "JPY", {"JPY"}),
    ],
)
def test_a_sign_of_several_currencies_is_the_usual_one_of_them(
    text: str, usual: str, codes: set[str]
) -> None:
    assert NumberFormat.detect(text, usual=[usual]).currencies == codes


def test_what_a_document_takes_for_granted_is_said_by_its_owner() -> None:
    assert NumberFormat.detect("12,50 EUR", usual=["GBP"]).currencies == {"EUR"}
    assert NumberFormat.detect("12,50", usual=["GBP", ""]).currencies == {"GBP"}


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("12,50 und 1.234,56", ","),
        ("12.50 and 1,234.56", "."),
        ("3,00 4,00 5,00 6,00 am 05.10. ab", ","),
        ("12,50 or 12.50", ""),
        ("§ 4.1 und 5.2", ""),
        ("kein Preis", ""),
    ],
)
def test_the_mark_before_decimals_is_what_most_prices_have(text: str, mark: str) -> None:
    assert NumberFormat.detect(text).decimal_mark == mark


def test_the_country_shows_the_currency_of_a_text_that_names_none() -> None:
    assert NumberFormat.detect("ABN 55 118  Total 135.80", usual=["EUR"]).currencies == {"AUD"}
    assert NumberFormat.detect("Rs.   7,148.00 GSTIN 27A", usual=["EUR"]).currencies == {"INR"}
    assert NumberFormat.detect("Total 135.80", usual=["EUR"]).currencies == {"EUR"}


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("1.234,-", "1234"),
        ("CHF 2'349.–", "2349"),
        ("199:-", "199"),
        ("1 234:50 kr", "1234.50"),
        ("1`234.50", "1234.50"),
        ("1,23,456.00", "123456.00"),
    ],
)
def test_regional_notations_have_one_meaning(text: str, amount: str) -> None:
    assert parse_number(text) == {Decimal(amount)}
