"""Find the recipients of a letter: in the address, after a label, in the salutation."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from core.text import split_words
from processor.analysis.layout import Cell, in_column_of, rows_of
from processor.analysis.name_matching import name_words
from processor.analysis.words import any_of, parties

_HEAD = 40
"""Lines that are searched for an address or a salutation."""
_ADDRESS = 4
"""Lines of an address after the name, down to the town."""
_I = re.IGNORECASE

_LABEL = any_of(parties.RECIPIENT)
_TO = re.compile(rf"(?:{_LABEL})(?: ?/ ?(?:{_LABEL}))?\s*(?P<colon>:?)\s*(?P<name>.*)", _I)
_CARE_OF = re.compile(rf"(?:{any_of(parties.CARE_OF)})\s*:?\s*(?P<name>\S.*)", _I)
_HONORIFIC = re.compile(rf"(?:an\s+)?(?:{any_of(parties.HONORIFIC)})(?:\s+(?P<name>\S.*))?", _I)
_TOWN = re.compile(
    r"(?:^|\s|-)\d{4,5}\s+\w|\b[A-Z]{1,2}\d[\dA-Z]? \d[A-Z]{2}\b|\b\d{4} ?[A-Z]{2}\b"
)
_SALUTATION = re.compile(
    r"""(?:sehr\ geehrte[rs]?|liebe[rs]?|werte[rs]?|guten\ (?:tag|morgen|abend)|hallo
    |dear|hello|hi|chère?|bonjour|geachte|beste|monsieur|madame)\s+
    (?P<name>[^,!:;.\d]{2,60}(?:\.[^,!:;.\d]{2,60}){0,2})[,!:]?""",
    _I | re.VERBOSE,
)
_LETTERHEAD = 2
"""Lines at the top in which a name is the sender's."""
_BLOCK = 6
_NAMES = 2
"""Lines below a label that may be names, such as a firm and a person."""
_SEPARATED = re.compile(r"[^\W\d_]{3,}[^,·*|]*(?:[,·*|]| - )")
"""A name, then a sign that separates it from its address."""
_CAPITAL = r"[A-ZÄÖÜÉÈÀÇ][\w'’.&-]*"
_PERSON = re.compile(rf"{_CAPITAL}(?: (?:de|der|van|von|zu|{_CAPITAL})){{1,4}}")
_PARTY = re.compile(rf"{_CAPITAL}(?: (?:de|der|van|von|zu|und|and|et|en|&|{_CAPITAL})){{1,5}}")
_CONTACT = re.compile(
    r"\b(?:tel|telefon|phone|fax|www|iban|bic|ust|vat|tva|btw|kvk|siret|registered)\b|@", _I
)
_AND = re.compile(r"(?<=\)) (?:und|and|et|en) ")
_FOR_COMPANIES = re.compile(r"(?:an\s+)?firma\b", _I)
_IN_BRACKETS = re.compile(r"\([^)]*\)")
_NAME_ENDS = re.compile(r"[,;(]|\s[-–—]\s")


def find_recipients(text: str) -> Iterator[str]:
    """Yield the recipients as they are written in the address, after "To:" and in the salutation.

    Some results are no names, such as "Damen und Herren"; no sender is called that.
    """
    rows = rows_of(text)[:_HEAD]
    for number, row in enumerate(rows):
        below = rows[number + 1 : number + 1 + _ADDRESS]
        is_below = number >= _LETTERHEAD or (number > 0 and _is_return_address(rows[number - 1]))
        for column, cell in enumerate(row):
            for name in (
                *_find_labelled(row, column, below),
                *_find_addressee(cell, below),
                *(_find_plain_addressee(row, column, rows[number + 1 :]) if is_below else ()),
                *_find_greeted(cell),
            ):
                for part in _AND.split(name):
                    if found := _NAME_ENDS.split(part)[0].strip():
                        yield found


def _find_labelled(
    row: Sequence[Cell], column: int, below: Sequence[Sequence[Cell]]
) -> Iterator[str]:
    if match := _CARE_OF.fullmatch(row[column].text):
        yield match["name"]
    match = _TO.fullmatch(row[column].text)
    if match is None:
        return
    if match["name"]:
        # Without a colon it is a sentence: "Customer service is open from nine to five".
        if match["colon"]:
            yield match["name"]
        return
    if column + 1 < len(row) and ":" not in row[column + 1].text:
        yield row[column + 1].text
    for under in islice(_column_below(row[column], below), _NAMES):
        if any(map(str.isdigit, under.text)):
            break
        yield under.text


def _column_below(cell: Cell, below: Sequence[Sequence[Cell]]) -> Iterator[Cell]:
    return (under for row in below if (under := in_column_of(cell, row)))


def _find_addressee(cell: Cell, below: Sequence[Sequence[Cell]]) -> Iterator[str]:
    match = _HONORIFIC.fullmatch(cell.text)
    if match is None or _is_company(match):
        return
    column = [under for row in below if (under := in_column_of(cell, row))]
    if any(_TOWN.search(under.text) for under in column):
        yield match["name"] or column[0].text
    elif match["name"] and _PERSON.fullmatch(_NAME_ENDS.split(match["name"])[0].strip()):
        yield match["name"]


def _find_plain_addressee(
    row: Sequence[Cell], column: int, below: Sequence[Sequence[Cell]]
) -> Iterator[str]:
    """Yield a name above a street and a town, unless the block goes on like a letterhead."""
    cell = row[column]
    if not _PARTY.fullmatch(cell.text) or _is_return_address(row):
        return
    lines = [under.text for under in _column_below(cell, below[:_BLOCK])]
    # A town just below the name is the sender's, unless its street is before it.
    streets = [line for line in lines[:1] if "," in line]
    has_town = any(_TOWN.search(line) for line in (*streets, *lines[1:_ADDRESS]))
    if has_town and not any(_CONTACT.search(line) for line in lines):
        yield cell.text


def _is_return_address(row: Sequence[Cell]) -> bool:
    """Return whether a row is the small line above an address: the sender, its street and town."""
    text = " , ".join(cell.text for cell in row)
    return bool(_TOWN.search(text) and _SEPARATED.search(text))


def is_label(name: str) -> bool:
    """Return whether a name is only a label for a recipient: Invoice to."""
    match = _TO.fullmatch(name.strip())
    return match is not None and not match["name"]


def _is_company(match: re.Match[str]) -> bool:
    """Return whether a form of address is part of a company's name: MR. D.I.Y. is no person."""
    name = match["name"]
    if not name or _FOR_COMPANIES.match(match[0]):
        return False
    bare = _IN_BRACKETS.sub(" ", name)
    words = split_words(bare)
    return name_words(bare) != words or all(len(word) == 1 for word in words)


def _find_greeted(cell: Cell) -> Iterator[str]:
    match = _SALUTATION.fullmatch(cell.text)
    if match:
        yield match["name"]
