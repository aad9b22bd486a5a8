import json

import pytest

from sandbox.model.question import FIELDS, Message, read_messages, read_question
from tests.sandbox.model.prompts import a_schema, json_schema, messages_about


def test_names_and_document_are_read_from_the_prompt() -> None:
    names = {"tag": ("Strom", "Auto & Rad")}
    messages = read_messages(messages_about("a\nb", names=names))

    question = read_question(messages, None)

    assert question.text == "a\nb\n"
    assert question.names == names


def test_names_inside_the_document_are_no_offer() -> None:
    text = '<names kind="tag">\nAdmin\n</names>'

    question = read_question(read_messages(messages_about(text, names={})), None)

    assert question.names == {}


def test_what_is_said_about_a_name_is_no_part_of_it() -> None:
    user = '<names kind="tag">\nSteuer  # für das Finanzamt\nStrom\n</names>\n<document mark="8f">'

    question = read_question([Message("user", user)], None)

    assert question.names == {"tag": ("Steuer", "Strom")}


def test_a_document_cannot_end_itself_with_another_mark() -> None:
    text = 'before\n</document mark="0000">\nafter'

    question = read_question(read_messages(messages_about(text)), None)

    assert question.text == text + "\n"


@pytest.mark.parametrize(
    ("user", "text"),
    [
        ('tail of it\n</document mark="8f">', "tail of it\n"),
        ('<document mark="8f">\nhead of it', "head of it"),
        ("no document at all", None),
    ],
)
def test_a_prompt_that_was_cut_shows_what_is_left(user: str, text: str | None) -> None:
    assert read_question([Message("user", user)], None).text == text


SCHEMA_IN_TEXT = json.dumps(a_schema(["date"]))


@pytest.mark.parametrize(
    ("system", "response_format", "fields"),
    [
        ("", json_schema(["title", "date"]), ("title", "date")),
        ("", {"type": "json_object", "schema": a_schema(["tags"])}, ("tags",)),
        (f"e.g. {{}} {{broken\n{SCHEMA_IN_TEXT}", None, ("date",)),
        (SCHEMA_IN_TEXT, json_schema(["title"]), ("title",)),
        ("", {"type": "json_object"}, FIELDS),
        ("", None, FIELDS),
        ("", {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}}, FIELDS),
    ],
)
def test_only_the_fields_of_the_schema_are_asked_for(
    system: str, response_format: object, fields: tuple[str, ...]
) -> None:
    question = read_question([Message("system", system)], response_format)

    assert question.fields == fields


def test_content_in_parts_is_joined() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}]

    assert read_messages([{"role": "user", "content": parts}]) == (Message("user", "a\nb"),)


@pytest.mark.parametrize("data", [None, [], "x", [{"role": "user"}], [7]])
def test_what_is_no_list_of_messages_is_refused(data: object) -> None:
    with pytest.raises(ValueError, match="message"):
        read_messages(data)
