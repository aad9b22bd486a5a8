"""Built-in fields fit the shapes of Paperless; custom values are as it sends and takes them."""

from dataclasses import fields
from datetime import date
from decimal import Decimal

import pytest
from pydantic import JsonValue

from core.fields import NAMED_FIELDS, DataType, FieldName, Money, Name, Option, Value
from paperless_client import CustomFieldValue, DocumentFields, DocumentPatch
from processor.fields import BUILT_IN_FIELDS, parse_custom_values, serialize_custom_value
from processor.names.catalogue import NAME_KINDS
from tests.builders import a_definition

NAMES = sorted(NAMED_FIELDS)


@pytest.mark.parametrize("field", FieldName)
def test_the_key_of_a_field_is_read_and_written(field: FieldName) -> None:
    key = BUILT_IN_FIELDS[field].key

    assert key in DocumentFields.model_fields
    assert key in {attribute.name for attribute in fields(DocumentPatch)}


def test_exactly_the_named_fields_have_a_kind_of_names() -> None:
    assert NAME_KINDS.keys() == NAMED_FIELDS


@pytest.mark.parametrize(
    ("field", "value", "sent"),
    [
        (FieldName.TITLE, "Stromrechnung", "Stromrechnung"),
        (FieldName.DATE, date(2026, 10, 31), date(2026, 10, 31)),
        *[(field, Name(4, "Stadtwerke"), 4) for field in NAMES],
        *[(field, None, None) for field in NAMES],
    ],
)
def test_a_value_is_sent_as_paperless_takes_it(
    field: FieldName, value: Value, sent: object
) -> None:
    assert BUILT_IN_FIELDS[field].to_paperless(value) == sent


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (FieldName.TITLE, None),
        (FieldName.TITLE, date(2026, 10, 31)),
        (FieldName.TITLE, Name(4, "Stadtwerke")),
        (FieldName.DATE, None),
        (FieldName.DATE, "2026-10-31"),
        *[(field, "Stadtwerke") for field in NAMES],
    ],
)
def test_a_value_of_another_type_is_refused(field: FieldName, value: Value) -> None:
    with pytest.raises(TypeError, match="cannot be set to"):
        BUILT_IN_FIELDS[field].to_paperless(value)


OPEN = Option("a1", "offen")


@pytest.mark.parametrize(
    ("data_type", "raw", "value"),
    [
        (DataType.STRING, "RE-1", "RE-1"),
        (DataType.LONGTEXT, "a\nb", "a\nb"),
        (DataType.URL, "https://example.org", "https://example.org"),
        (DataType.DATE, "2026-09-14", date(2026, 9, 14)),
        (DataType.BOOLEAN, False, False),
        (DataType.INTEGER, 5, 5),
        (DataType.FLOAT, 1.5, 1.5),
        (DataType.MONETARY, "EUR12.50", Money(Decimal("12.50"), "EUR")),
        (DataType.MONETARY, "EUR-12.50", Money(Decimal("-12.50"), "EUR")),
        (DataType.SELECT, "a1", OPEN),
    ],
)
def test_a_value_is_read_and_sent_as_it_was(
    data_type: DataType, raw: JsonValue, value: Value
) -> None:
    known = a_definition(data_type=data_type, options=(OPEN,), currency="CHF")

    read = parse_custom_values([CustomFieldValue(field=7, value=raw)], [known])

    assert read == {known.field: value}
    assert type(read[known.field]) is type(value)
    assert serialize_custom_value(value) == raw


@pytest.mark.parametrize(
    ("data_type", "raw", "value"),
    [
        (DataType.FLOAT, 2, 2.0),
        (DataType.MONETARY, "12.5", Money(Decimal("12.5"), "CHF")),
        (DataType.SELECT, "gone", Option("gone", "#gone")),
        (DataType.STRING, None, ""),
        (DataType.DATE, "", ""),
        (DataType.DATE, "soon", "soon"),
        (DataType.MONETARY, "12,50 €", "12,50 €"),
        (DataType.INTEGER, "many", "many"),
        (DataType.BOOLEAN, [1], "[1]"),
    ],
)
def test_what_does_not_fit_its_type_stays_a_text(
    data_type: DataType, raw: JsonValue, value: Value
) -> None:
    known = a_definition(data_type=data_type, currency="CHF")

    assert parse_custom_values([CustomFieldValue(field=7, value=raw)], [known]) == {
        known.field: value
    }


def test_a_field_that_the_document_does_not_have_has_no_value() -> None:
    known = a_definition()

    assert parse_custom_values([CustomFieldValue(field=8, value="x")], [known]) == {
        known.field: None
    }


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ("", None),
        (None, None),
        (Money(Decimal("1234.5"), "EUR"), "EUR1234.50"),
        (Money(Decimal(3)), "3.00"),
    ],
)
def test_a_value_is_sent_in_the_one_form_that_every_paperless_takes(
    value: Value, sent: JsonValue
) -> None:
    assert serialize_custom_value(value) == sent


def test_a_name_is_no_value_of_a_custom_field() -> None:
    with pytest.raises(TypeError):
        serialize_custom_value(Name(1, "Strom"))
