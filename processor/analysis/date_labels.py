"""Determine the role of each date in a text by the label beside or above it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import chain, islice

from processor.analysis.dates import find_dates
from processor.analysis.layout import (
    Cell,
    find_stacked_labels,
    fold_label,
    in_column_of,
    rows_of,
)
from processor.analysis.value_labels import is_reminder
from processor.analysis.words import Words, any_of, dates, payments


class DateRole(StrEnum):
    """What a date stands for, by its label."""

    ISSUED = "issued"
    """The day on which the document was written."""
    ALONE = "alone"
    """On a line of its own, as in a letterhead."""
    BIRTH = "birth"
    OTHER = "other"
    """A day on which something is due, was delivered, begins or ends."""
    ORDERED = "ordered"
    """The day of an order or a purchase: the document's own if it has no other."""
    NAMED = "named"
    """After what the document calls itself: Rechnung Nr. 4711 vom."""
    MENTIONED = "mentioned"
    """In a sentence, without a label."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class LabelledDate:
    """A date, its role, and the line in which it stands."""

    day: date
    role: DateRole
    row: Sequence[Cell]


_DAY_OF_WEEK = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,? |(?:\w+tag|mittwoch|sonnabend),? )?"
)
_WEEKDAY = re.compile(rf"\s*{_DAY_OF_WEEK}\s*")
_BETWEEN = (
    r"(?:\s*\([^)]*\))?[\s:.=*\x22]*"
    rf"{_DAY_OF_WEEK}"
    r"(?:(?:am|vom|zum|dem|den|der|le|du|op|on|the|is|ist|d\.)[\s:]+)*"
)


def _ends_with(*tables: Words) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'])(?:{any_of(*tables)}){_BETWEEN}$")


_OF_INVOICE = _ends_with(dates.OF_INVOICE)
_COMPOUND = {"de": r"\w{3,}(?:datum|termin|tag)", "en": r"\w{3,} date", "da": r"\w{3,}dato"}
"""Any other compound is the date of something else: Lieferscheindatum."""
_OF = r"(?:vom|v\.|of|du|van|dated|from)\s+"
_REFERS = re.compile(
    r"(?:\b(?:zu|zur|zum|aus|unser(?:er|e|em)?|ihr(?:er|e|em)?|laut|lt|gemass|auf|your|our|original"
    rf"|previous|last|to|votre|notre|uw|onze|vorige)\b.{{0,40}}?)\b{_OF}$"
)
"""The date of another document: zu unserer Rechnung 4711 vom."""
_KIND_DATED = re.compile(
    rf"(?:{any_of(dates.KINDS)})(?: (?:vat )?(?:nr|no|n°?|num|nummer)?\.? ?[\w/.-]*\d[\w/. -]*)?,?"
    r" (?:vom|v\.|of|du|van|dated|del?|d\.d\.|af|av|den|z dnia)\s+"
)
"""The document names itself: Rechnung Nr. 4711 vom."""
_YOUR_KIND_DATED = re.compile(
    rf"(?:votre|ihre?|your|uw|la (?:sua|vostra)|su|din|deres) {_KIND_DATED.pattern}"
)
"""A heading, from the sender's side: Votre facture du."""
_JUST_OF = re.compile(r"(?:vom|v\.|of|du|van|dated|del?|af|av)\s+")
_KIND = re.compile(rf"(?:{any_of(dates.KINDS)})\b")
"""What a document calls itself, above the line with its date."""
_OF_SOMETHING = re.compile(rf"[^\W_].*\b{_OF}$")
"""The date of something that the document names: Spenden vom."""
_DATED = re.compile(r"dated:?\s*")
_THEN = re.compile(r"[^\W\d_]{3,} \w+ (?:am|on|le|op|il|el|em|den|dia)\s+$")
"""Something happens on that day: the meeting is on."""
_SIGNED = re.compile(any_of(dates.SIGNED))
_TIMES = re.compile(r",? ?\d{1,2}[.:]\d{2}(?: ?(?:to|until|bis|tot|-|a|au) ?)\d{1,2}[.:]\d{2}")
"""From one time to another: an event."""

