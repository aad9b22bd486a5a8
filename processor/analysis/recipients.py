"""Find the recipients of a document: in the address, after a label and in the salutation."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from core.text import fold, split_words
from processor.analysis.layout import Cell, in_column_of, read_page
from processor.analysis.name_matching import name_words
from processor.analysis.words import any_of, parties

_HEAD = 40
"""Lines that are searched for an address or a salutation."""
_ADDRESS = 4
"""Lines of an address after the name, down to the town."""
_I = re.IGNORECASE
_LABEL = any_of(parties.RECIPIENT)
_TO = re.compile(
    rf"(?:{_LABEL})(?!\w)(?: ?/ ?(?:{_LABEL})(?!\w))?\s*(?P<colon>:?)\s*(?P<name>.*)", _I
)
_CARE_OF = re.compile(rf"(?:{any_of(parties.CARE_OF)})\s*:?\s*(?P<name>\S.*)", _I)
_ATTENTION = re.compile(rf"(?:{any_of(parties.ATTENTION)})(?!\w)", _I)
"""Below the name of a company in an address."""
_HONORIFIC = re.compile(rf"(?:an\s+)?(?:{any_of(parties.HONORIFIC)})(?:\s+(?P<name>\S.*))?", _I)
_TOWN = re.compile(
    r"(?:^|\s|-)\d{4,5}\s+[^\W\d]|\b[A-Z]{1,2}\d[\dA-Z]? \d[A-Z]{2}\b|\b\d{4} ?[A-Z]{2}\b"
    r"|\b[A-Z]{2} \d{5}(?:-\d{4})?\b|\b[A-Z]\d[A-Z] ?\d[A-Z]\d\b|\b[A-Z]{2,3} \d{4}$"
    r"|\b\d{2}-\d{3} [A-Z]|\b\d{4}-\d{3} [A-Z]|^(?:SE-)?\d{3} \d{2} [A-Z]"
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
"""Lines below a name that may belong to its address or to a letterhead."""
_LINES = 64
"""Cached lines: a thousand names may be above the same one."""
_HEADING = 200
"""Maximum characters of a label above a name."""
_NAMES = 2
"""Lines below a label that may be names, such as a firm and a person."""
_NAME = re.compile(r"[^\W\d_]{3}")
_SEPARATOR = re.compile(r"[,·*|]| - ")
"""Between a name and its address."""
_CONTACT = re.compile(
    r"\b(?:tel|telefon|phone|fax|www|iban|bic|ust|vat|tva|btw|kvk|siret|registered)\b|@", _I
)
_AND = re.compile(r"(?<=\)) (?:und|and|et|en) ")
_FOR_COMPANIES = re.compile(r"(?:an\s+)?firma\b", _I)
_IN_BRACKETS = re.compile(r"\([^)]*\)")
_NAME_ENDS = re.compile(r"[,;(]|\s[-–—]\s")
_CAPITAL = r"[A-ZÄÖÜÉÈÀÇ][\w'’.&-]*"
PERSON = re.compile(rf"{_CAPITAL}(?: (?:de|der|van|von|zu|{_CAPITAL})){{1,4}}")
_PARTY = re.compile(
    rf"{_CAPITAL}(?: (?:de|der|van|von|zu|und|and|et|en|og|och|e|y|&|{_CAPITAL})){{1,5}}"
)
_SLIP = re.compile(any_of(parties.PAYMENT_SLIP))
_SENDER_HEADING = re.compile(rf"(?:{any_of(parties.SENDER_LABEL)})\b[^\d:]{{0,40}}:?")
"""Above the sender's name and address, as in a form."""


def find_recipients(text: str) -> Iterator[str]:
    """Yield the recipients as they are written in the address, after "To:" and in the salutation.

    Some results are not names, such as "Damen und Herren"; no sender is called that.
    """
    rows = read_page(text).rows[:_HEAD]
    for number, row in enumerate(rows):
        under = rows[number + 1 :]
        below = under[:_ADDRESS]
        is_below = number >= _LETTERHEAD or (number > 0 and _is_return_address(rows[number - 1]))
        # Once for all cells of the row: a row may have thousands.
        may_be_plain = is_below and not _is_return_address(row)
        letterhead = _read_letterhead(rows[: min(number, _LETTERHEAD)])
        is_slip = _is_payment_slip(row)
        for column, cell in enumerate(row):
            is_senders = number > 0 and _is_below_sender_label(cell, rows[number - 1])
            is_plain = may_be_plain and not is_senders
            for name in (
                *_find_cared_for(cell),
                *(_find_labelled(row, column, below) if not is_slip else ()),
                *_find_company_of(cell, below),
                *_find_addressee(cell, below),
                *(_find_plain_addressee(cell, under, letterhead) if is_plain else ()),
                *_find_greeted(cell),
            ):
                yield from _split_names(name)


@lru_cache(maxsize=_LINES)
def _split_names(text: str) -> Sequence[str]:
    """Return the names that are joined by "and", without what follows each of them."""
    names = (_NAME_ENDS.split(part)[0].strip() for part in _AND.split(text))
    return [name for name in names if name]


