"""Other values for a field, from the text, the names in use, and earlier documents."""

from dataclasses import replace
from datetime import date

import pytest

from actions.documents import DocumentSnapshot
from actions.own_values import MAX_ALTERNATIVES, find_alternatives
from core.fields import CustomField, DataType, Definition, Field, FieldName, Name, Option, Value
from processor.names.catalogue import NamesInUse
from processor.reconcile import CurrentValues

TEXT = """Stadtwerke Musterstadt
Rechnung vom 31.10.2026, fällig am 14.11.2026, für 01.10.2026 bis 31.10.2026
Rechnungsbetrag 110,09 EUR, netto 92,51 EUR, Zahlungsart Lastschrift
"""
WORKS, TELECOM, BANK = Name(1, "Stadtwerke Musterstadt"), Name(2, "Telekontakt"), Name(3, "Bank")
INVOICE, REMINDER = Name(4, "Rechnung"), Name(5, "Mahnung")
POWER, HOME, SECRET, INBOX = Name(6, "Strom"), Name(7, "Wohnen"), Name(8, "Geheim"), Name(9, "Neu")
AMOUNT = CustomField(1, "Betrag")
PAID = CustomField(2, "Zahlungsart")
NAMES = NamesInUse(
    {
        FieldName.CORRESPONDENT: (WORKS, TELECOM, BANK),
        FieldName.DOCUMENT_TYPE: (INVOICE, REMINDER),
        FieldName.TAGS: (POWER, HOME, SECRET, INBOX),
        FieldName.STORAGE_PATH: (),
    },
    parents={},
)


def _values(tags: tuple[Name, ...] = (), **values: Value) -> CurrentValues:
    by_field: dict[Field, Value] = {FieldName(name): value for name, value in values.items()}
    return CurrentValues(by_field, frozenset(tags), frozenset())


SNAPSHOT = DocumentSnapshot(
    TEXT,
    _values((INBOX,), correspondent=None, date=date(2026, 11, 3)),
    NAMES,
    (
        Definition(AMOUNT, DataType.MONETARY, currency="EUR"),
        Definition(PAID, DataType.SELECT, (Option("a", "Bar"), Option("b", "Lastschrift"))),
    ),
    earlier=(
        _values((POWER, HOME, SECRET), document_type=REMINDER),
        _values((POWER, HOME), document_type=INVOICE),
        _values((POWER,), document_type=INVOICE),
    ),
    reserved_tags=frozenset({SECRET.name}),
)


@pytest.mark.parametrize(
    ("field", "suggested", "expected"),
    [
        (FieldName.DATE, [date(2026, 10, 31)], ("2026-11-14", "2026-10-01")),
        (FieldName.CORRESPONDENT, [TELECOM], (WORKS.name,)),
        (FieldName.CORRESPONDENT, [Name(None, "Telekontakte")], (TELECOM.name, WORKS.name)),
        (FieldName.DOCUMENT_TYPE, [], (INVOICE.name, REMINDER.name)),
        (FieldName.DOCUMENT_TYPE, [INVOICE], (REMINDER.name,)),
        (FieldName.TAGS, [HOME], (POWER.name,)),
        (PAID, [], ("Lastschrift", "Bar")),
        (FieldName.TITLE, ["Stromrechnung"], ()),
    ],
)
def test_what_is_known_is_offered_but_neither_suggested_nor_there(
    field: Field, suggested: list[Value], expected: tuple[str, ...]
) -> None:
    found = find_alternatives(field, suggested, SNAPSHOT)

    assert sorted(found) == sorted(expected)


def test_amounts_in_the_text_are_offered_for_a_field_of_money() -> None:
    assert find_alternatives(AMOUNT, [], SNAPSHOT) == ("110.09 EUR", "92.51 EUR")


def test_an_amount_keeps_the_currency_in_the_column_before_it() -> None:
    snapshot = replace(SNAPSHOT, text="Heat pump    GBP  7,900.00\nCARD 14.50\n")

    assert find_alternatives(AMOUNT, [], snapshot) == ("7900.00 GBP", "14.50 EUR")


@pytest.mark.parametrize(
    "line",
    [
        "Meter reading 12,345.67",
        "Verbrauch 2.345,67",
        "312.50 kWh",
        "at 28.34p per unit",
        "28.34 pence",
        "0.2834 per unit",
        "VAT 20.00%",
        "12.345",
    ],
)
def test_a_reading_a_quantity_or_a_price_in_pence_is_no_amount(line: str) -> None:
    snapshot = replace(SNAPSHOT, text=f"{line}\nTotal 110.09\nTo pay £111.00\n")

    assert find_alternatives(AMOUNT, [], snapshot) == ("111.00 GBP", "110.09 EUR")


def test_the_most_common_value_of_earlier_documents_comes_first() -> None:
    assert find_alternatives(FieldName.DOCUMENT_TYPE, [], SNAPSHOT)[0] == INVOICE.name


def test_only_a_few_are_offered() -> None:
    days = " ".join(f"{day:02}.01.2026" for day in range(1, 29))
    snapshot = DocumentSnapshot(days, _values(date=None), NAMES)

    assert len(find_alternatives(FieldName.DATE, [], snapshot)) == MAX_ALTERNATIVES
