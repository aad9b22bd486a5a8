"""A sentence and the values in it, so that it can be said in any language."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Sentence:
    """What is to be said, in English, with places for values: `{n} documents`."""

    text: str
    values: dict[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text.format(**self.values) if self.values else self.text


def sentence(text: str, **values: object) -> Sentence:
    return Sentence(text, values)
