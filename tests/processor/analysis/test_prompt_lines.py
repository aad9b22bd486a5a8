"""Hints at frequent mistakes, and the form of the answer."""

import json

import pytest

from core.calendar import DateOrder
from core.custom_fields import DataType
from core.fields import CustomField, Field, FieldName
from processor.analysis.prompt_lines import form_line, hint_lines

NUMBER = CustomField(7, "Rechnungsnummer")


@pytest.mark.parametrize(
    ("fields", "types", "hints"),
    [
        ([FieldName.TITLE], [], []),
        ([FieldName.TITLE], [DataType.STRING], []),
        ([FieldName.DATE], [], ["swapped", "vom", "credit note"]),
        ([FieldName.TITLE], [DataType.DATE], ["swapped"]),
        ([FieldName.TITLE], [DataType.MONETARY], ["several amounts", "credit note"]),
        (
            [FieldName.DATE],
            [DataType.MONETARY],
            ["swapped", "vom", "several amounts", "credit note"],
        ),
    ],
)
def test_there_is_a_line_for_each_mistake_that_the_fields_allow(
    fields: list[FieldName], types: list[DataType], hints: list[str]
) -> None:
    lines = hint_lines(fields, types, DateOrder.DOCUMENT).splitlines()

    assert len(lines) == len(hints)
    assert all(hint in line for hint, line in zip(hints, lines, strict=True))


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (DateOrder.DOCUMENT, "the other dates of the document show which comes first;"),
        (DateOrder.DAY_FIRST, "the day comes first unless"),
        (DateOrder.MONTH_FIRST, "the month comes first unless"),
    ],
)
def test_the_order_of_day_and_month_is_the_one_that_is_set(order: DateOrder, said: str) -> None:
    assert said in hint_lines([FieldName.DATE], [], order)


@pytest.mark.parametrize(
    ("fields", "keys"),
    [
        ([FieldName.TITLE, FieldName.DATE, FieldName.TAGS], ["title", "tags"]),
        ([FieldName.TAGS], ["tags"]),
        ([NUMBER], ["custom_field_7"]),
    ],
)
def test_the_form_of_the_answer_is_shown_by_keys_that_are_asked_for(
    fields: list[Field], keys: list[str]
) -> None:
    example = json.loads(form_line(fields).partition(": ")[2])

    assert list(example) == keys
    assert all(isinstance(value, list) == (key == "tags") for key, value in example.items())
