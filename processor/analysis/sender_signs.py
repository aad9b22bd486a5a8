"""Find what shows that a name below the letterhead is the sender's, apart from its position.

A sender repeats its name, signs with it, or gives its company details beside it: register
numbers, telephone numbers, addresses. A name that is only mentioned, such as that of a carrier or a
laboratory, has none of these.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from core.text import fold, split_words
from processor.analysis.layout import Cell, fold_label, in_column_of
from processor.analysis.name_matching import is_same_party, name_words
from processor.analysis.recipients import is_addressed
from processor.analysis.words import any_of, parties

_REPEATED = 2
_SIGNED = 4
"""Lines after a closing in which a sender signs."""
_LAST = 3
"""Lines at the bottom in which a name needs no other sign."""
_MIN_LETTERS = 5
"""Minimum length of the word that is looked for in web addresses."""
_PART_ENDS = re.compile(r"\s[-–—]\s|[,;/(]")
_IMPRINT = re.compile(rf"(?<!\w)(?:{any_of(parties.IMPRINT)})(?!\w)|@|\bwww\.")
_CLOSING = re.compile(rf"(?<!\w)(?:{any_of(parties.CLOSING)})(?!\w)")
_POSTAGE = re.compile(any_of(parties.POSTAGE))
_WEB = re.compile(
    r"(?:@|www\.|https?://)([\w.-]+)|\b([\w-]+\.(?:example|com|org|net|eu|[a-z]{2}))\b"
)


def has_sign_of_sender(name: str, rows: Sequence[Sequence[Cell]], numbers: Collection[int]) -> bool:
    """Return whether something shows that a name in the rows with these numbers is the sender's."""
    if len(numbers) >= _REPEATED or _is_in_web_address(name, rows):
        return True
    return any(
        _begins_last_row(name, rows, number)
        or _is_below_closing(rows, number)
        or _has_imprint(name, rows, number)
        or _is_introduced(name, rows[number])
        for number in numbers
    )


def is_postage_mark(cell: Cell, below: Sequence[Sequence[Cell]]) -> bool:
    """Return whether a cell is part of a franking mark: Priority, Port payé."""
    under = in_column_of(cell, below[0]) if below else None
    texts = (cell.text, under.text if under else "")
    return any(_POSTAGE.search(fold(text)) for text in texts)


def names_a_company(rows: Iterable[Sequence[Cell]], recipients: Collection[str]) -> bool:
    """Return whether rows contain a name with a legal form that is not a recipient's."""
    parts = (part.strip() for row in rows for cell in row for part in _PART_ENDS.split(cell.text))
    return any(
        len(split_words(part)) > 1
        and name_words(part) != split_words(part)
        and not any(is_same_party(part, recipient) for recipient in recipients)
        for part in parts
    )


def is_spread_over(name: str, rows: Iterable[Sequence[Cell]]) -> bool:
    """Return whether rows contain the letters of a name, even across cells or spaced out."""
    texts = _texts_not_to_recipients(rows)
    letters = "".join(word for text in texts for word in split_words(fold_label(text)))
    return "".join(name_words(name)) in letters


def _is_in_web_address(name: str, rows: Iterable[Sequence[Cell]]) -> bool:
    """Return whether the first long word of a name is in a web or e-mail address."""
    word = next((word for word in name_words(name) if len(word) >= _MIN_LETTERS), None)
    if word is None:
        return False
    lines = map(fold, _texts_not_to_recipients(rows))
    return any(word in (match[1] or match[2]) for line in lines for match in _WEB.finditer(line))


def _texts_not_to_recipients(rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    return (cell.text for row in rows for cell in row if not is_addressed(cell.text))


def _begins_last_row(name: str, rows: Sequence[Sequence[Cell]], number: int) -> bool:
    words = name_words(name)
    begins = split_words(rows[number][0].text)[: len(words)] == words
    return begins and number >= len(rows) - _LAST


def _is_below_closing(rows: Sequence[Sequence[Cell]], number: int) -> bool:
    above = rows[max(0, number - _SIGNED) : number + 1]
    return any(_CLOSING.search(fold(cell.text)) for row in above for cell in row)


def _is_introduced(name: str, row: Sequence[Cell]) -> bool:
    """Return whether words such as "issued by" or "your" precede a name in its cell."""
    words = name_words(name)
    own = _find_cell(words, row)
    return split_words(own.text)[: len(words)] != words


def _find_cell(words: Sequence[str], row: Sequence[Cell]) -> Cell:
    spelling = " ".join(words)
    return next((cell for cell in row if spelling in " ".join(split_words(cell.text))), row[0])


def _has_imprint(name: str, rows: Sequence[Sequence[Cell]], number: int) -> bool:
    """Return whether company details are in the row of a name or in the cell below it."""
    row = rows[number]
    own = _find_cell(name_words(name), row)
    texts = [cell.text for cell in row if cell.start >= own.start]
    if number + 1 < len(rows) and (under := in_column_of(own, rows[number + 1])):
        texts.append(under.text)
    return any(_IMPRINT.search(fold(text)) for text in texts)
