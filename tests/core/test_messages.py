"""A message is a template with values; its text is English."""

import json

import pytest

from core.messages import (
    Message,
    fixed,
    listed,
    message,
    message_from_json,
    message_in,
    message_to_json,
    plain,
    word,
)

NESTED = message(
    "could not {action}: {answer}",
    action=message("read document {id}", id="7"),
    answer=message("{n} of {share} came", n=3, share=4.5),
)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (message("missing"), "missing"),
        (message('expected a table such as { name = "value" }'), None),
        (message("must be at least {least}", least=5), "must be at least 5"),
        (NESTED, "could not read document 7: 3 of 4.5 came"),
        (plain("what {they} said"), "what {they} said"),
        (message("paused: {why}", why="{n}"), "paused: {n}"),
        (listed([plain("a"), plain("b"), plain("c")]), "a, b, c"),
        (fixed("Try again."), "Try again."),
        (word("only_asked"), "only asked"),
    ],
)
def test_its_text_is_the_template_with_the_values_in_place(said: Message, text: str | None) -> None:
    assert str(said) == (said.template if text is None else text)


@pytest.mark.parametrize("said", [NESTED, message("missing"), message("{n} MB", n=2)])
def test_a_stored_message_comes_back_as_it_was(said: Message) -> None:
    stored = json.loads(json.dumps(message_to_json(said)))

    assert message_from_json(stored, str(said)) == said


def test_of_words_that_are_not_ours_only_the_text_is_stored() -> None:
    said = plain("Incorrect API key")

    assert message_to_json(said) is None
    assert message_from_json(None, "Incorrect API key") == said


@pytest.mark.parametrize("stored", [None, {}, {"template": 7, "values": {}}, "text"])
def test_a_row_without_a_template_has_its_text_alone(stored: object) -> None:
    assert message_from_json(stored, "stopped") == plain("stopped")


def test_equal_messages_are_one_in_a_set() -> None:
    again = message_from_json(message_to_json(NESTED), "")

    assert len({NESTED, again, plain("other")}) == 2


def test_an_error_gives_the_message_it_was_raised_with_or_its_text() -> None:
    said = message("must not be empty")

    assert message_in(ValueError(said)) == said
    assert str(ValueError(said)) == "must not be empty"
    assert message_in(KeyError("x")) == plain("'x'")
