"""Which field a person means."""

import pytest

from actions.decisions import BadValue, Edits, resolve_edits, resolve_field, resolve_fields
from core.fields import CustomField, Field, FieldName

NUMBER, DATE, KIND, TWIN = (
    CustomField(7, "Rechnungsnummer"),
    CustomField(8, "date"),
    CustomField(9, "Art"),
    CustomField(10, "ART"),
)
AMONG = (FieldName.TITLE, NUMBER, DATE, KIND, TWIN, NUMBER)


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ("title", FieldName.TITLE),
        ("tags", FieldName.TAGS),
        (" Rechnungsnummer ", NUMBER),
        ("rechnungsnummer", NUMBER),
        ("date", FieldName.DATE),
        ("custom_field:8", DATE),
        ("custom_field:8:whatever it was called", DATE),
        ("Art", KIND),
        ("ART", TWIN),
    ],
)
def test_a_field_is_meant_by_its_name_or_its_number(typed: str, field: Field) -> None:
    assert resolve_field(typed, AMONG) == field


@pytest.mark.parametrize("typed", ["colour", "", "art", "custom_field:11", "Title"])
def test_a_name_that_means_no_field_is_reported_with_those_that_there_are(typed: str) -> None:
    with pytest.raises(BadValue) as error:
        resolve_field(typed, AMONG)

    assert str(error.value).startswith(f'"{typed}" is not a field; available: title, correspondent')
    assert str(error.value).endswith("Rechnungsnummer, date, Art, ART")


def test_no_names_mean_all_fields() -> None:
    assert resolve_fields(None, AMONG) is None
    assert resolve_fields(["Art", "title"], AMONG) == frozenset[Field]({KIND, FieldName.TITLE})


def test_typed_edits_become_edits_of_waiting_fields() -> None:
    expected: Edits[Field] = Edits({NUMBER: "RE-1"}, frozenset({FieldName.TITLE}))

    edits = resolve_edits(Edits({"rechnungsnummer": "RE-1"}, frozenset({"title"})), AMONG)

    assert edits == expected