_LABELS = (
    (DateRole.ISSUED, _ends_with(dates.STATEMENT, dates.ALSO_ISSUED)),
    # "Due date" also ends with "date", so the more specific roles come first.
    (DateRole.BIRTH, _ends_with(dates.BIRTH)),
    (DateRole.ORDERED, _ends_with(dates.ORDERED)),
    (DateRole.NAMED, _ends_with(dates.PRODUCED)),
    (DateRole.OTHER, _ends_with(dates.DUE, payments.DUE, dates.SERVED, dates.SPAN)),
    (DateRole.ISSUED, _ends_with(dates.ISSUED)),
    (DateRole.OTHER, _ends_with(_COMPOUND)),
)
_HYPHEN_IN_COMPOUND = re.compile(r"(?<=[^\W\d_]) ?- ?(?=(?:datum|date|tag|termin)\b)")
"""Bestell-Datum is one word, and not the date of the document."""
_NEAR = 60
"""Characters before and after a date in which a label is searched."""
_UNLABELLED = frozenset({DateRole.UNKNOWN, DateRole.MENTIONED})
_BEGINNING = 3000
_REFERS_TO_AN_INVOICE = re.compile(
    r"mahnung|zahlungserinnerung|gutschrift|payment rem|\breminder\b|overdue|credit note|rappel"
    r"|\bavoir\b|herinnering|aanmaning|creditnota"
)
"""In such a document, the date of an invoice is not its own."""
# fmt: off
_IN_TOWNS = frozenset({
    "a", "aan", "am", "an", "auf", "bei", "d", "de", "den", "der", "des", "du", "en", "i", "im",
    "in", "la", "le", "les", "ob", "op", "sous", "sur", "the", "u", "under", "upon", "v", "vor",
})
# fmt: on
_TIME = re.compile(r"\b\d{1,2}:\d{2}\b")
_PRICE = re.compile(r"\d[.,]\d{2}(?!\d)\D*$")
_MAX_DATES = 1000
_WORDS = re.compile(r"[^\W\d_]{2,}")
_SENTENCE = 5
"""Minimum words around a date in a sentence."""
"""Limits the work for a text that consists of dates only."""
_A_SPAN = r"(?:bis|to|until|till|through|au|tot(?: en met)?|t/m|-)"
_SPAN_GOES_ON = re.compile(rf"\.?,? ?{_A_SPAN} ?(?:zum |dem |den |the |le )?\d")
_SPAN_CAME_BEFORE = re.compile(
    r"(?<![\w-])(?:\d{1,2}[./]\d{0,2}[./]?(?:\d{2,4})?|(?:19|20)\d\d) ?-\s*$"
    r"|\b(?:between|zwischen|entre|tussen)\b.{0,30}\b(?:and|und|et|en)\s+$"
)
_IS_PAID_THEN = re.compile(
    r"[^.\d]{0,60}\b(?:abgebucht|eingezogen|fallig|debited|collected|due|preleve|afgeschreven)\b"
)
_PLACE = re.compile(
    r"(?:[a-z][\w.'/-]*)(?: [\w.'/()-]+){0,5}(?:, ?(?:den |le |am |d\. |il )?| (?:den|le) )$"
)
"""Hamburg, den; Paris, le; Sjövik den."""
_NEXT = (_SPAN_GOES_ON, _IS_PAID_THEN)


def find_labelled_dates(text: str) -> Iterator[LabelledDate]:
    """Yield every date that is on one line of `text`, with its role; at most 1,000."""
    return islice(_find_all(text), _MAX_DATES)


def _find_all(text: str) -> Iterator[LabelledDate]:
    refers = _REFERS_TO_AN_INVOICE.search(fold_label(text[:_BEGINNING])) is not None
    in_reminder, rows = is_reminder(text), rows_of(text)
    stacked = find_stacked_labels(rows, text)
    for position, row in enumerate(rows):
        above = rows[position - 1] if position else ()
        for number, cell in enumerate(row):
            folded = fold_label(cell.text) if any(map(str.isdigit, cell.text)) else ""
            is_entry = number == 0 and _is_entry(row)
            for found in find_dates(folded):
                before = folded[max(0, found.start - _NEAR) : found.start]
                after = folded[found.end : found.end + _NEAR]
                labels = _find_labels(before, row, number, above)
                if position in stacked:
                    labels = chain([before, stacked[position]], labels)
                role = _find_role(before, after, labels, in_reminder=in_reminder)
                if _JUST_OF.fullmatch(before) and _is_below_title(cell, above):
                    role = DateRole.NAMED
                if is_entry and not before:
                    role = DateRole.OTHER
                else:
                    role = _see_row(role, before, after, row, number, refers=refers)
                alone = len(row) == 1 and not before + after and role is DateRole.UNKNOWN
                yield LabelledDate(found.day, DateRole.ALONE if alone else role, row)


