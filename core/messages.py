"""Messages for people: an English template and its values, translated by looking up the template.

Programs never interpret the text of a message; codes and flags are stored beside it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import reduce
from typing import TypeAlias

_UNTRANSLATED = "{text}"


@dataclass(frozen=True, slots=True)
class Message:
    """A text for people: a template such as `{n} documents` and its values.

    Counts are numbers, so that they can be formatted; ids and statuses are text. A value may be a
    message itself.
    """

    template: str
    values: "Mapping[str, Value]" = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the text in English."""
        return self.template.format(**self.values) if self.values else self.template

    def __hash__(self) -> int:
        return hash((self.template, str(self)))


Value: TypeAlias = str | int | float | Message


def message(template: str, **values: Value) -> Message:
    """Build a message. The template must be a literal: translations are extracted from calls."""
    return Message(template, values)


def plain(text: str) -> Message:
    """Build a message that is not translated: text of a server, a person or an old row."""
    return Message(_UNTRANSLATED, {"text": text})


def fixed(sentence: str) -> Message:
    """Build the message for a sentence without values, such as an error's hint."""
    return Message(sentence)


def word(code: str) -> Message:
    """Build the message for the code of a state or kind, which is an English word."""
    return Message(code.replace("_", " "))


def listed(parts: Iterable[Message]) -> Message:
    """Build a message that lists others, separated by commas."""
    return reduce(lambda first, other: Message("{a}, {b}", {"a": first, "b": other}), parts)


def closest_match(word: str, words: Iterable[str]) -> str | None:
    """Return the most similar of `words`; None if none is similar."""
    return next(iter(get_close_matches(word, sorted(words), n=1)), None)


def did_you_mean(error: Message, guess: str) -> Message:
    """Return an error message with a suggestion."""
    return message('{said} - did you mean "{guess}"?', said=error, guess=guess)


def message_in(error: Exception) -> Message:
    """Return the message of an error that was raised with one, otherwise its text."""
    match error.args:
        case (Message() as raised, *_):
            return raised
    return plain(str(error))


def message_to_json(stored: Message) -> dict[str, object] | None:
    """Return template and values for the store; None if the message has only a text."""
    return None if stored.template == _UNTRANSLATED else _to_json(stored)


def message_from_json(stored: object, text: str) -> Message:
    """Return a stored message; for a row without a template, its text."""
    return _from_json(stored) or plain(text)


def _to_json(stored: Message) -> dict[str, object]:
    values = {
        name: _to_json(value) if isinstance(value, Message) else value
        for name, value in stored.values.items()
    }
    return {"template": stored.template, "values": values}


def _from_json(stored: object) -> Message | None:
    match stored:
        case {"template": str(template), "values": dict(values)}:
            return Message(template, {name: _value(value) for name, value in values.items()})
    return None


def _value(stored: object) -> Value:
    if isinstance(stored, str | int | float):
        return stored
    return _from_json(stored) or str(stored)
