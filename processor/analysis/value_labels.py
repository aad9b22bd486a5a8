"""Find the labels of a value, and what they say it belongs to: an invoice, a customer."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from itertools import islice

from core.text import fold, split_words
from processor.analysis.dates import find_dates
from processor.analysis.layout import Cell, find_stacked_labels, in_column_of, rows_of
from processor.analysis.numbers import find_numbers
from processor.analysis.words import Words, any_of, numbers


class Subject(StrEnum):
    """What a number identifies, or what an amount is paid for."""

    INVOICE = "invoice"
    CUSTOMER = "customer"
    ORDER = "order"
    CONTRACT = "contract"
    TAX = "tax"
    BANK = "bank"
    DELIVERY = "delivery"
    REFERENCE = "reference"
    THING = "thing"
    PERSON = "person"
    CONTACT = "contact"
    PAYABLE = "payable"
    """The balance due, or the amount paid out."""
    TOTAL = "total"
    REFUND = "refund"
    AMOUNT = "amount"
    """Some amount: the total if no other is called so."""
    NET = "net"
    PART = "part"
    """Neither the total nor the net amount: postage, change, a unit price."""
    DEDUCTED = "deducted"
    """Deducted from a total: a discount, a deposit, a payment."""


_NUMBERS: Mapping[Subject, Words] = {
    Subject.INVOICE: numbers.INVOICE,
    Subject.CUSTOMER: numbers.CUSTOMER,
    Subject.ORDER: numbers.ORDER,
    Subject.CONTRACT: numbers.CONTRACT,
    Subject.TAX: numbers.TAX,
    Subject.BANK: numbers.BANK,
    Subject.DELIVERY: numbers.DELIVERY,
    Subject.REFERENCE: numbers.REFERENCE,
    Subject.THING: numbers.THING,
    Subject.PERSON: numbers.PERSON,
    Subject.CONTACT: numbers.CONTACT,
}
_NUMBER_WORDS = {subject: re.compile(any_of(words)) for subject, words in _NUMBERS.items()}
_AROUND = 200
"""Characters of a cell before and after a value that are kept."""
_NEAR = 70
"""Characters before a value in which its label is searched."""
_SENTENCE = re.compile(
    r"(?<=[a-z)\d]{2})(?<!\b(?:inkl|incl|exkl|excl|zzgl|vers))(?<!\babzgl)(?<!\b(?:nr|no|ca))"
    r"[.;!?] (?=[a-z])"
)
"""The end of a sentence, but not of an abbreviation."""
_GENERIC_WORDS = frozenset(
    {"no", "nr", "nummer", "number", "numero", "num", "id", "date", "datum", "der", "die", "des",
     "of", "the", "de", "du", "la", "le", "van", "in", "eur", "field", "feld", "wert", "value"}
)  # fmt: skip
"""Words of a field's name that no label needs to have."""
_NUMBER_NAME = re.compile(r"nummer|nr\b|\b(?:no|num|number|numero)\b")
_EARLIER = re.compile(any_of(numbers.EARLIER))
_REMINDER = re.compile(any_of(numbers.REMINDER))
_BEGINNING = 2000
"""Characters at the beginning in which a document says what it is."""
_MONTH = re.compile(r"(?:0?[1-9]|1[0-2])\s?/\s?(?:19|20)\d\d")
_JUST_A_NUMBER = re.compile(rf"(?:{any_of(numbers.JUST_A_NUMBER)})[\s:]*")
_INVOICE_PREFIX = re.compile(r"(?:re|rg|rnr|rech|inv|fac?|fact|fv)[-/. ]?\d.*|inv[-/].*")
"""Invoice numbers often say what they are: RE-2026-118, INV 4711, FA-2026-031."""
_ABOUT = re.compile(r"\b(?:for|fur|pour|voor)\s*$")
"""What follows is a period or a thing, not a number: your bill for 2026/27."""
_DUE = re.compile(r"fallig|\bdue\b|zahlungs?(?:ziel|frist|termin)|zahlbar|pay by|echeance|verval")
_LONG_ENOUGH = 4
"""Minimum letters of a word that may have an ending in a label."""
_TITLE = re.compile(r"[^\W\d_]+(?:[ /'-]{1,3}[^\W\d_]+){0,3}")
_TITLE_ABOVE = 8
"""Rows above a number in which the title of the document is searched."""
MOST_PLACES = 1000
CELLS = 8
"""Limits for a text that consists of values only."""
_ENOUGH = 100_000
"""Characters in which values are searched: a megabyte would take seconds."""
_ROWS_ABOVE = 25
"""Rows above an amount in which the heading of its column is searched."""
NO_LABEL = re.compile(
    r"(?:\b(?:no|nr|nummer|number|numero|num|n|eur|euro|gbp|usd|chf|cad|aud|rm|myr|kr|sek|nok|dkk"
    r"|pln|czk|jpy)\b|\b[a-z]{1,2}\$|[\W\d_])*"
)
"""Text that does not say what a value is."""
PRICE = re.compile(r"\d[.,]\d{2}(?!\d)")
WORD = re.compile(r"[^\W\d_]{3,}(?![-/]?\d)")


