"""The table of the built-in fields fits the shapes that Paperless reads and writes."""

from dataclasses import fields
from datetime import date

import pytest

from core.fields import NAMED_FIELDS, FieldName, Name, Value
from paperless_client import DocumentFields, DocumentPatch
from processor.fields import BUILT_IN_FIELDS
from processor.names.catalogue import NAME_KINDS

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
