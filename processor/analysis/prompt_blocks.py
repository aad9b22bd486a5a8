"""Build the blocks of a prompt that show data of the archive: names and similar documents.

Text from the archive is put on one line and loses its angle brackets, so that it cannot end its
block or begin another.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from core.fields import FieldName
from core.text import clean_line
from processor.analysis.budget import estimate_tokens

_LONGEST = 128
"""Maximum characters of a name or a title: Paperless stores no more, other servers might."""
_LONGEST_NOTE = 200
_NOTE = "  # "
"""Separates a name from its explanation; a cleaned name never has two spaces in a row."""
_REMEMBERED = 20_000
"""Size of the cache of lines, which are the same for every document."""
_HARMLESS = str.maketrans({"<": "‹", ">": "›"})
_STATEMENT = re.compile(r"{[%#].*?[%#]}", re.DOTALL)
_PLACEHOLDER = re.compile(r"{{?\s*(?P<name>[\w.]+)(?:[^\w.{}][^{}]*)?}}?")
"""Of a template: `{{ created_year }}`, `{{ title|upper }}`, or the older `{title}`."""
_LONGEST_TEMPLATE = 1000


@dataclass(frozen=True, slots=True)
class NameEntry:
    """A name as it is listed in a prompt."""

    name: str
    note: str = ""
    """The owner's description of it."""
    parents: tuple[str, ...] = ()
    """The tags above a tag, the top one first."""
    id: int = 0
    """Its id in Paperless, which is higher for newer names."""

    @property
    def explanation(self) -> str:
        """Return what is said about the name: the tags above it, and the description."""
        under = f"under {' > '.join(self.parents)}"[:_LONGEST] if self.parents else ""
        return "; ".join(filter(None, (under, self.note)))

    @property
    def line(self) -> str:
        return _line(self.name, self.explanation)

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.line) + 1


OfferedNames: TypeAlias = Mapping[FieldName, Sequence[NameEntry]]
"""The names in use that a model may choose from, most used first."""


@dataclass(frozen=True, slots=True)
class Example:
    """A similar document with the values that a person gave it."""

    document: int
    """Its id in Paperless."""
    values: Mapping[FieldName, tuple[str, ...]]

    def block(self, fields: Sequence[FieldName]) -> str:
        """Return the block with its values of `fields`, or "" if it has none of them."""
        lines = [
            f"{field}: {'; '.join(to_one_line(value, _LONGEST) for value in self.values[field])}\n"
            for field in fields
            if self.values.get(field)
        ]
        return f"<example>\n{''.join(lines)}</example>" if lines else ""


def to_one_line(text: str, longest: int) -> str:
    """Return `text` on one line, without angle brackets, in at most `longest` characters."""
    return clean_line(text[: longest * 4]).translate(_HARMLESS)[:longest]


def explain_template(template: str) -> str:
    """Return what the template of a storage path makes of a document: `[created year]/[title]`.

    Conditions and comments are left out. Return "" for an empty template.
    """
    plain = _STATEMENT.sub("", template[:_LONGEST_TEMPLATE])
    words = _PLACEHOLDER.sub(lambda found: f"[{found['name'].replace('_', ' ')}]", plain)
    return clean_line(words)


def format_name_blocks(entries: Mapping[FieldName, Sequence[NameEntry]]) -> str:
    """Return a block for each field that has names, with one name per line."""
    return "\n".join(_name_block(field, names) for field, names in entries.items() if names)


def build_example_blocks(
    examples: Iterable[Example], fields: Sequence[FieldName], *, room: int
) -> dict[int, str]:
    """Return the blocks of as many examples as fit into `room` tokens, by document id."""
    shown: dict[int, str] = {}
    for example in examples:
        block = example.block(fields)
        room -= estimate_tokens(block) + 1
        if room < 0:
            break
        if block:
            shown[example.document] = block
    return shown


@lru_cache(maxsize=_REMEMBERED)
def _line(name: str, note: str) -> str:
    shown = to_one_line(name, _LONGEST)
    return shown + _NOTE + to_one_line(note, _LONGEST_NOTE) if note else shown


def _name_block(field: FieldName, entries: Sequence[NameEntry]) -> str:
    kind = "tag" if field is FieldName.TAGS else field
    lines = "\n".join(entry.line for entry in entries)
    return f'<names kind="{kind}">\n{lines}\n</names>'
