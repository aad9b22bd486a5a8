"""Format a reading as the requested JSON."""

from collections.abc import Mapping

from sandbox.model.finding import Finding, Reading
from sandbox.model.question import FIELDS, Question, Schema

_MAX_QUOTE_LENGTH = 100
_NOTHING = Finding("", "", 0.0)
_SIMPLE: Mapping[str, object] = {
    "string": "ok",
    "boolean": True,
    "integer": 1,
    "number": 1.0,
    "array": [],
}


def build_answer(reading: Reading, question: Question) -> dict[str, object]:
    """Return a value for each requested field, and any valid value for other keys."""
    if question.schema is None:
        keys = (*question.fields, *_custom_keys(question))
        return {name: _field(reading, name, {}) for name in keys}
    properties = _dict(question.schema.get("properties"))
    return {
        name: _field(reading, name, _dict(shape))
        if question.text is not None and (name in FIELDS or name in _custom_keys(question))
        else smallest(_dict(shape), question.schema)
        for name, shape in properties.items()
    }


def smallest(shape: Schema, root: Schema) -> object:
    """Return the smallest value that is valid for a schema, for a question without a document."""
    match shape:
        case {"$ref": str(place)}:
            return smallest(_resolved(place, root), root)
        case {"enum": [first, *_]}:
            return first
        case {"anyOf": [first, *_]}:
            return smallest(_dict(first), root)
        case {"type": [str(first), *_]}:
            return smallest({**shape, "type": first}, root)
        case {"properties": dict(properties)}:
            return {name: smallest(_dict(part), root) for name, part in properties.items()}
    return _SIMPLE.get(str(shape.get("type")))


def _field(reading: Reading, name: str, shape: Schema) -> object:
    if name == "tags":
        return [_item(tag) for tag in reading.tags]
    found = getattr(reading, name) if name in FIELDS else reading.custom.get(name)
    return _item_or_nothing(found, shape)


def _custom_keys(question: Question) -> list[str]:
    return [field.key for field in question.custom]


def _item_or_nothing(finding: Finding | None, shape: Schema) -> object:
    if finding is not None:
        return _item(finding)
    # A strict schema may not allow null; then an empty value stands for nothing.
    return _NOTHING.as_json() if shape.get("type") == "object" else None


def _item(finding: Finding) -> dict[str, object]:
    return {**finding.as_json(), "evidence": finding.evidence[:_MAX_QUOTE_LENGTH].rstrip()}


def _resolved(place: str, root: Schema) -> Schema:
    found: object = root
    for key in place.removeprefix("#/").split("/"):
        found = _dict(found).get(key)
    return _dict(found)


def _dict(data: object) -> Schema:
    return data if isinstance(data, dict) else {}
