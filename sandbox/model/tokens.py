"""Count tokens and truncate texts, as the tokenizer of the fake model."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sandbox.model.question import Message

CHARACTERS_PER_TOKEN = 3.5


@dataclass(frozen=True, slots=True)
class ModelOutput:
    """The output of a model: reasoning in a separate field, and the content."""

    content: str
    thoughts: str = ""

    @property
    def tokens(self) -> int:
        return count_tokens(self.content) + count_tokens(self.thoughts)


def count_tokens(text: str) -> int:
    return math.ceil(len(text) / CHARACTERS_PER_TOKEN)


def count_prompt(messages: Iterable[Message]) -> int:
    return sum(count_tokens(message.content) for message in messages)


def cut_front(messages: Sequence[Message], tokens: int) -> tuple[Message, ...]:
    """Return the last `tokens` of a prompt: the instructions are lost first."""
    left = int(tokens * CHARACTERS_PER_TOKEN)
    kept: list[Message] = []
    for message in reversed(messages):
        # A slice of [-0:] would be the whole text.
        content = message.content[-left:] if left else ""
        left -= len(content)
        kept.append(replace(message, content=content))
    return tuple(reversed(kept))


def cut_end(spoken: ModelOutput, limit: int) -> ModelOutput:
    """Return at most `limit` tokens of the output; reasoning comes first and counts, too."""
    room = int(limit * CHARACTERS_PER_TOKEN)
    thoughts = spoken.thoughts[:room]
    return ModelOutput(spoken.content[: room - len(thoughts)], thoughts)