def is_recipient_label(text: str) -> bool:
    """Return whether a text is only a recipient label: Invoice to."""
    match = _TO.fullmatch(text)
    return match is not None and not match["name"]


def is_addressed(text: str) -> bool:
    """Return whether a text begins with a recipient label and a colon: To: X."""
    match = _TO.match(text)
    return match is not None and bool(match["colon"])


def _find_cared_for(cell: Cell) -> Iterator[str]:
    if match := _CARE_OF.fullmatch(cell.text):
        yield match["name"]


def _find_labelled(
    row: Sequence[Cell], column: int, below: Sequence[Sequence[Cell]]
) -> Iterator[str]:
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
        yield from _find_second(row[column], row[column + 1], below)
    for under in islice(_column_below(row[column], below), _NAMES):
        if _has_digit(under.text):
            break
        yield under.text


def _is_below_sender_label(cell: Cell, above: Sequence[Cell]) -> bool:
    """Return whether the cell above a name, or the only one of that row, is a sender's label."""
    heading = above[0] if len(above) == 1 else in_column_of(cell, above)
    if heading is None or len(heading.text) > _HEADING:
        return False
    return _SENDER_HEADING.fullmatch(fold(heading.text)) is not None


def _find_company_of(cell: Cell, below: Sequence[Sequence[Cell]]) -> Iterator[str]:
    """Yield the company above a line such as "for the attention of"."""
    under = in_column_of(cell, below[0]) if below else None
    if under and _ATTENTION.match(under.text):
        yield cell.text


def _find_second(label: Cell, first: Cell, below: Sequence[Sequence[Cell]]) -> Iterator[str]:
    """Yield the person below the first one after a label, if that line has no label itself."""
    for cell in (below or [()])[0]:
        if cell.start <= label.end:
            return
        if cell.start == first.start and PERSON.fullmatch(cell.text):
            yield cell.text


def _is_payment_slip(row: Sequence[Cell]) -> bool:
    """Return whether a row is part of a payment slip, whose recipient is the sender."""
    return any(_SLIP.search(fold(cell.text)) for cell in row)


def _column_below(cell: Cell, below: Sequence[Sequence[Cell]]) -> Iterator[Cell]:
    return (under for row in below if (under := in_column_of(cell, row)))


def _find_addressee(cell: Cell, below: Sequence[Sequence[Cell]]) -> Iterator[str]:
    match = _HONORIFIC.fullmatch(cell.text)
    if match is None or _is_company(match):
        return
    column = [under for row in below if (under := in_column_of(cell, row))]
    if any(_has_town(under.text) for under in column):
        yield match["name"] or column[0].text
    elif match["name"] and PERSON.fullmatch(_NAME_ENDS.split(match["name"])[0].strip()):
        yield match["name"]


def _find_plain_addressee(
    cell: Cell, below: Sequence[Sequence[Cell]], letterhead: Collection[str]
) -> Iterator[str]:
    """Yield a name above a street and a town, unless the block goes on like a letterhead."""
    if not _PARTY.fullmatch(cell.text) or _repeats(cell.text, letterhead):
        return
    lines = [under.text for under in _column_below(cell, below[:_BLOCK])]
    # A town just below the name is the sender's, unless its street is before it.
    streets = [line for line in lines[:1] if "," in line]
    has_town = any(map(_has_town, (*streets, *lines[1:_ADDRESS])))
    towns = [at for at, line in enumerate(lines) if _has_town(line)]
    if towns and any(_HONORIFIC.fullmatch(line) for line in lines[towns[0] :]):
        # The addressee is below: this is the sender's own address.
        return
    if has_town and not any(map(_has_contact, lines)):
        yield cell.text


@lru_cache(maxsize=_LINES)
def _has_digit(line: str) -> bool:
    return any(map(str.isdigit, line))


@lru_cache(maxsize=_LINES)
def _has_town(line: str) -> bool:
    return _TOWN.search(line) is not None


@lru_cache(maxsize=_LINES)
def _has_contact(line: str) -> bool:
    return _CONTACT.search(line) is not None


def _read_letterhead(rows: Iterable[Sequence[Cell]]) -> Collection[str]:
    """Return the words of each cell of the letterhead, between spaces."""
    words = {" ".join(split_words(cell.text)) for row in rows for cell in row}
    return [f" {line} " for line in words if line]


def _repeats(name: str, letterhead: Collection[str]) -> bool:
    """Return whether a name has all words of a line of the letterhead: the sender's address."""
    words = f" {' '.join(split_words(name))} "
    return any(line in words for line in letterhead)


def _is_return_address(row: Sequence[Cell]) -> bool:
    """Return whether a row is the small line above an address: the sender, its street and town."""
    text = " , ".join(cell.text for cell in row)
    name = _NAME.search(text) if _TOWN.search(text) else None
    return name is not None and _SEPARATOR.search(text, name.end()) is not None


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
