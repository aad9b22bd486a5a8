"""What an e-invoice says about the fields of a document."""

from datetime import date
from decimal import Decimal

import pytest

from core.fields import DataType, Definition, FieldName, Money, Name, Value
from processor.analysis.e_invoice_values import (
    EInvoice,
    is_on_page,
    is_same,
    list_values,
    may_be_invoice,
)
from tests.builders import STADTWERKE, TELEKOM, a_definition

DAY, DUE = date(2026, 9, 9), date(2026, 9, 23)
TOTAL = Money(Decimal("128.52"), "EUR")
INVOICE = EInvoice("Harbour Cloud Ltd", "HC-88213", "EUR", Decimal("128.520"), date=DAY, due=DUE)
PAGE = """Harbour Cloud Ltd
Invoice number: HC-88213
September 9, 2026
Total due    EUR 128.52
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PAGE, True),
        ("Ihre Stromrechnung über 12,50 EUR", True),
        ("Gutschrift\n-3,00", True),
        ("Ihre Rechnung", False),
        ("Vertrag über 12,50 EUR im Monat", False),
        ("", False),
    ],
)
def test_an_invoice_is_recognized_by_a_word_and_an_amount(text: str, *, expected: bool) -> None:
    assert may_be_invoice(text) is expected


@pytest.mark.parametrize(
    ("definition", "value"),
    [
        (a_definition(name="Rechnungsnummer"), "HC-88213"),
        (a_definition(name="invoice number"), "HC-88213"),
        (a_definition(name="Kundennummer"), None),
        (a_definition(name="Note"), None),
        (a_definition(name="total", data_type=DataType.MONETARY), TOTAL),
        (a_definition(name="Betrag", data_type=DataType.MONETARY), TOTAL),
        (a_definition(name="Nettobetrag", data_type=DataType.MONETARY), None),
        (a_definition(name="Fällig am", data_type=DataType.DATE), DUE),
        (a_definition(name="Rechnungsdatum", data_type=DataType.DATE), DAY),
        (a_definition(name="Kaufdatum", data_type=DataType.DATE), None),
    ],
)
def test_custom_fields_are_recognized_by_their_names(definition: Definition, value: Value) -> None:
    values = list_values(INVOICE, STADTWERKE, [definition])

    assert values.pop(FieldName.DATE) == DAY
    assert values.pop(FieldName.CORRESPONDENT) == STADTWERKE
    assert values.get(definition.field) == value


def test_what_the_invoice_does_not_say_has_no_value() -> None:
    fields = [a_definition(), a_definition(8, "total", data_type=DataType.MONETARY)]

    assert list_values(EInvoice(total=Decimal(5)), None, fields) == {}


@pytest.mark.parametrize(
    ("value", "said", "expected"),
    [
        (STADTWERKE, STADTWERKE, True),
        (STADTWERKE, TELEKOM, False),
        (TELEKOM, Name(None, "Telekom Deutschland"), True),
        (TELEKOM, Name(None, "Stadtwerke Nord"), False),
        (DAY, DAY, True),
        (DAY, DUE, False),
        (TOTAL, TOTAL, True),
        (Money(Decimal("-128.52"), "EUR"), TOTAL, True),
        (Money(Decimal("128.52"), "USD"), TOTAL, False),
        (Money(Decimal("108.00"), "EUR"), TOTAL, False),
        ("HC 88213", "HC-88213", True),
        ("HC-88214", "HC-88213", False),
    ],
)
def test_a_value_is_compared_with_that_of_the_invoice(
    value: Value, said: Value, *, expected: bool
) -> None:
    assert is_same(value, said) is expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (Name(None, "Harbour Cloud Ltd"), True),
        (Name(None, "Oakline Furniture"), False),
        (DAY, True),
        (DUE, False),
        (TOTAL, True),
        (Money(Decimal("108.00"), "EUR"), False),
        ("HC-88213", True),
        ("HC-8821", False),
    ],
)
def test_the_page_must_show_what_the_invoice_says(said: Value, *, expected: bool) -> None:
    assert is_on_page(said, PAGE) is expected
