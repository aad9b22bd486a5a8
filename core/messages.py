"""Messages as values: a template in English and the values in it.

A message is translated by looking up its template, and nothing reads meaning off its text: what a
program decides by is kept beside it as a code or a flag.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import TypeAlias

_AS_SAID = "{text}"


@dataclass(frozen=True, slots=True)
class Message:
    """A text for people: `{n} documents` with the values of its places.

    Counts are numbers, so that a language can format them; ids and statuses are text. A value may
    be a message itself.
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
    """Build a message. The template is a literal: translations are collected from these calls."""
    return Message(template, values)


def plain(text: str) -> Message:
    """Build a message that no language changes: the words of a server, a person or an old row."""
    return Message(_AS_SAID, {"text": text})


def fixed(sentence: str) -> Message:
    """Build the message for a sentence without values, such as an error's hint."""
    return Message(sentence)


def word(code: str) -> Message:
    """Build the message for a state or kind: its code is a word already."""
    return Message(code.replace("_", " "))


def listed(parts: Iterable[Message]) -> Message:
    """Build a message that lists others, with commas between them."""
    return reduce(lambda first, other: Message("{a}, {b}", {"a": first, "b": other}), parts)


def message_in(error: Exception) -> Message:
    """Return the message that an error was raised with; of any other error, its text."""
    match error.args:
        case (Message() as said, *_):
            return said
    return plain(str(error))


def message_to_json(said: Message) -> dict[str, object] | None:
    """Return what the store keeps beside the text; None if the text is all there is."""
    if said.template == _AS_SAID:
        return None
    return _to_json(said)


def message_from_json(stored: object, text: str) -> Message:
    """Return a stored message; of a row that has only a text, that text."""
    return _from_json(stored) or plain(text)


def _to_json(said: Message) -> dict[str, object]:
    values = {
        name: _to_json(value) if isinstance(value, Message) else value
        for name, value in said.values.items()
    }
    return {"template": said.template, "values": values}


def _from_json(stored: object) -> Message | None:
    match stored:
        case {"template": str(template), "values": dict(values)}:
            return Message(template, {name: _value(one) for name, one in values.items()})
    return None


def _value(stored: object) -> Value:
    if isinstance(stored, str | int | float):
        return stored
    return _from_json(stored) or str(stored)
