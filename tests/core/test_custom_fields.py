"""Custom fields of the config against those of Paperless."""

import pytest

from core.custom_fields import CustomFieldMissing, CustomFieldNotFillable, require_fillable

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
