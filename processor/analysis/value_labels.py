"""Find the labels of a value, and what they say it belongs to: an invoice, a customer."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from itertools import islice

from core.text import fold, split_words
from processor.analysis.dates import find_dates
from processor.analysis.document_kinds import OF_A_REMINDER
from processor.analysis.layout import Cell, fold_label, in_column_of, read_page
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
    r"(?<=[a-z)\d]{2})(?<!\b(?:inkl|incl|exkl|excl|zzgl|vers|mind))(?<!\babzgl)(?<!\b(?:nr|no|ca|rg|re|ft))"
    r"(?<!\b(?:inv|doc|fra|num))(?<!\b(?:fact|fatt|rech))"
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
_QUOTED = re.compile(any_of(numbers.QUOTED))
_OWN_REFERENCE = re.compile(rf"(?:{any_of(numbers.OWN_REFERENCE)})[\s:.]*$")
_ONLY_NAMES_A_NUMBER = re.compile(
    rf"(?:[a-z]+ )?\w*(?:{any_of(numbers.INVOICE)})s?[\W_]{{0,3}}"
    rf"(?:{any_of(numbers.JUST_A_NUMBER)})[\s:.]*"
)
"""A cell that is nothing but a label: invoice number."""
_HAS_VALUE = re.compile(r"(?<!\S)(?!(?:19|20)\d\d$)\S*\d\S*$")
"""A cell with a number of its own: Rechnungs-Nr. 4711."""
_END_OF_SENTENCE = re.compile(r"(?:\S+ ){4,}[^\W\d_]{4,}\.")
_JUST_A_NUMBER = re.compile(rf"(?:{any_of(numbers.JUST_A_NUMBER)})[\s:]*")
_SAYS_LITTLE = re.compile(
    rf"[\W_]*(?:{any_of(numbers.JUST_A_NUMBER, numbers.REFERENCE_WORD)})[\s:.]*"
)
"""Beside a word for a document, it is the number of that document."""
_OF_AN_INVOICE = re.compile(
    rf"(?:{any_of(numbers.INVOICE)})s?[\W_]*(?:{any_of(numbers.JUST_A_NUMBER)}|[\W_])*"
    rf"(?:{any_of(numbers.REFERENCE_WORD)})[\s:.]*$"
)
_OF_A_DATE = re.compile(
    r"(?:datum|\bdate|dato|\bdata|fecha|\btime|zeit|jahr|\byear|\bannee|\bjaar|\banno|\?)[\s:.]*$"
)
"""Invoice date: the number beside it is no invoice number, nor is one below a question."""
_ENDS_LIKE_A_NUMBER = re.compile(
    rf"(?:(?<!\w)(?:{any_of(numbers.JUST_A_NUMBER)})|nummer|nr)[\s:.]*$"
)
_OF_A_RECEIPT = re.compile(rf"(?<!\w)(?:{any_of(numbers.RECEIPT)})")
_TICKET = re.compile(rf"\W*(?:{any_of(numbers.TICKET)})\W*")
_OF_A_BILL = re.compile(rf"(?:{any_of(numbers.BILL)})")
_BARE_PRICE = re.compile(r"[^\w\d]*[a-z]{0,3}\W{0,3}\d[\d.,' ]*[.,]\d{2}\W{0,3}[a-z]{0,3}\W*")
_MEASURE = re.compile(rf"\s?(?:{any_of(numbers.MEASURES)})(?!\w)")
_DATED = re.compile(rf",?\s+(?:{any_of(numbers.BEFORE_DATE)})[\s:]+")
_ABOUT = re.compile(r"\b(?:for|fur|pour|voor)\s*$")
"""What follows is a period or a thing, not a number: your bill for 2026/27."""
_DUE = re.compile(r"fallig|\bdue\b|zahlungs?(?:ziel|frist|termin)|zahlbar|pay by|echeance|verval")
_BILL = re.compile(rf"\w*(?:{any_of(numbers.INVOICE)})")
_PHONE = re.compile(r"\+\s?\(?$")
_HEADINGS = 3
"""Minimum words of a line of headings."""
_HEADING = 60
"""Maximum characters of a heading."""
_SENTENCE_WORDS = 8
_LONG_ENOUGH = 4
"""Minimum letters of a word that may have an ending in a label."""
_TITLE = re.compile(r"[^\W\d_]+(?:[ /'-]{1,3}[^\W\d_]+){0,3}")
_NARROW = 3
"""Maximum spaces between the parts of a line that has no columns."""
_TITLE_ABOVE = 8
"""Rows above a number in which the title of the document is searched."""
MAX_PLACES = 1000
CELLS = 8
"""Limits for a text that consists of values only."""
_LINES = 8
"""Cached lines: a line may have a thousand values."""
_ROWS_ABOVE = 25
"""Rows above an amount in which the heading of its column is searched."""
NO_LABEL = re.compile(
    r"(?:\b(?:no|nr|nummer|number|numero|num|n|eur|euro|gbp|usd|chf|cad|aud|rm|myr|kr|sek|nok|dkk"
    r"|pln|czk|jpy)\b|\b[a-z]{1,2}\$|[\W\d_])*"
)
"""Text that does not say what a value is."""
PRICE = re.compile(r"\d[.,]\d{2}(?!\.?\d)")
"""Not the beginning of a date: 18.12.2025."""
WORD = re.compile(r"[^\W\d_]{3,}(?![-/]?\d)")


@dataclass(frozen=True, slots=True)
class LabelledPlace:
    """A place of a value: its row, and the texts that may be its label, nearest first."""

    row: Sequence[Cell]
    labels: tuple[str, ...]
    is_alone: bool = False
    """Whether its cell has no other word."""
    after: str = ""
    """What follows it in its cell."""
    column: int = 0

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
    def is_mentioned(self) -> bool:
        """Return whether it is within a sentence."""
        return _has_sentence(self.row[self.column].text)

    @property
    def is_quoted(self) -> bool:
        """Return whether a payment is to mention it: please quote invoice."""
        return bool(self.labels) and _QUOTED.search(self.labels[0]) is not None

    @property
    def is_phone(self) -> bool:
        """Return whether a plus sign is before it, as before a country code."""
        return bool(self.labels) and _PHONE.search(self.labels[0]) is not None

    @property
    def is_quantity(self) -> bool:
        """Return whether a unit follows it: 2.910 kWh."""
        return _MEASURE.match(self.after) is not None

    @property
    def is_of_an_entry(self) -> bool:
        """Return whether its row is an entry of a list, which ends with an amount."""
        if not any(WORD.search(cell.text) for cell in self.row):
            return False
        later = [fold(cell.text) for cell in self.row[self.column + 1 :][:CELLS]]
        return any(_BARE_PRICE.fullmatch(text) and not any(find_dates(text)) for text in later)

    @property
    def day(self) -> date | None:
        """Return the date that follows it: Rechnung 4711 vom."""
        dated = _DATED.match(self.after)
        found = next(iter(find_dates(self.after)), None) if dated else None
        return found.day if dated and found and found.start == dated.end() else None

    @property
    def is_documents_own(self) -> bool:
        """Return whether a heading just says number, above a row that also has a date."""
        if not any(map(_JUST_A_NUMBER.fullmatch, self.labels)) or len(self.row) > CELLS:
            return False
        cells = [fold(cell.text[:_NEAR]) for cell in self.row]
        has_date = any(any(find_dates(cell)) for cell in cells)
        return has_date and not any(map(PRICE.search, cells[1:]))

    @property
    def is_of_a_reminder(self) -> bool:
        """Return whether it is the number of the reminder itself."""
        return any(map(_ends_like_a_reminder, self.labels[:1]))

    @property
    def is_called_a_number(self) -> bool:
        """Return whether a word for a number is just before it: invoice no."""
        return bool(self.labels) and _ENDS_LIKE_A_NUMBER.search(self.labels[0]) is not None

    @property
    def is_of_a_ticket(self) -> bool:
        """Return whether its whole label is a word such as ticket, as on a till receipt."""
        return bool(self.labels) and _TICKET.fullmatch(self.labels[0]) is not None

    @property
    def is_of_a_receipt(self) -> bool:
        """Return whether its label is a word for a receipt, and not for an invoice."""
        label = next(filter(_find_number_subjects, self.labels), "")
        return _OF_A_RECEIPT.search(label) is not None and not _OF_A_BILL.search(label)

    @property
    def is_own_reference(self) -> bool:
        """Return whether it is the sender's reference: our ref."""
        return any(map(_OWN_REFERENCE.search, self.labels))

    @property
    def is_labelled(self) -> bool:
        return not all(map(NO_LABEL.fullmatch, self.labels))


