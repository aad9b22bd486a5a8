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


def doubts(value: Value, evidence: str, *, name: str = "Feld", text: str = LETTER) -> set[str]:
    suggestion = a_suggestion(CustomField(7, name), str(value), evidence=evidence)
    return set(run_checks(suggestion, value, a_source(text)).failures)


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
    ],
)
def test_a_currency_that_the_document_does_not_name_is_doubted(
    currency: str, text: str, *, doubted: bool
) -> None:
    found = doubts(Money(Decimal("12.50"), currency), "Betrag 12,50", text=text)

    assert found == ({CheckFailure.CURRENCY_NOT_IN_TEXT} if doubted else set())


def test_a_date_of_a_custom_field_may_be_due_or_long_ago_but_must_stand_there() -> None:
    due = date(2099, 12, 14)
    own = run_checks(
        a_suggestion(FieldName.DATE, "x", evidence="am 14.12.2099"), due, a_source(LETTER)
    )

    assert CheckFailure.DATE_IN_FUTURE in own.failures
    assert doubts(due, "Rechnungsbetrag 1.100,94 EUR") == {CheckFailure.DATE_NOT_IN_EVIDENCE}
    assert CheckFailure.DATE_NOT_IN_TEXT in doubts(TODAY, "fällig am 14.12.2099")


def test_without_figures_no_currency_is_known() -> None:
    assert NumberFormat() == NumberFormat(frozenset(), "")
