"""What is said about a custom field, read as a value of its type."""

from datetime import date
from decimal import Decimal

import pytest

from core.fields import CustomField, DataType, Definition, Money, Option, Value
from processor.analysis.custom_values import read_custom_value
from tests.builders import a_definition

OPEN, PAID, BOTH = Option("a1", "offen"), Option("b2", "Bezahlt"), Option("c3", "BEZAHLT")
DAY = date(2026, 9, 14)


@pytest.mark.parametrize(
    ("data_type", "said", "value"),
    [
        (DataType.STRING, "  RE-2026\n17 ", "RE-2026 17"),
        (DataType.STRING, "x" * 128, "x" * 128),
        (DataType.STRING, "x" * 129, None),
        (DataType.STRING, "   ", None),
        (DataType.LONGTEXT, "x" * 1000, "x" * 1000),
        (DataType.URL, "https://example.org/a?b=c", "https://example.org/a?b=c"),
        (DataType.URL, "http://example.org", "http://example.org"),
        (DataType.URL, "HTTPS://example.org", "HTTPS://example.org"),
        (DataType.URL, "www.example.org", "https://www.example.org"),
        (DataType.URL, "example.org", None),
        (DataType.URL, "javascript:alert(1)", None),
        (DataType.URL, "ftp://example.org", None),
        (DataType.URL, "file:///etc/passwd", None),
        (DataType.URL, "https://", None),
        (DataType.URL, "https://localhost", None),
        (DataType.URL, "https://[", None),
        (DataType.URL, "https://example.org/a b", None),
        (DataType.URL, "https://example.org/" + "x" * 180, "https://example.org/" + "x" * 180),
        (DataType.URL, "https://example.org/" + "x" * 181, None),
        (DataType.DATE, "2026-09-14", DAY),
        (DataType.DATE, "14. September 2026", DAY),
        (DataType.DATE, "31.02.2026", None),
        (DataType.DATE, "soon", None),
        (DataType.BOOLEAN, "Yes", True),
        (DataType.BOOLEAN, "true", True),
        (DataType.BOOLEAN, "ja.", True),
        (DataType.BOOLEAN, "oui", True),
        (DataType.BOOLEAN, "1", True),
        (DataType.BOOLEAN, "nein", False),
        (DataType.BOOLEAN, "non", False),
        (DataType.BOOLEAN, "nee", False),
        (DataType.BOOLEAN, "FALSE", False),
        (DataType.BOOLEAN, "0", False),
        (DataType.BOOLEAN, "perhaps", None),
        (DataType.BOOLEAN, "yes and no", None),
        (DataType.INTEGER, "42", 42),
        (DataType.INTEGER, "-3", -3),
        (DataType.INTEGER, "1.234", 1234),
        (DataType.INTEGER, "1.000", 1000),
        (DataType.INTEGER, "12,0", 12),
        (DataType.INTEGER, "12,5", None),
        (DataType.INTEGER, "2147483647", 2147483647),
        (DataType.INTEGER, "2147483648", None),
        (DataType.INTEGER, "many", None),
        (DataType.FLOAT, "1,5", 1.5),
        (DataType.FLOAT, "1234.5", 1234.5),
        (DataType.FLOAT, "1.234", 1.234),
        (DataType.FLOAT, "1,234", 1234.0),
        (DataType.FLOAT, "nan", None),
        (DataType.FLOAT, "inf", None),
        (DataType.MONETARY, "1.234,56 €", Money(Decimal("1234.56"), "EUR")),
        (DataType.MONETARY, "1234.56", Money(Decimal("1234.56"), "CHF")),
        (DataType.MONETARY, "much", None),
        (DataType.SELECT, "offen", OPEN),
        (DataType.SELECT, " OFFEN ", OPEN),
        (DataType.SELECT, "Bezahlt", PAID),
        (DataType.SELECT, "bezahlt", None),
        (DataType.SELECT, "a1", None),
        (DataType.SELECT, "storniert", None),
        (DataType.SELECT, "!", None),
    ],
)
def test_a_value_is_read_by_its_type_or_not_at_all(
    data_type: DataType, said: str, value: Value
) -> None:
    known = a_definition(data_type=data_type, options=(OPEN, PAID, BOTH), currency="CHF")

    read = read_custom_value(said, known)

    assert read == value
    assert type(read) is type(value)


def test_every_type_can_be_read() -> None:
    read = {kind: read_custom_value("1", a_definition(data_type=kind)) for kind in DataType}

    assert (read[DataType.STRING], read[DataType.INTEGER]) == ("1", 1)


@pytest.mark.parametrize(
    ("name", "said", "value"),
    [
        ("Rechnungsnummer", "Rechnung 181301674", "181301674"),
        ("invoice number", "Invoice no. CS-44", "CS-44"),
        ("Rechnungsnummer", "RE 2026 17", "RE 2026 17"),
        ("Projekt", "Rechnung 181301674", "Rechnung 181301674"),
    ],
)
def test_words_before_a_number_are_no_part_of_it(name: str, said: str, value: str) -> None:
    definition = Definition(CustomField(7, name), DataType.STRING)

    assert read_custom_value(said, definition) == value