@dataclass(frozen=True, slots=True)
class Heads:
    """The words in the row above a single cell."""

    words: Sequence[str] = ()
    is_one_for_each: bool = False
    """Whether there are as many as there are words in the cell."""


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
    heads: Heads = Heads()


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
    for place in islice(find_places(text, spans), MAX_PLACES):
        title = _find_title(place)
        labels = [title, *labels_of(place, past_values=isinstance(value, Decimal))]
        is_alone = not WORD.search(f"{place.before} {place.after}")
        found = tuple(filter(None, labels))
        yield LabelledPlace(place.row, found, is_alone, place.after, place.column)


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
    page = read_page(text)
    rows, stacked = page.rows, page.stacked
    for number, row in enumerate(rows):
        above = rows[max(0, number - _ROWS_ABOVE) : number][::-1]
        label, heads = fold_label(stacked.get(number, "")), _find_heads(row, above)
        for column, cell in enumerate(row):
            folded = fold_label(cell.text) if any(map(str.isdigit, cell.text)) else ""
            for start, end in spans_in(folded) if folded else ():
                before = folded[max(0, start - _AROUND) : start]
                after = folded[end : end + _AROUND]
                yield Place(row, column, before, after, above, label, heads)


def _find_heads(row: Sequence[Cell], above: Sequence[Sequence[Cell]]) -> Heads:
    """Return the words above a row without columns; it may have lost the gaps between them."""
    if len(row) != 1 or not above:
        return Heads()
    words = " ".join(cell.text for cell in above[0]).split()
    return Heads(words, is_one_for_each=len(words) == len(row[0].text.split()))


