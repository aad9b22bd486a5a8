"""Blocks of a prompt that show what is in the archive: names, and documents as they were filed.

Whatever comes from the archive is on a line of its own and has no angle brackets: it cannot end the
block it stands in, nor begin another.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.fields import FieldName
from core.text import clean_line
from processor.analysis.budget import estimate_tokens

_LONGEST = 128
"""Characters of a name or a title: Paperless takes no more, a strange server may give any."""
_LONGEST_NOTE = 200
_NOTE = "  # "
"""Between a name and the owner's words about it: a name on one line has no two spaces in a row."""
_REMEMBERED = 20_000
"""Lines that are kept: they are the same for every document."""
_HARMLESS = str.maketrans({"<": "‹", ">": "›"})


@dataclass(frozen=True, slots=True)
class NameEntry:
    """A name as it is offered to a model."""

    name: str
    note: str = ""
    """What the owner says about it."""

    @property
    def line(self) -> str:
        return _line(self.name, self.note)

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.line) + 1


@dataclass(frozen=True, slots=True)
class Example:
    """A similar document, with what a person has filed it under."""

    document: int
    """Its number in Paperless."""
    values: Mapping[FieldName, tuple[str, ...]]

    def block(self, fields: Sequence[FieldName]) -> str:
        """Show its values of `fields`; of several, tags, one after the other."""
        lines = [
            f"{field}: {'; '.join(to_one_line(value, _LONGEST) for value in self.values[field])}\n"
            for field in fields
            if self.values.get(field)
        ]
        return f"<example>\n{''.join(lines)}</example>" if lines else ""


def to_one_line(text: str, longest: int) -> str:
    """Return `text` as it may stand in a block."""
    return clean_line(text[: longest * 4]).translate(_HARMLESS)[:longest]


def format_name_blocks(entries: Mapping[FieldName, Sequence[NameEntry]]) -> str:
    """Show names, each on its line, by what they are names of."""
    return "\n".join(_name_block(field, listed) for field, listed in entries.items() if listed)


def build_example_blocks(
    examples: Iterable[Example], fields: Sequence[FieldName], *, room: int
) -> dict[int, str]:
    """Show examples, the likest first, as long as they fit into `room` tokens."""
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
