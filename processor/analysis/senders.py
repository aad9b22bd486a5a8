"""Distinguish the sender of a document from names that it only mentions."""

import re
from collections.abc import Iterable, Iterator, Sequence

from core.text import fold, split_words
from processor.analysis.layout import Cell, rows_of
from processor.analysis.name_matching import name_words

_ENOUGH = 100_000
"""Characters that are searched: a megabyte would take seconds."""
_SMALL_WORDS = 3
"""Minimum words in small letters of a sentence."""
_SMALL_WORD = re.compile(r"(?<![\w.@-])[a-zäöüßàâéèêëïîôùûç]{2,}(?![\w@-]|\.\w)")
_IN_NAMES = frozenset(
    {"am", "an", "and", "aan", "bei", "by", "de", "den", "der", "des", "die", "du", "en", "et",
     "for", "in", "inh", "la", "le", "les", "of", "op", "sur", "the", "und", "van", "vom", "von"}
)  # fmt: skip
"""Words in small letters that names and addresses have, too."""
_PRICE = re.compile(r"\d[.,]\d{2}(?!\d)\W*(?:[^\W\d_]{0,3}[+-]?)$")
_DATE = re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{1,2}\.? [^\W\d_]{3,9}\.? \d{4}")
_BANK = re.compile(
    r"\biban\b|\bbic\b|bankverbindung|\bkonto\b|\bkto\b|\bblz\b|sort code|\baccount\b|\bcompte\b"
    r"|virement|rekening|lastschrift|\b[a-z]{2}\d{2}(?: ?[\da-z*]{4}){2,}"
)
_ABOUT = re.compile(
    r"(?:\b(?:bei|bij|chez|by|with|mit|durch|lt|laut|gegen|an|to|from|krankenkasse|krankenversicherung"
    r"|arbeitgeber|employer|mutter\w*|parent company|unternehmen der|(?:part|division|member) of)"
    r"(?: (?:der|dem|den|the|a|la|le|de|het))?|\./\.|handled by|on behalf of)[\s:]*(?:the )?$"
    r"|\b(?!zwischen |between |entre )\w+,? (?:der|dem|des|the)\s+$"
)
"""What precedes the name of somebody else."""


def is_only_mentioned(name: str, text: str, in_use: Iterable[str] = ()) -> bool:
    """Return whether a name stands in the text, but never as a sender writes it.

    A sender's name begins a line, or is in a line without a sentence. Where a longer name in use
    stands, the shorter one does not.
    """
    places = [is_mention for _, is_mention in _find_places(name, text, in_use)]
    return bool(places) and all(places)


def find_sender_rows(name: str, text: str, in_use: Iterable[str] = ()) -> Iterator[Sequence[Cell]]:
    """Yield the rows in which a name stands in full, as a sender writes it."""
    return (row for row, is_mention in _find_places(name, text, in_use) if not is_mention)


def find_longer_names(name: str, in_use: Iterable[str]) -> list[str]:
    """Return the names in use that have all words of a name, and more."""
    words = set(name_words(name))
    return [other for other in in_use if words < set(name_words(other))]


def stands_in(name: str, text: str) -> bool:
    """Return whether a name stands in a text in full."""
    return _pattern(name).search(fold(text[:_ENOUGH])) is not None


def _find_places(
    name: str, text: str, in_use: Iterable[str]
) -> Iterator[tuple[Sequence[Cell], bool]]:
    """Yield each row with a name, and whether the name is only mentioned there."""
    pattern, others = _pattern(name), [_pattern(other) for other in find_longer_names(name, in_use)]
    for row in rows_of(text[:_ENOUGH]):
        for cell in row:
            folded = fold(cell.text)
            for other in others:
                folded = other.sub(lambda match: "#" * len(match[0]), folded)
            if match := pattern.search(folded):
                before, after = folded[: match.start()], folded[match.end() :]
                yield row, _is_mention(row, cell, before, after)


def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern for folded text; one that never matches for a name without words."""
    spelling = r"\W+".join(map(re.escape, name_words(name)))
    return re.compile(rf"(?<!\w){spelling}(?!\w)" if spelling else r"(?!)")


def _is_mention(row: Sequence[Cell], cell: Cell, before: str, after: str) -> bool:
    line = " ".join(other.text for other in row)
    if _DATE.match(line) and _PRICE.search(line):
        return True
    if _ABOUT.search(before) or _BANK.search(before):
        return True
    if _BANK.search(after) and before.strip():
        return True
    small = [word for word in _SMALL_WORD.findall(cell.text) if word not in _IN_NAMES]
    return len(small) >= _SMALL_WORDS and bool(split_words(before))