def _spans_of_text(value: str) -> Callable[[str], Iterable[tuple[int, int]]]:
    letters = [re.escape(letter) for letter in fold(value) if letter.isalnum()]
    spelling = r"[\W_]*".join(letters)
    pattern = re.compile(rf"(?<![^\W_])(?<!\d[./-]){spelling}(?![^\W_])" if letters else r"(?!)")
    return lambda folded: (match.span() for match in pattern.finditer(folded))


def _spans_of_number(value: Decimal) -> Callable[[str], Iterable[tuple[int, int]]]:
    return lambda folded: (
        (number.start, number.end)
        for number in find_numbers(folded)
        if value in number.meanings or -value in number.meanings
    )


def labels_of(place: Place, *, past_values: bool = True) -> Iterator[str]:
    """Yield the texts that may say what a value is, the nearest first.

    `past_values` also looks for a label beyond other values of the row.
    """
    before = _SENTENCE.split(place.before)[-1]
    left = _label_on_the_left(place, past_values=past_values)
    if left and _SAYS_LITTLE.fullmatch(before):
        yield f"{left} {before}"[-_NEAR:]
    yield before[-_NEAR:]
    if not NO_LABEL.fullmatch(before) and WORD.search(before):
        if not place.after and len(place.row) == 1:
            # Columns that lost their gaps: the label ends the line above.
            yield _end_of_line_above(place)
        return
    if left:
        yield left
        if not past_values:
            yield _named_number_above(place)
    if place.stacked:
        yield place.stacked
    has_values = any(any(map(str.isdigit, cell.text)) for cell in (place.above or [()])[0])
    if past_values or not (left or has_values):
        yield from _labels_above(place)


def _label_on_the_left(place: Place, *, past_values: bool) -> str:
    for cell in reversed(place.row[max(0, place.column - CELLS) : place.column]):
        label = fold_label(cell.text)
        if not past_values and _HAS_VALUE.search(label):
            break
        is_short = not past_values and _find_number_subjects(label[-_NEAR:])
        if (WORD.search(label) or is_short) and not NO_LABEL.fullmatch(label):
            return label[-_NEAR:]
        if not past_values and any(map(str.isdigit, label)):
            break
    return ""


