"""Show what the archive and the document say in a prompt, in the tokens available.

Text from the archive is put on one line and loses its angle brackets, so that it cannot end its
block or begin another. If the names in use do not all fit, the likeliest for a text are listed.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import TypeAlias

from core.fields import FieldName
from core.text import clean_line, distinct_words
from processor.analysis.name_matching import name_words, spelled_out
from processor.analysis.text_rating import STOP_WORDS

_MAX_NAME = 128
"""Maximum characters of a name or a title: Paperless stores no more, other servers might."""
_MAX_NOTE_LENGTH = 200
_NOTE = "  # "
"""Separates a name from its explanation; a cleaned name never has two spaces in a row."""
_REMEMBERED = 20_000
"""Size of the caches of names and their lines, which are the same for every document."""
_HARMLESS = str.maketrans({"<": "‹", ">": "›"})
_STATEMENT = re.compile(r"{[%#].*?[%#]}", re.DOTALL)
_PLACEHOLDER = re.compile(r"{{?\s*(?P<name>[\w.]+)(?:[^\w.{}][^{}]*)?}}?")
"""Of a template: `{{ created_year }}`, `{{ title|upper }}`, or the older `{title}`."""
_MAX_TEMPLATE_LENGTH = 1000
BYTES_PER_TOKEN = 3
"""Low on purpose: German text has about 3.5 bytes per token, and a prompt that is too long is worse
than one that leaves some room."""
HEAD_SHARE = 0.7
"""Share kept of the beginning, with letterhead, subject and date; the rest is from the end."""
_LIKELY = 0.5
"""Minimum share of a name's words in the text; less may be chance."""
_PART_OF_A_WORD = 0.7
"""Weight of a word that begins or ends a longer one: Strom in Stromrechnung."""
_MIN_PART_LENGTH = 4
_SMALL_WORDS = frozenset().union(*STOP_WORDS.values())


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
        under = f"under {' > '.join(self.parents)}"[:_MAX_NAME] if self.parents else ""
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
            f"{field}: {'; '.join(to_one_line(value, _MAX_NAME) for value in self.values[field])}\n"
            for field in fields
            if self.values.get(field)
        ]
        return f"<example>\n{''.join(lines)}</example>" if lines else ""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A text, complete or with its middle left out."""

    text: str
    left_out: int
    """How many characters are missing."""


@dataclass(frozen=True, slots=True)
class NameSelection:
    """The names that a prompt lists."""

    always: Mapping[FieldName, Sequence[NameEntry]]
    """Fields whose names all fit: the same for every document, the newest name last."""
    chosen: Mapping[FieldName, Sequence[NameEntry]]
    """Fields with too many names: those selected for this text."""
    left: int = 0
    """Tokens that the selected names could have used but did not."""


class WordIndex:
    """Finds words in a text, on their own or at the edge of a longer word."""

    def __init__(self, words: frozenset[str]) -> None:
        self._words = words
        self._forward = sorted(words)
        self._backward = sorted(word[::-1] for word in words)

    def match_score(self, word: str) -> float:
        """Return 1 for a word of the text, less for a part of one, 0 for neither."""
        if word in self._words:
            return 1.0
        if len(word) < _MIN_PART_LENGTH:
            return 0.0
        begins = _begins_any(word, self._forward) or _begins_any(word[::-1], self._backward)
        return _PART_OF_A_WORD if begins else 0.0


def to_one_line(text: str, longest: int) -> str:
    """Return `text` on one line, without angle brackets, in at most `longest` characters."""
    return clean_line(text[: longest * 4]).translate(_HARMLESS)[:longest]


def explain_template(template: str) -> str:
    """Return what the template of a storage path makes of a document: `[created year]/[title]`.

    Conditions and comments are left out. Return "" for an empty template.
    """
    plain = _STATEMENT.sub("", template[:_MAX_TEMPLATE_LENGTH])
    words = _PLACEHOLDER.sub(lambda found: f"[{found['name'].replace('_', ' ')}]", plain)
    return clean_line(words)


def format_name_blocks(entries: Mapping[FieldName, Sequence[NameEntry]]) -> str:
    """Return a block for each field that has names, with one name per line."""
    blocks = []
    for field, names in entries.items():
        kind = "tag" if field is FieldName.TAGS else field
        lines = "\n".join(entry.line for entry in names)
        if names:
            blocks.append(f'<names kind="{kind}">\n{lines}\n</names>')
    return "\n".join(blocks)


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


def estimate_tokens(text: str) -> int:
    """Return an estimate of the tokens of `text`; rather too many than too few."""
    return ceil(len(text.encode()) / BYTES_PER_TOKEN)


def drop_middle_to_fit(text: str, room: int) -> Excerpt:
    """Return `text`, or its beginning and end if it has more than `room` tokens.

    The excerpt is empty if not even that fits.
    """
    if estimate_tokens(text) <= room:
        return Excerpt(text, 0)
    kept = room * BYTES_PER_TOKEN - len(_gap(len(text)))
    if kept <= 0:
        return Excerpt("", len(text))
    written, length = text.encode(), int(kept * HEAD_SHARE)
    # A character that was cut in two is dropped.
    head = written[:length].decode(errors="ignore")
    tail = written[len(written) - (kept - length) :].decode(errors="ignore")
    left_out = len(text) - len(head) - len(tail)
    return Excerpt(head + _gap(left_out) + tail, left_out)


def select_names(
    entries: Mapping[FieldName, Sequence[NameEntry]], text: str, *, room: int
) -> NameSelection:
    """Return the names to list in at most `room` tokens, from those given, most used first."""
    needs = {field: _count_tokens(names) for field, names in entries.items()}
    shares = divide_room(needs, room)
    crowded = [field for field in entries if shares[field] < needs[field]]
    # Indexing a long text takes time, and is rarely needed.
    index = WordIndex(distinct_words(text)) if crowded else WordIndex(frozenset())
    chosen = {
        field: take_fitting(sort_by_likelihood(entries[field], index), shares[field])
        for field in crowded
    }
    left = sum(shares[field] - _count_tokens(chosen[field]) for field in crowded)
    always = {
        # Not by use, which changes with every document: servers cache an unchanged list.
        field: sorted(entries[field], key=lambda entry: entry.id)
        for field in entries
        if field not in crowded
    }
    return NameSelection(always, chosen, left)


def divide_room(needs: Mapping[FieldName, int], room: int) -> dict[FieldName, int]:
    """Return an even share of `room` for each field; unused room goes to the others."""
    shares: dict[FieldName, int] = {}
    for field in sorted(needs, key=lambda field: needs[field]):
        even = (room - sum(shares.values())) // (len(needs) - len(shares))
        shares[field] = max(0, min(needs[field], even))
    return shares


def take_fitting(entries: Iterable[NameEntry], room: int) -> tuple[NameEntry, ...]:
    """Return the first entries that fit into `room` tokens."""
    taken: list[NameEntry] = []
    for entry in entries:
        room -= entry.tokens
        if room < 0:
            break
        taken.append(entry)
    return tuple(taken)


def sort_by_likelihood(entries: Sequence[NameEntry], index: WordIndex) -> list[NameEntry]:
    """Return the names found in the text, then those with a note, then the most used."""
    spellings = [_spellings(entry.name) for entry in entries]
    # A word that many names share, such as Bank, hardly distinguishes them.
    sharers = Counter(word for spelling in spellings for word in set().union(*spelling))

    def rank(number: int) -> tuple[float, bool]:
        found = max(_share(words, index, sharers) for words in spellings[number])
        return (-found if found >= _LIKELY else 0.0, not entries[number].note)

    return [entries[number] for number in sorted(range(len(entries)), key=rank)]


@lru_cache(maxsize=_REMEMBERED)
def _line(name: str, note: str) -> str:
    shown = to_one_line(name, _MAX_NAME)
    return shown + _NOTE + to_one_line(note, _MAX_NOTE_LENGTH) if note else shown


def _gap(left_out: int) -> str:
    return f"\n[... {left_out} characters left out ...]\n"


def _count_tokens(entries: Iterable[NameEntry]) -> int:
    return sum(entry.tokens for entry in entries)


def _share(words: frozenset[str], index: WordIndex, sharers: Counter[str]) -> float:
    weights = {word: 1 / sharers[word] for word in words}
    found = sum(weight * index.match_score(word) for word, weight in weights.items())
    return found / (sum(weights.values()) or 1)


@lru_cache(maxsize=_REMEMBERED)
def _spellings(name: str) -> frozenset[frozenset[str]]:
    """Return the significant words of a name, for both spellings of umlauts."""
    return frozenset({_significant_words(name), _significant_words(spelled_out(name))})


def _significant_words(name: str) -> frozenset[str]:
    words = frozenset(name_words(name))
    return words - _SMALL_WORDS or words


def _begins_any(part: str, listed: Sequence[str]) -> bool:
    place = bisect_left(listed, part)
    return place < len(listed) and listed[place].startswith(part)