def _find_labels(
    before: str, row: Sequence[Cell], number: int, above: Sequence[Cell]
) -> Iterator[str]:
    """Yield the texts that may end with the label of a date, the nearest first."""
    yield before
    if len(row) == 1 and len(row[0].text) < _NEAR:
        yield _word_above(before, row[0], above)
    is_short = len(_WORDS.findall(row[0].text)) < _SENTENCE
    if len(row) == len(above) == 1 and is_short and not _PLACE.fullmatch(before):
        # Columns that lost their gaps: the label ends the line above.
        yield above[0].text[-_NEAR:]
    if not _WEEKDAY.fullmatch(before):
        return
    yield row[number - 1].text[-_NEAR:] if number else ""
    over = in_column_of(row[number], above)
    yield over.text[-_NEAR:] if over else ""


def _word_above(before: str, cell: Cell, above: Sequence[Cell]) -> str:
    """Return the word at the same position of the line above, if columns lost their gaps."""
    heads, values = " ".join(over.text for over in above).split(), cell.text.split()
    return heads[before.count(" ")] if len(heads) == len(values) else ""


def _find_role(before: str, after: str, labels: Iterable[str], *, in_reminder: bool) -> DateRole:
    if any(pattern.match(after) for pattern in _NEXT) or _SPAN_CAME_BEFORE.search(before):
        return DateRole.OTHER
    if _KIND_DATED.fullmatch(before) or (_YOUR_KIND_DATED.fullmatch(before) and not after):
        return DateRole.NAMED
    if _REFERS.search(before) or _TIMES.match(after):
        return DateRole.OTHER
    if _DATED.fullmatch(before) and not after:
        return DateRole.ISSUED
    for label in labels:
        whole = _HYPHEN_IN_COMPOUND.sub("", fold_label(label)) + " "
        for role, pattern in _LABELS:
            if pattern.search(whole):
                is_earlier = in_reminder and _OF_INVOICE.search(whole)
                return DateRole.MENTIONED if is_earlier else role
    in_sentence = len(_WORDS.findall(f"{before} {after}")) >= _SENTENCE or _THEN.search(before)
    is_mentioned = bool(in_sentence) or _OF_SOMETHING.search(before) is not None
    return DateRole.MENTIONED if is_mentioned else DateRole.UNKNOWN


def _is_of_something_else(
    role: DateRole, before: str, row: Sequence[Cell], number: int, *, refers: bool
) -> bool:
    """Return whether the rest of its row shows that a date is not the document's own."""
    is_of_amount = number < len(row) - 1 and _PRICE.search(row[-1].text) is not None
    match role:
        case DateRole.NAMED:
            return refers
        case DateRole.ISSUED:
            # In a reminder, a row with an amount is an invoice.
            return _is_signed(row, number) or (refers and is_of_amount and not before)
        case DateRole.MENTIONED:
            return refers and is_of_amount and not before
        case DateRole.UNKNOWN:
            return is_of_amount and _WORDS.search(before) is not None
    return False


def _see_row(
    role: DateRole, before: str, after: str, row: Sequence[Cell], number: int, *, refers: bool
) -> DateRole:
    """Return the role of a date, corrected by what else is in its row."""
    if role in _UNLABELLED and not after and _follows_place(before, row, number):
        return DateRole.ISSUED
    is_other = _is_of_something_else(role, before, row, number, refers=refers)
    return DateRole.OTHER if is_other else role


def _is_below_title(cell: Cell, above: Sequence[Cell]) -> bool:
    """Return whether the line above a cell says what the document is: Facture n° 4711."""
    over = in_column_of(cell, above)
    return over is not None and _KIND.match(fold_label(over.text)) is not None


def _is_signed(row: Sequence[Cell], number: int) -> bool:
    """Return whether a cell before a date in its row is about a signature."""
    return any(_SIGNED.search(fold_label(cell.text)) for cell in row[:number])


def _follows_place(before: str, row: Sequence[Cell], number: int) -> bool:
    """Return whether a date follows the name of a town, in its cell or in the one before."""
    if before or not number:
        return _is_place(before, row[number].text)
    town = row[number - 1].text
    return _is_place(fold_label(town) + " ", town)


def _is_place(before: str, text: str) -> bool:
    """Return whether the text before a date is the name of a town: capitals and small words."""
    if not _PLACE.fullmatch(before) or _WEEKDAY.fullmatch(before):
        return False
    words = re.findall(r"[^\W\d_]+", re.split(r"\d", text)[0])
    return all(word[0].isupper() or word in _IN_TOWNS for word in words)


def _is_entry(row: Sequence[Cell]) -> bool:
    """Return whether a row is an entry of a list: a date, then words, an amount or a time."""
    later = [cell.text for cell in row[1:]]
    has_words = any(_WORDS.search(text) for text in later)
    timed = any(_TIME.search(text) and _WORDS.search(text) for text in later)
    return has_words and (timed or bool(later and _PRICE.search(later[-1])))
