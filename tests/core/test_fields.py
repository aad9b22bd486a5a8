"""Values of fields: when they are the same, and how they are stored."""

import json
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.fields import (
    CustomField,
    CustomFieldMissing,
    CustomFieldNotFillable,
    FieldMode,
    FieldName,
    Money,
    Name,
    NewNamePolicy,
    Option,
    Value,
    field_from_text,
    is_same_value,
    require_fillable,
)
from core.fields import value_from_json as from_json
from core.fields import value_to_json as to_json

DAY = date(2026, 10, 31)
names = st.builds(Name, st.none() | st.integers(min_value=1), st.text())


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (None, None),
        ("Rechnung", "Rechnung"),
        (DAY, date(2026, 10, 31)),
        (Name(3, "Strom"), Name(3, "Strom")),
        (Name(3, "Strom"), Name(3, "Strom (renamed)")),
        (Name(None, "Strom"), Name(None, "Strom")),
        (Option("a1", "open"), Option("a1", "open (renamed)")),
        (Money(Decimal("12.5"), "EUR"), Money(Decimal("12.50"), "EUR")),
    ],
)
def test_values_are_the_same_both_ways_round(value: Value, other: Value) -> None:
    assert is_same_value(value, other)
    assert is_same_value(other, value)


@pytest.mark.parametrize(
    ("value", "other"),
    [
        ("Rechnung", None),
        ("Rechnung", "rechnung"),
        (DAY, date(2026, 11, 1)),
        (DAY, "2026-10-31"),
        (Name(3, "Strom"), Name(4, "Strom")),
        (Name(None, "Strom"), Name(None, "Gas")),
        (Name(3, "Strom"), "Strom"),
        (Name(3, "Strom"), None),
        (Option("a1", "open"), Option("b2", "open")),
        (Money(Decimal("12.5"), "EUR"), Money(Decimal("12.5"), "GBP")),
        ("", None),
        (False, None),
    ],
)
def test_values_differ_both_ways_round(value: Value, other: Value) -> None:
    assert not is_same_value(value, other)
    assert not is_same_value(other, value)


@given(
    st.none()
    | st.text()
    | st.dates()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | names
    | st.builds(Option, st.text(), st.text())
    | st.builds(Money, st.decimals(allow_nan=False, places=2), st.text())
)
def test_a_stored_value_is_read_back_as_it_was(value: Value) -> None:
    stored = json.dumps(to_json(value))

    read = from_json(json.loads(stored))
    assert read == value
    assert type(read) is type(value)


def test_a_text_that_looks_like_a_date_stays_a_text() -> None:
    assert from_json(to_json("2026-10-31")) == "2026-10-31"


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"name": "Strom"},
        {"name": 3, "id": 3},
        {"date": 5},
        {"text": None},
        {"id": 3},
        {"amount": 5},
    ],
)
def test_what_is_no_stored_value_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="not a stored value"):
        from_json(data)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Name(3, "Strom"), "Strom"),
        (Option("a1", "open"), "open"),
        (Money(Decimal("12.5"), "EUR"), "12.50 EUR"),
        (Money(Decimal(-3)), "-3.00"),
    ],
)
def test_a_value_is_shown_in_words(value: Value, words: str) -> None:
    assert str(value) == words


@pytest.mark.parametrize(
    ("field", "text"),
    [
        (FieldName.DOCUMENT_TYPE, "document_type"),
        (CustomField(7, "Rechnungsnummer"), "custom_field:7:Rechnungsnummer"),
        (CustomField(7, "a:b\nc"), "custom_field:7:a:b\nc"),
        (CustomField(7, ""), "custom_field:7"),
    ],
)
def test_a_field_is_read_from_its_text(field: FieldName | CustomField, text: str) -> None:
    read = field_from_text(text)

    assert read == field
    assert str(read) == str(field)


@pytest.mark.parametrize("text", ["", "colour", "custom_field:x", "custom_field", "Title"])
def test_what_is_no_field_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a valid FieldName"):
        field_from_text(text)


def test_a_custom_field_that_was_renamed_is_the_same_field() -> None:
    assert CustomField(7, "Nummer") == CustomField(7, "Rechnungsnummer")
    assert len({CustomField(7, "Nummer"), CustomField(7, "Rechnungsnummer")}) == 1
    assert CustomField(7, "Nummer") != CustomField(8, "Nummer")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (FieldName, ["title", "correspondent", "document_type", "tags", "date", "storage_path"]),
        (FieldMode, ["off", "review", "fill", "replace"]),
        (NewNamePolicy, ["never", "review", "create"]),
    ],
)
def test_the_words_are_those_of_the_settings(
    words: type[FieldName | FieldMode | NewNamePolicy], expected: list[str]
) -> None:
    assert [str(word) for word in words] == expected


TYPES = {"Invoice number": "string", "Belongs to": "documentlink", "Mood": "emoji"}


def test_fields_that_exist_and_can_be_filled_pass() -> None:
    require_fillable(["Invoice number"], TYPES)
    require_fillable([], {})


def test_all_fields_that_do_not_exist_are_named_with_what_was_probably_meant() -> None:
    with pytest.raises(CustomFieldMissing) as error:
        require_fillable(["invoice number", "Colour", "Mood"], TYPES)

    assert str(error.value) == (
        'no such custom field in Paperless: "invoice number" - did you mean "Invoice number"?, '
        '"Colour"'
    )
    assert "fields.custom_fields" in error.value.hint


def test_all_fields_that_cannot_be_filled_are_named_with_their_type() -> None:
    with pytest.raises(CustomFieldNotFillable) as error:
        require_fillable(["Invoice number", "Belongs to", "Mood"], TYPES)

    assert str(error.value) == (
        'cannot be filled from a document: "Belongs to" is of type documentlink, '
        '"Mood" is of type emoji'
    )
    assert "monetary" in error.value.hint