@dataclass(frozen=True, slots=True)
class LabelledPlace:
    """A place of a value: its row, and the texts that may be its label, nearest first."""

    row: Sequence[Cell]
    labels: tuple[str, ...]
    is_alone: bool = False
    """Whether its cell has no other word."""

    @property
    def number_subjects(self) -> frozenset[Subject]:
        """Return what the nearest label that says so calls it the number of."""
        subjects = map(_find_number_subjects, self.labels)
        return next(filter(None, subjects), frozenset())

    @property
    def is_of_an_earlier_document(self) -> bool:
        """Return whether it is the number of an earlier invoice."""
        return bool(self.labels) and _EARLIER.search(self.labels[0]) is not None

    @property
    def is_documents_own(self) -> bool:
        """Return whether a heading just says number, above a row that also has a date."""
        if not any(map(_JUST_A_NUMBER.fullmatch, self.labels)) or len(self.row) > CELLS:
            return False
        cells = [fold(cell.text[:_NEAR]) for cell in self.row]
        has_date = any(any(find_dates(cell)) for cell in cells)
        return has_date and not any(map(PRICE.search, cells[1:]))

    @property
    def is_labelled(self) -> bool:
        return not all(map(NO_LABEL.fullmatch, self.labels))


@dataclass(frozen=True, slots=True)
class Place:
    """A value on the page: its cell, what is before and after it there, and the rows above."""

    row: Sequence[Cell]
    column: int
    before: str
    after: str
    above: Sequence[Sequence[Cell]]
    """The nearest first."""
    stacked: str = ""
    """Its label, if a block of labels is above a block of as many values."""


def number_subjects(name: str) -> frozenset[Subject]:
    """Return what a field with this name has the number of; nothing if it is not known."""
    folded = fold(name)
    return frozenset(s for s, words in _NUMBER_WORDS.items() if words.search(folded))


def is_number(name: str) -> bool:
    """Return whether a field with this name has a number, such as an invoice number."""
    return _NUMBER_NAME.search(fold(name)) is not None


def is_due_date(name: str) -> bool:
    """Return whether a field with this name has the day on which something is due."""
    return _DUE.search(fold(name)) is not None


def find_labelled_places(value: str | Decimal, text: str) -> Iterator[LabelledPlace]:
    """Yield every place of a value in a text, with its labels; at most 1,000."""
    spans = _spans_of_number(value) if isinstance(value, Decimal) else _spans_of_text(value)
    for place in islice(find_places(text, spans), MOST_PLACES):
        title = _find_title(place)
        labels = [title, *labels_of(place)] if title else [*labels_of(place)]
        is_alone = not WORD.search(f"{place.before} {place.after}")
        yield LabelledPlace(place.row, tuple(filter(None, labels)), is_alone)


def is_reminder(text: str) -> bool:
    """Return whether a document is about an earlier invoice: its number is the one to file."""
    return _REMINDER.search(fold(text[:_BEGINNING])) is not None


def is_month(value: str) -> bool:
    """Return whether a text is the month of a year, and so not a number: 02/2026."""
    return _MONTH.fullmatch(value.strip()) is not None


def has_invoice_prefix(value: str) -> bool:
    """Return whether a number begins like an invoice number."""
    return _INVOICE_PREFIX.fullmatch(fold(value)) is not None


def has_word_of(name: str, labels: Iterable[str]) -> bool:
    """Return whether labels have a word of a field's name that says what the field is."""
    telling = [word for word in split_words(name) if word not in _GENERIC_WORDS]
    words = {word for label in labels for word in split_words(label)}
    return any(is_form_of(word, form) for word in telling for form in words)


