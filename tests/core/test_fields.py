"""Values of fields: when they are the same, and how they are stored."""

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.fields import FieldMode, FieldName, Name, NewNames, Value, same
from core.fields import value_from_json as from_json
from core.fields import value_to_json as to_json

DAY = date(2026, 10, 31)
names = st.builds(Name, st.none() | st.integers(min_value=1), st.text())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (None, None),
        ("Rechnung", "Rechnung"),
        (DAY, date(2026, 10, 31)),
        (Name(3, "Strom"), Name(3, "Strom")),
        (Name(3, "Strom"), Name(3, "Strom (renamed)")),
        (Name(None, "Strom"), Name(None, "Strom")),
    ],
)
def test_values_are_the_same_both_ways_round(one: Value, other: Value) -> None:
    assert same(one, other)
    assert same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Rechnung", None),
        ("Rechnung", "rechnung"),
        (DAY, date(2026, 11, 1)),
        (DAY, "2026-10-31"),
        (Name(3, "Strom"), Name(4, "Strom")),
        (Name(None, "Strom"), Name(None, "Gas")),
        (Name(3, "Strom"), "Strom"),
        (Name(3, "Strom"), None),
    ],
)
def test_values_differ_both_ways_round(one: Value, other: Value) -> None:
    assert not same(one, other)
    assert not same(other, one)


@given(st.none() | st.text() | st.dates() | names)
def test_a_stored_value_is_read_back_as_it_was(value: Value) -> None:
    stored = json.dumps(to_json(value))

    assert from_json(json.loads(stored)) == value


def test_a_text_that_looks_like_a_date_stays_a_text() -> None:
    assert from_json(to_json("2026-10-31")) == "2026-10-31"


@pytest.mark.parametrize(
    "data", [{}, {"name": "Strom"}, {"name": 3, "id": 3}, {"date": 5}, {"text": None}, {"id": 3}]
)
def test_what_is_no_stored_value_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="not a stored value"):
        from_json(data)


def test_a_name_is_shown_by_its_name() -> None:
    assert str(Name(3, "Strom")) == "Strom"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (FieldName, ["title", "correspondent", "document_type", "tags", "date"]),
        (FieldMode, ["off", "review", "fill", "replace"]),
        (NewNames, ["never", "review", "create"]),
    ],
)
def test_the_words_are_those_of_the_settings(
    words: type[FieldName | FieldMode | NewNames], expected: list[str]
) -> None:
    assert [str(word) for word in words] == expected
