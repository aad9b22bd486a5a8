from typing import Any

import pytest

from sandbox.model.answers import build_answer, smallest
from sandbox.model.finding import Finding, Reading
from sandbox.model.question import Question
from tests.sandbox.model.prompts import a_schema


def test_each_field_asked_for_has_its_key_and_no_other_has() -> None:
    reading = Reading(title=Finding("T", "t", 0.9), tags=(Finding("A", "a", 0.8),))

    answer = build_answer(reading, Question("text", fields=("title", "tags", "date")))

    assert answer == {
        "title": {"value": "T", "evidence": "t", "confidence": 0.9},
        "tags": [{"value": "A", "evidence": "a", "confidence": 0.8}],
        "date": None,
    }


def test_a_schema_without_room_for_null_gets_an_empty_value() -> None:
    schema = a_schema(["correspondent", "document_type"])

    answer = build_answer(Reading(), Question("text", schema=schema))

    nothing = {"value": "", "evidence": "", "confidence": 0.0}
    assert answer == {"correspondent": nothing, "document_type": nothing}


def test_quotes_are_kept_short() -> None:
    answer: Any = build_answer(Reading(date=Finding("x", "q" * 200, 0.9)), Question("text"))

    assert answer["date"]["evidence"] == "q" * 100


def test_a_question_without_a_document_gets_what_fits_its_schema() -> None:
    schema = {"properties": {"ok": {"type": "boolean"}, "title": {"type": "string"}}}

    assert build_answer(Reading(), Question(None, schema=schema)) == {"ok": True, "title": "ok"}


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        ({"type": "string"}, "ok"),
        ({"type": "array"}, []),
        ({"type": ["integer", "null"]}, 1),
        ({"enum": ["yes", "no"]}, "yes"),
        ({"anyOf": [{"type": "number"}, {"type": "null"}]}, 1.0),
        ({"$ref": "#/$defs/Part"}, {"a": True}),
        ({"$ref": "#/$defs/Missing"}, None),
        ({"type": "null"}, None),
    ],
)
def test_the_smallest_value_fits_its_shape(shape: dict[str, object], value: object) -> None:
    root = {"$defs": {"Part": {"properties": {"a": {"type": "boolean"}}}}}

    assert smallest(shape, root) == value