def is_form_of(word: str, form: str) -> bool:
    """Return whether `form` is the word, or the word with an ending: bezahlt, bezahlter."""
    return word == form or (len(word) >= _LONG_ENOUGH and form.startswith(word))


def find_places(text: str, spans_in: Callable[[str], Iterable[tuple[int, int]]]) -> Iterator[Place]:
    """Yield every place of the values that `spans_in` finds in a folded cell."""
    rows = rows_of(text[:_ENOUGH])
    stacked = find_stacked_labels(rows)
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            folded = fold(cell.text) if any(map(str.isdigit, cell.text)) else ""
            for start, end in spans_in(folded) if folded else ():
                above = rows[max(0, number - _ROWS_ABOVE) : number][::-1]
                before = folded[max(0, start - _AROUND) : start]
                after, label = folded[end : end + _AROUND], stacked.get(number, "")
                yield Place(row, column, before, after, above, fold(label))


def _spans_of_text(value: str) -> Callable[[str], Iterable[tuple[int, int]]]:
    letters = [re.escape(letter) for letter in fold(value) if letter.isalnum()]
    spelling = r"[\W_]*".join(letters)
    pattern = re.compile(rf"(?<![^\W_]){spelling}(?![^\W_])" if letters else r"(?!)")
    return lambda folded: (match.span() for match in pattern.finditer(folded))


def _spans_of_number(value: Decimal) -> Callable[[str], Iterable[tuple[int, int]]]:
    return lambda folded: (
        (number.start, number.end)
        for number in find_numbers(folded)
        if value in number.meanings or -value in number.meanings
    )


def labels_of(place: Place) -> Iterator[str]:
    """Yield the texts that may say what a value is, the nearest first."""
    before = _SENTENCE.split(place.before)[-1]
    yield before[-_NEAR:]
    if not NO_LABEL.fullmatch(before):
        if not place.after and len(place.row) == 1:
            # Columns that lost their gaps: the label ends the line above.
            yield _end_of_line_above(place)
        return
    for cell in reversed(place.row[max(0, place.column - CELLS) : place.column]):
        label = fold(cell.text)
        if WORD.search(label) and not NO_LABEL.fullmatch(label):
            yield label[-_NEAR:]
            break
    if place.stacked:
        yield place.stacked
    yield from _labels_above(place)


def _labels_above(place: Place) -> Iterator[str]:
    above = place.above[0] if place.above else ()
    if over := in_column_of(place.row[place.column], above):
        yield fold(over.text)[-_NEAR:]
    values = place.row[place.column].text.split()
    heads = " ".join(cell.text for cell in above).split()
    if len(place.row) == 1 and len(heads) == len(values):
        yield fold(heads[len(place.before.split())])
    elif len(place.row) == 1:
        yield _end_of_line_above(place)


def _end_of_line_above(place: Place) -> str:
    """Return the line above a single cell, if it ends with words that may be a label."""
    above = place.above[0] if place.above else ()
    if len(above) != 1 or any(map(str.isdigit, above[0].text.split()[-1])):
        return ""
    return fold(above[0].text)[-_NEAR:]


def _find_title(place: Place) -> str:
    """Return the title above a number that is only labelled "number"; "" if there is none."""
    if not any(map(_JUST_A_NUMBER.fullmatch, _plain_labels(place))):
        return ""
    cells = (fold(cell.text) for row in place.above[:_TITLE_ABOVE] for cell in row[:CELLS])
    titles = (cell for cell in cells if _TITLE.fullmatch(cell) and _find_number_subjects(cell))
    return next(titles, "")


def _plain_labels(place: Place) -> Iterator[str]:
    """Yield what is before a number; above it only if there are no columns."""
    yield place.before.strip()
    if place.before.strip():
        return
    if place.column:
        yield fold(place.row[place.column - 1].text)
    elif len(place.row) == 1 and place.above and len(place.above[0]) == 1:
        yield fold(place.above[0][0].text)


def _find_number_subjects(label: str) -> frozenset[Subject]:
    """Return what the last word of a label that says it is the number of."""
    if _ABOUT.search(label):
        return frozenset()
    ends = {
        subject: max((match.end() for match in words.finditer(label)), default=0)
        for subject, words in _NUMBER_WORDS.items()
    }
    last = max(ends.values())
    return frozenset(subject for subject, end in ends.items() if end == last and last)