def _labels_above(place: Place) -> Iterator[str]:
    above = place.above[0] if place.above else ()
    heads = place.heads.words
    if len(place.row) == len(above) == 1 and not place.before and _are_headings(heads):
        # Columns that lost their gaps: the first value is below the first heading.
        yield fold_label(heads[0])
        return
    over = in_column_of(place.row[place.column], above)
    if over and not _is_sentence(over):
        yield fold_label(over.text)[-_NEAR:]
    if place.heads.is_one_for_each:
        # A currency sign joined to the last value counts as a word: then there is no heading.
        yield from map(fold_label, heads[len(place.before.split()) :][:1])
    elif len(place.row) == 1:
        yield _end_of_line_above(place)


def _named_number_above(place: Place) -> str:
    """Return the cell above a number if it is the last of its row and only a label.

    The cell on the left is then in another column, such as an address.
    """
    above = place.above[0] if place.above else ()
    over = in_column_of(place.row[place.column], above)
    label = fold_label(over.text[:_HEADING]) if over and over is above[-1] else ""
    return label if _ONLY_NAMES_A_NUMBER.fullmatch(label) else ""


def _are_headings(words: Sequence[str]) -> bool:
    """Return whether the words of a line are the headings of columns, one of them for dates."""
    return len(words) >= _HEADINGS and any(_OF_A_DATE.search(fold_label(word)) for word in words)


def _end_of_line_above(place: Place) -> str:
    """Return the line above a single cell, if it ends with words that may be a label."""
    above = place.above[0] if place.above else ()
    return _read_end(above[0]) if len(above) == 1 else ""


@lru_cache(maxsize=_LINES)
def _read_end(line: Cell) -> str:
    """Return the end of a line, unless it is a number or ends a sentence."""
    if any(map(str.isdigit, line.text.rsplit(maxsplit=1)[-1])) or _is_sentence(line):
        return ""
    return fold_label(line.text)[-_NEAR:]


@lru_cache(maxsize=_LINES)
def _has_sentence(text: str) -> bool:
    """Return whether a text has as many words as a sentence."""
    return len(WORD.findall(text)) >= _SENTENCE_WORDS


def _is_sentence(cell: Cell) -> bool:
    return _END_OF_SENTENCE.fullmatch(fold(cell.text[-_AROUND:])) is not None


def _find_title(place: Place) -> str:
    """Return the title above a number that is only labelled "number"; "" if there is none."""
    if not any(map(_JUST_A_NUMBER.fullmatch, _plain_labels(place))):
        return ""
    left = fold_label(place.row[place.column - 1].text) if place.column else ""
    if _TITLE.fullmatch(left) and _find_number_subjects(left):
        return left
    if place.before and WORD.search(left) and _is_close(place):
        # The line goes on after a wide space: approved installer  no.
        return ""
    for cell in place.row[max(0, place.column - CELLS) : place.column]:
        if title := _BILL.match(fold_label(cell.text[:_HEADING])):
            # The title goes on with a period: Rechnung März 2026.
            return title[0]
    cells = (fold_label(cell.text) for row in place.above[:_TITLE_ABOVE] for cell in row[:CELLS])
    titles = (cell for cell in cells if _TITLE.fullmatch(cell) and _find_number_subjects(cell))
    return next(titles, "")


def _is_close(place: Place) -> bool:
    cell, left = place.row[place.column], place.row[place.column - 1]
    return cell.start - left.end <= _NARROW


def _plain_labels(place: Place) -> Iterator[str]:
    """Yield what is before a number; above it only if there are no columns."""
    before = place.before.strip(" :.-")
    yield before
    if before:
        return
    if place.column:
        yield fold_label(place.row[place.column - 1].text)
    elif len(place.row) == 1 and place.above and len(place.above[0]) == 1:
        yield fold_label(place.above[0][0].text)


def _ends_like_a_reminder(label: str) -> bool:
    return any(match.end() == len(label) for match in OF_A_REMINDER.finditer(label))


def _find_number_subjects(label: str) -> frozenset[Subject]:
    """Return what the last word of a label that says it is the number of."""
    if _ABOUT.search(label) or _OF_A_DATE.search(label):
        return frozenset()
    if _OF_AN_INVOICE.search(label) or _ends_like_a_reminder(label):
        return frozenset({Subject.INVOICE})
    ends = {
        subject: max((match.end() for match in words.finditer(label)), default=0)
        for subject, words in _NUMBER_WORDS.items()
    }
    last = max(ends.values())
    return frozenset(subject for subject, end in ends.items() if end == last and last)
