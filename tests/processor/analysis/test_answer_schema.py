"""The shape of an answer, asked for and read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.fields import CustomField, FieldName
from processor.analysis.answer import answer_schema, read_suggestions
from processor.analysis.errors import AnswerUnusable
from tests.builders import a_suggestion

ALL = tuple(FieldName)


def item(value: object = "Strom", evidence: object = "a quote", confidence: object = 0.9) -> object:
    return {"value": value, "evidence": evidence, "confidence": confidence}


def test_the_schema_has_every_field_asked_for_and_no_other() -> None:
    schema = answer_schema((FieldName.TITLE, FieldName.TAGS))

    assert schema["required"] == ["title", "tags"]
    assert list(schema["properties"]) == ["title", "tags"]  # type: ignore[call-overload]


def test_the_schema_keeps_to_what_every_server_understands() -> None:
    def objects(part: object) -> list[dict[str, object]]:
        if isinstance(part, list):
            return [found for value in part for found in objects(value)]
        if not isinstance(part, dict):
            return []
        inner = [found for value in part.values() for found in objects(value)]
        return [part, *inner] if part.get("type") == "object" else inner

    text = json.dumps(answer_schema(ALL))

    assert not any(word in text for word in ("anyOf", "oneOf", "$ref", "null", "max", "pattern"))
    found = objects(json.loads(text))
    assert len(found) == 1 + len(ALL)
    for schema in found:
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])  # type: ignore[call-overload]


def test_control_characters_within_a_value_are_removed() -> None:
    answer = {"title": item("Strom\x00rech\x1fnung\tMai", "Strom\x07rechnung\nMai")}

    suggestions = read_suggestions(answer, (FieldName.TITLE,))

    quote = "Stromrechnung Mai"
    assert suggestions == (a_suggestion(FieldName.TITLE, "Stromrechnung Mai", evidence=quote),)


def test_each_value_becomes_a_suggestion_and_each_tag_one_of_its_own() -> None:
    answer = {
        "tags": [item("Strom"), item("Haus", "another quote", 0.4)],
        "title": item("Stromrechnung"),
    }

    suggestions = read_suggestions(answer, (FieldName.TITLE, FieldName.TAGS))

    assert suggestions == (
        a_suggestion(FieldName.TITLE, "Stromrechnung", evidence="a quote"),
        a_suggestion(FieldName.TAGS, "Strom", evidence="a quote"),
        a_suggestion(FieldName.TAGS, "Haus", evidence="another quote", confidence=0.4),
    )


def test_what_was_not_asked_for_is_dropped() -> None:
    answer = {"title": item("Stromrechnung"), "date": item("2026-10-31"), "owner": item("Mallory")}

    suggestions = read_suggestions(answer, (FieldName.TITLE,))

    assert [suggestion.field for suggestion in suggestions] == [FieldName.TITLE]


def test_a_custom_field_has_a_key_that_no_name_can_spoil() -> None:
    fields = (FieldName.TITLE, CustomField(7, 'Nr. "}'))

    schema = answer_schema(fields)
    found = read_suggestions({"custom_field_7": item("RE-1"), "custom_field_8": item("x")}, fields)

    assert schema["required"] == ["title", "custom_field_7"]
    assert [(suggestion.field, suggestion.value) for suggestion in found] == [(fields[1], "RE-1")]


@pytest.mark.parametrize(
    ("raw", "value"),
    [(12.5, "12.5"), (item(12.5), "12.5"), (item(42), "42"), (item(value=True), "true")],
)
def test_a_bare_value_of_a_custom_field_is_spelled_out(raw: object, value: str) -> None:
    (found,) = read_suggestions({"custom_field_7": raw}, (CustomField(7, "Nummer"),))

    assert found.value == value


@pytest.mark.parametrize("answer", [{}, {"owner": item()}, {"date": item()}])
def test_an_answer_about_nothing_that_was_asked_is_unusable(answer: dict[str, object]) -> None:
    with pytest.raises(AnswerUnusable):
        read_suggestions(answer, (FieldName.TITLE,))


@pytest.mark.parametrize(
    "nothing", [None, "", "  ", [], item(""), item(None), item(42), item("null"), item("N/A"), {}]
)
def test_a_field_without_a_value_gives_no_suggestion(nothing: object) -> None:
    assert read_suggestions({"title": nothing}, (FieldName.TITLE,)) == ()


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (item("  Strom-\n rechnung\x00 "), "Strom- rechnung"),
        ([item("first"), item("second")], "first"),
        ({"value": "Strom", "evidence": "q", "confidence": 1, "why": "because"}, "Strom"),
        ("just text", "just text"),
    ],
)
def test_small_slips_of_form_are_mended(raw: object, value: str) -> None:
    (suggestion,) = read_suggestions({"title": raw}, (FieldName.TITLE,))

    assert suggestion.value == value


def test_one_tag_needs_no_list() -> None:
    assert len(read_suggestions({"tags": item("Strom")}, (FieldName.TAGS,))) == 1


def test_tags_may_be_bare_texts_but_then_nothing_vouches_for_them() -> None:
    first, _ = read_suggestions({"tags": ["Strom", "Haus"]}, (FieldName.TAGS,))

    assert (first.value, first.evidence, first.confidence) == ("Strom", "", 0.0)


def test_a_runaway_list_of_tags_is_cut() -> None:
    tags = [item(f"tag {number}") for number in range(500)]

    assert len(read_suggestions({"tags": tags}, (FieldName.TAGS,))) == 20


@pytest.mark.parametrize("raw", [42, True, [["Strom"]], [42]])
def test_another_shape_is_unusable_and_the_field_is_named(raw: object) -> None:
    with pytest.raises(AnswerUnusable, match="tags"):
        read_suggestions({"tags": raw}, (FieldName.TAGS,))


@pytest.mark.parametrize(
    ("said", "confidence"),
    [
        (0, 0.0),
        (0.9, 0.9),
        (1, 1.0),
        (95, 0.95),
        (100, 1.0),
        ("0.9", 0.9),
        ("0,9", 0.9),
        ("95%", 0.95),
        ("95 %", 0.95),
        (True, 1.0),
        ("high", 0.0),
        (None, 0.0),
        ([0.9], 0.0),
        (-0.5, 0.0),
        (150, 0.0),
        (float("nan"), 0.0),
        (float("inf"), 0.0),
        (10**400, 0.0),
    ],
)
def test_confidence_is_a_share_and_nonsense_is_none(said: object, confidence: float) -> None:
    (suggestion,) = read_suggestions({"title": item(confidence=said)}, (FieldName.TITLE,))

    assert suggestion.confidence == pytest.approx(confidence)


def test_of_a_text_that_does_not_end_only_the_beginning_counts() -> None:
    [suggestion] = read_suggestions({"title": item("Strom" * 10_000, "Quote" * 10_000)}, ALL)

    assert suggestion.value == "Strom" * 200
    assert suggestion.evidence == "Quote" * 200


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(
    st.dictionaries(
        st.sampled_from([str(field) for field in ALL]),
        json_values | st.fixed_dictionaries({"value": json_values, "confidence": json_values}),
    )
)
def test_any_json_gives_sound_suggestions_or_is_unusable(answer: dict[str, object]) -> None:
    try:
        suggestions = read_suggestions(answer, ALL)
    except AnswerUnusable:
        return

    assert all(
        suggestion.value and 0.0 <= suggestion.confidence <= 1.0 for suggestion in suggestions
    )
