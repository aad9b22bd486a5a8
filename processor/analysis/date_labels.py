"""Determine the role of each date in a text by the label beside or above it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import chain, islice

from core.calendar import DateOrder
from core.text import fold
from processor.analysis.dates import FoundDate, detect_date_order, find_dates
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
    PRODUCED = "produced"
    """When the document was printed, or the accounts in it were closed."""
    MENTIONED = "mentioned"
    """In a sentence, without a label."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class LabelledDate:
    """A date, its role, and the line in which it stands."""

    day: date
    role: DateRole
    row: Sequence[Cell]


_DAY_OF_WEEK = rf"(?:(?:{any_of(dates.WEEKDAYS)}),? )?"
_AFTER_WEEKDAY = re.compile(rf"(?:{any_of(dates.WEEKDAYS)}),? (?:den |the |le )?$")
_WEEKDAY = re.compile(rf"[\s:]*{_DAY_OF_WEEK}(?:den |the |le |il |el )?\s*")
_BETWEEN = (
    r"(?:\s*\([^)]*\))?[\s:.=*\x22]*"
    rf"{_DAY_OF_WEEK}"
    r"(?:(?:am|vom|zum|dem|den|der|le|du|op|on|the|is|ist|il|el|d\.)[\s:]+)*"
)


def _ends_with(*tables: Words) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'])(?:{any_of(*tables)}){_BETWEEN}$")


_OF_INVOICE = _ends_with(dates.OF_INVOICE)
_QUALIFIED = _ends_with(dates.QUALIFIED)
_COMPOUND = {"de": r"\w{3,}(?:datum|termin|tag)", "da": r"\w{3,}dato"}
"""Any other compound is the date of something else: Lieferscheindatum."""
_OF = r"(?:vom|v\.|of|du|van|dated|from)\s+"
_REFERS = re.compile(
    r"(?:\b(?:zu|zur|zum|aus|unser(?:er|e|em)?|ihr(?:er|e|em)?|laut|lt|gemass|auf|your|our|original"
    rf"|previous|last|to|votre|notre|uw|onze|vorige)\b.{{0,40}}?)\b{_OF}$"
)
"""The date of another document: zu unserer Rechnung 4711 vom."""
_KIND_DATED = re.compile(
    rf"(?:{any_of(dates.KINDS)})(?: (?:vat )?(?:nr|no|n°?|num|nummer)?\.? ?[\w/.-]*\d[\w/. -]*)?,?"
    r" (?:vom|v\.|of|du|van|dated|del?|d\.d\.|af|av|den|z dnia|(?:de|con) fecha|in data|en date du"
    r"|de data)\s+"
)
"""The document names itself: Rechnung Nr. 4711 vom."""
_YOUR_KIND_DATED = re.compile(
    rf"(?:votre|ihre?|your|uw|la (?:sua|vostra)|su|din|deres) {_KIND_DATED.pattern}"
)
"""A heading, from the sender's side: Votre facture du."""
_JUST_OF = re.compile(r"(?:vom|v\.|of|du|van|dated|del?|af|av)\s+")
_JUST_OF_DAY = re.compile(rf"{_JUST_OF.pattern}{_DAY_OF_WEEK}")
_KIND = re.compile(rf"(?:(?:votre|ihre?|your|uw) )?(?:{any_of(dates.KINDS)})\b")
"""What a document calls itself, above the line with its date."""
_OF_SOMETHING = re.compile(r"[^\W_].*\b(?:vom|v\.|of|du|van|dated|from)[\s:]+$")
"""The date of something that the document names: Spenden vom."""
_DATED = re.compile(r"(?:this [\w ]{3,30} is )?dated:?\s*")
_OF_ANOTHER = re.compile(
    r"[^\W_].* (?:(?:de|con) fecha|in data|en date du|mit datum(?: vom)?|de data|d\.d\.|dated"
    r"|z dnia)\s+$"
)
"""The date of another document: que anula la factura 211 de fecha."""
_DONE_IN = re.compile(r"\ben [^,.\d]{2,40}, a(?: dia)? $|, a [a-z ]{10,60} ?\($")
"""The formula above a signature: en Villasol, a; a diez de mayo de dos mil veinte (."""
_NUMBER_LINE = re.compile(r"(?:n°?|nr|no|num\w*)\.? ?:? ?[\w ./-]*\d[\w ./-]*")
_E_MAIL = re.compile(rf"(?:{any_of(dates.SENT)}):\s*{_DAY_OF_WEEK}\s*")
_E_MAIL_HEAD = re.compile(rf"(?:{any_of(dates.E_MAIL_HEAD)}) ?:")
_MINUTES_OF = re.compile(
    rf"(?:{any_of(dates.MINUTES)})\b.{{4,70}}\b(?:vom|am|of|on|du|le|van|op|del|den|af)\s+"
)
"""Minutes name the day of the meeting in their title."""
_TIME_LABEL = re.compile(rf"(?:{any_of(dates.TIME)})\b.*")
_DELIVERY_NOTE = re.compile(any_of(dates.DELIVERY_NOTES))
_ORDER_CONFIRMATION = re.compile(any_of(dates.ORDER_CONFIRMATIONS))
_DELIVERED = _ends_with(dates.DELIVERED)
_NEXT_ONE = _ends_with(dates.NEXT, dates.OF_THE_READER)
_MEETING_DAY = _ends_with(dates.MEETING_DAY)
_MINUTES = re.compile(any_of(dates.MINUTES))
_MINUTES_TITLE = re.compile(rf"(?:{any_of(dates.MINUTES)})\D*")
_ITEM = re.compile(r"(?:top )?\d{1,2}[.)]?")
"""The number of an item of the agenda."""
_TITLE_ROWS = 8
"""Rows at the beginning in which a document says what it is."""
_TITLE_WORDS = 5
_TOP = 12
"""Rows at the beginning in which a letter has its date."""
_AFTER_CAPITALS = re.compile(r".*\b[A-Z]{2,} (?=[A-Z][a-z]+\W*$)")
"""An address in capitals, before a label: 48 TAMARACK STREET Date."""
_THEN = re.compile(
    r"[^\W\d_]{3,} \w+ (?:am|on|le|op|il|el|em|den|dia)\s+$"
    r"|[^\W\d_]{4,} (?:am|on|op|il|el|em|dia)[\s:]+$"
)
"""Something happens on that day: the meeting is on."""
_SIGNED_BY = re.compile(rf"(?:{any_of(dates.SIGNED_BY)})\b ?[.:]")
_SIGNED = re.compile(any_of(dates.SIGNED))
_EMPTY_REFERENCE = re.compile(rf"\b(?:{any_of(dates.REFERENCE)})\.? ?:$")
"""Nothing follows it, so a date in the next column is not its value."""
_AT_A_TIME = re.compile(
    r",? ?(?:(?:at|um|om|a|alle|las|kl\.?|from|von|van|de) )*\d{1,2}[.:h]\d{2}\b"
)
_TIMES = re.compile(r",? ?\d{1,2}[.:]\d{2}(?: ?(?:to|until|bis|tot|-|a|au) ?)\d{1,2}[.:]\d{2}")
"""From one time to another: an event."""

_LABELS = (
    (DateRole.PRODUCED, _ends_with(dates.STATEMENT, dates.DATE_AND_TIME)),
    (DateRole.ISSUED, _ends_with(dates.ALSO_ISSUED)),
    # "Due date" also ends with "date", so the more specific roles come first.
    (DateRole.BIRTH, _ends_with(dates.BIRTH)),
    (DateRole.UNKNOWN, _ends_with(dates.TICKET_BOUGHT)),
    (DateRole.ORDERED, _ends_with(dates.ORDERED)),
    (DateRole.PRODUCED, _ends_with(dates.PRODUCED)),
    (DateRole.OTHER, _ends_with(dates.DUE, payments.DUE, dates.SERVED, dates.SPAN)),
    (DateRole.ISSUED, _ends_with(dates.ISSUED)),
    (DateRole.OTHER, _ends_with(_COMPOUND)),
    (DateRole.MENTIONED, _QUALIFIED),
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
_LIST = 3
"""Minimum cells of an entry in a list."""
_THING = 2
"""Minimum words before a label that is part of a sentence."""
_MAX_DATES = 1000
_WORDS = re.compile(r"[^\W\d_]{2,}")
_SENTENCE = 5
"""Minimum words around a date in a sentence."""
"""Limits the work for a text that consists of dates only."""
_A_SPAN = r"(?:bis|to|until|till|through|au|tot(?: en met)?|t/m|-)"
_SPAN_GOES_ON = re.compile(rf"\.?,? ?{_A_SPAN} ?(?:zum |dem |den |the |le )?\d")
_SPAN_CAME_BEFORE = re.compile(
    r"(?<![\w-])(?:\d{1,2}[./]\d{0,2}[./]?(?:\d{2,4})?|(?:19|20)\d\d) ?-\s*$"
    rf"|(?<![\w-])\d{{1,2}}(?:\.|st|nd|rd|th)?(?: [^\W\d_]{{3,}})? ?-\s*{_DAY_OF_WEEK}$"
    r"|\b(?:between|zwischen|entre|tussen)\b.{0,30}\b(?:and|und|et|en)\s+$"
)
_IS_PAID_THEN = re.compile(
    r"[^.\d]{0,60}\b(?:abgebucht|eingezogen|fallig|debited|collected|due|preleve|afgeschreven)\b"
)
_BEFORE_TOWN = (
    r"(?:(?:[^\W\d][\w.'/-]* ){0,4}(?:[a-z]{1,2}-)?\d{4,5} "
    rf"|(?:{any_of(dates.KINDS)}) [\w/.-]*\d[\w/.-]* )?"
)
"""An address up to the postal code, or what the document is, with its number."""
_PLACE = re.compile(
    rf"{_BEFORE_TOWN}(?:[a-z][^\W\d]*)(?:[.'/() -]+[^\W\d]+){{0,8}}[.)]?"
    r"(?:, ?(?:den |le |am |d\. |il |a |li |addi |em |aos |dnia |the )?| (?:den|le) )$"
)
"""Hamburg, den; 7099 Chur-Au, ; Paris, le; Sjövik den."""
_NEXT = (_SPAN_GOES_ON, _IS_PAID_THEN)


def find_labelled_dates(text: str) -> Iterator[LabelledDate]:
    """Yield every date that is on one line of `text`, with its role; at most 1,000."""
    return islice(_find_all(text), _MAX_DATES)


def _find_all(text: str) -> Iterator[LabelledDate]:
    context = _Context.of(text)
    rows = rows_of(text)
    stacked = find_stacked_labels(rows, text)
    shown = detect_date_order(fold(text))
    for position, row in enumerate(rows):
        above = rows[position - 1] if position else ()
        below = rows[position + 1] if position + 1 < len(rows) else ()
        for number, cell in enumerate(row):
            folded = fold_label(cell.text) if any(map(str.isdigit, cell.text)) else ""
            is_entry = number == 0 and _is_entry(row)
            for found in _find_in_order(folded, shown):
                before = folded[max(0, found.start - _NEAR) : found.start]
                after = folded[found.end : found.end + _NEAR]
                labels = _find_labels(before, row, number, above)
                if position in stacked:
                    labels = chain([before, stacked[position]], labels)
                whole = _join_with_left(before, row, number)
                role = _find_role(whole, after, labels, context)
                if _is_named_above(before, after, cell, rows[:position], context):
                    role = DateRole.NAMED
                role = _see_list(role, row, number, (above, below))
                if (is_entry and not before) or _is_event(role, before, below, context):
                    role = DateRole.OTHER
                else:
                    role = _see_row(role, before, after, row, number, refers=context.refers)
                if role is DateRole.UNKNOWN:
                    near, on_top = (above, below), position < _TOP
                    role = _see_place(before, after, row, number, near, is_on_top=on_top)
                yield LabelledDate(found.day, role, row)


@dataclass(frozen=True, slots=True)
class _Context:
    """What kind of document a date is in."""

    refers: bool
    """It is about an invoice, whose date is not its own."""
    in_reminder: bool
    is_delivery_note: bool
    confirms_order: bool
    is_of_meeting: bool
    is_e_mail: bool

    @classmethod
    def of(cls, text: str) -> "_Context":
        beginning = text[:_BEGINNING]
        head = rows_of(beginning)[:_TITLE_ROWS]
        titles = [fold_label(cell.text) for row in head for cell in row]
        short = [title for title in titles if len(_WORDS.findall(title)) <= _TITLE_WORDS]
        # A longer title counts if it begins with such a word and has no digits.
        opening = filter(_MINUTES_TITLE.fullmatch, titles)
        return cls(
            refers=_REFERS_TO_AN_INVOICE.search(fold_label(beginning)) is not None,
            in_reminder=is_reminder(text),
            is_delivery_note=any(map(_DELIVERY_NOTE.search, short)),
            confirms_order=any(map(_ORDER_CONFIRMATION.search, short)),
            is_of_meeting=any(map(_MINUTES.search, [*short, *opening])),
            is_e_mail=any(map(_E_MAIL_HEAD.match, titles)),
        )


def _is_named_above(
    before: str, after: str, cell: Cell, above: Sequence[Sequence[Cell]], context: _Context
) -> bool:
    """Return whether the title above a date shows that it is the document's own."""
    if _JUST_OF_DAY.fullmatch(before) and _is_below_title(cell, above, context):
        return True
    # In the head of minutes, a day of the week and a time are those of the meeting.
    is_meeting = context.is_of_meeting and len(above) < _TOP and not _NEXT_ONE.search(before)
    return is_meeting and bool(_AFTER_WEEKDAY.search(before) and _AT_A_TIME.match(after))


def _join_with_left(before: str, row: Sequence[Cell], number: int) -> str:
    """Return what is before a date, with the cells on its left if a gap splits a phrase."""
    if not number or not (_JUST_OF.fullmatch(before) or not before):
        return before
    left = " ".join(fold_label(cell.text) for cell in row[:number])
    joined = f"{left} {before}"[-_NEAR:]
    is_phrase = any(map(re.Pattern.search, (_OF_SOMETHING, _THEN), (joined, joined)))
    is_phrase = is_phrase or _KIND_DATED.fullmatch(joined) is not None
    return joined if is_phrase else before


def _is_event(role: DateRole, before: str, below: Sequence[Cell], context: _Context) -> bool:
    """Return whether a day of the week is named, and the next line begins with a time."""
    if context.is_of_meeting or not below or not before.strip() or role is DateRole.BIRTH:
        return False
    is_weekday = _AFTER_WEEKDAY.search(before) is not None
    return is_weekday and _TIME_LABEL.fullmatch(fold_label(below[0].text)) is not None


def _see_place(
    before: str,
    after: str,
    row: Sequence[Cell],
    number: int,
    others: Sequence[Sequence[Cell]],
    *,
    is_on_top: bool,
) -> DateRole:
    """Return the role of a date without a label, by its place in its row."""
    if number and "@" in row[number - 1].text and _TIME.search(after):
        # The head of an e-mail: its sender, then when it was sent.
        return DateRole.ISSUED
    if before or after:
        return DateRole.UNKNOWN
    if len(row) == 1 or (is_on_top and _begins_row(row, number, others)):
        return DateRole.ALONE
    is_signature = number > 0 and _SIGNED_BY.match(fold_label(row[number - 1].text))
    if not is_signature and _is_in_list(row, number, others):
        return DateRole.OTHER
    title = fold_label(row[0].text)
    is_titled = number == len(row) - 1 == 1 and _KIND.match(title) is not None
    is_title = is_titled and len(_WORDS.findall(title)) <= _TITLE_WORDS
    return DateRole.NAMED if is_title else DateRole.UNKNOWN


def _begins_row(row: Sequence[Cell], number: int, others: Sequence[Sequence[Cell]]) -> bool:
    """Return whether a date is before words, as in a letterhead, and not in a list of dates."""
    has_words = _WORDS.search(row[1].text) is not None and not _PRICE.search(row[-1].text)
    return number == 0 and has_words and not any(map(_has_date, others))


def _has_date(row: Sequence[Cell]) -> bool:
    return any(any(find_dates(fold_label(cell.text))) for cell in row)


def _is_in_list(row: Sequence[Cell], number: int, others: Sequence[Sequence[Cell]]) -> bool:
    """Return whether a line above or below has a date in the same column, among other cells."""
    if len(row) < _LIST:
        return False
    beside = (in_column_of(row[number], other) for other in others if len(other) >= _LIST)
    # A cell that goes on to a date is not of that column: Online 3 May.
    texts = (fold_label(cell.text) for cell in beside if cell)
    return any(found.start == 0 for text in texts for found in find_dates(text))


def _see_list(
    role: DateRole, row: Sequence[Cell], number: int, others: Sequence[Sequence[Cell]]
) -> DateRole:
    """Return the role of a date, corrected if it is in a list below the heading "date"."""
    left = row[number - 1].text if number else ""
    has_label = bool(left) and not any(map(str.isdigit, left))
    is_entry = role is DateRole.ISSUED and not has_label and _is_in_list(row, number, others)
    return DateRole.OTHER if is_entry else role


def _find_in_order(folded: str, order: DateOrder) -> Iterator[FoundDate]:
    """Yield the dates, without readings that contradict the order that the text shows."""
    wrong = {DateOrder.DAY_FIRST, DateOrder.MONTH_FIRST} - {order}
    skipped = wrong if order is not DateOrder.DOCUMENT else frozenset()
    return (found for found in find_dates(folded) if found.order not in skipped)


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
        yield _AFTER_CAPITALS.sub("", above[0].text[-_NEAR:])
    if not _WEEKDAY.fullmatch(before):
        return
    left = row[number - 1].text[-_NEAR:] if number else ""
    yield "" if _EMPTY_REFERENCE.search(fold_label(left)) else left
    over = in_column_of(row[number], above)
    yield over.text[-_NEAR:] if over else ""


def _word_above(before: str, cell: Cell, above: Sequence[Cell]) -> str:
    """Return the word at the same position of the line above, if columns lost their gaps."""
    heads, values = " ".join(over.text for over in above).split(), cell.text.split()
    return heads[before.count(" ")] if len(heads) == len(values) else ""


def _find_role(before: str, after: str, labels: Iterable[str], context: _Context) -> DateRole:
    role = _find_role_by_phrase(before, after)
    found = (_find_role_by_label(label, after, context) for label in labels)
    role = role or next(filter(None, found), None)
    if role is not None:
        return role
    in_sentence = len(_WORDS.findall(f"{before} {after}")) >= _SENTENCE or _THEN.search(before)
    is_mentioned = bool(in_sentence) or _OF_SOMETHING.search(before) is not None
    return DateRole.MENTIONED if is_mentioned else DateRole.UNKNOWN


def _find_role_by_phrase(before: str, after: str) -> DateRole | None:
    """Return the role that the words around a date show; None if they show none."""
    is_dated = _DATED.fullmatch(before) and not after
    phrases = (
        (DateRole.OTHER, any(pattern.match(after) for pattern in _NEXT)),
        (DateRole.OTHER, _SPAN_CAME_BEFORE.search(before)),
        (DateRole.NAMED, _KIND_DATED.fullmatch(before)),
        (DateRole.NAMED, _MINUTES_OF.fullmatch(before)),
        (DateRole.NAMED, _YOUR_KIND_DATED.fullmatch(before) and not after),
        (DateRole.OTHER, _REFERS.search(before) or _TIMES.match(after)),
        (DateRole.ISSUED, is_dated or _DONE_IN.search(before)),
        (DateRole.MENTIONED, _OF_ANOTHER.search(before)),
    )
    return next((role for role, is_shown in phrases if is_shown), None)


def _find_role_by_label(label: str, after: str, context: _Context) -> DateRole | None:
    """Return the role that a label ends with; None if it is none."""
    whole = _HYPHEN_IN_COMPOUND.sub("", fold_label(label)) + " "
    if context.is_e_mail and _E_MAIL.fullmatch(whole):
        return DateRole.ISSUED
    if _NEXT_ONE.search(whole):
        return DateRole.OTHER
    is_delivery = context.is_delivery_note and _DELIVERED.search(whole)
    if is_delivery or (context.is_of_meeting and _MEETING_DAY.search(whole)):
        return DateRole.PRODUCED
    for role, pattern in _LABELS:
        if found := pattern.search(whole):
            is_earlier = context.in_reminder and _OF_INVOICE.search(whole)
            if role is DateRole.ORDERED and context.confirms_order:
                return DateRole.PRODUCED
            is_of_a_thing = _is_of_a_thing(role, whole[: found.start()], after)
            return DateRole.MENTIONED if is_earlier or is_of_a_thing else role
    return None


def _is_of_a_thing(role: DateRole, words: str, after: str) -> bool:
    """Return whether a sentence says of something else when it was issued or prepared."""
    count = len(_WORDS.findall(words))
    if role is DateRole.PRODUCED:
        return count > 0 and len(_WORDS.findall(f"{words} {after}")) >= _SENTENCE
    return role is DateRole.ISSUED and count >= _THING and bool(after)


def _is_of_something_else(
    role: DateRole, before: str, row: Sequence[Cell], number: int, *, refers: bool
) -> bool:
    """Return whether the rest of its row shows that a date is not the document's own."""
    is_of_amount = number < len(row) - 1 and _PRICE.search(row[-1].text) is not None
    match role:
        case DateRole.NAMED:
            # Earlier minutes are an item of the agenda.
            return refers or (number > 0 and _ITEM.fullmatch(fold(row[0].text)) is not None)
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


def _is_below_title(cell: Cell, rows: Sequence[Sequence[Cell]], context: _Context) -> bool:
    """Return whether the line above a cell says what the document is: Facture n° 4711.

    A line with the document's number may be in between.
    """
    found = (in_column_of(cell, row) for row in reversed(rows[-2:]))
    lines = [fold_label(over.text) if over else "" for over in found]
    if lines and _NUMBER_LINE.fullmatch(lines[0]):
        lines = lines[1:]
    titles = (_KIND, _MINUTES, *([_DELIVERY_NOTE] if context.is_delivery_note else []))
    return any(title.match(line) for line in lines[:1] for title in titles)


def _is_signed(row: Sequence[Cell], number: int) -> bool:
    """Return whether a cell before a date in its row is about a signature."""
    return any(_SIGNED.search(fold_label(cell.text)) for cell in row[:number])


def _follows_place(before: str, row: Sequence[Cell], number: int) -> bool:
    """Return whether a date follows the name of a town, in its cell or in the one before."""
    if before or not number:
        # In a row with other cells, a number at the beginning is that of an article.
        is_article = before[:1].isdigit() and len(row) > 1
        return not is_article and _is_place(before, row[number].text)
    town = row[number - 1].text
    return _is_place(fold_label(town) + " ", town)


def _is_place(before: str, text: str) -> bool:
    """Return whether the text before a date is the name of a town: capitals and small words."""
    if not _PLACE.fullmatch(before) or _WEEKDAY.fullmatch(before):
        return False
    town = re.sub(_BEFORE_TOWN, "", text, count=1, flags=re.IGNORECASE)
    words = re.findall(r"[^\W\d_]+", re.split(r"\d", town)[0])
    return all(word[0].isupper() or word in _IN_TOWNS for word in words)


def _is_entry(row: Sequence[Cell]) -> bool:
    """Return whether a row is an entry of a list: a date, then words, an amount or a time."""
    later = [cell.text for cell in row[1:]]
    has_words = any(_WORDS.search(text) for text in later)
    timed = any(_TIME.search(text) and _WORDS.search(text) for text in later)
    return has_words and (timed or bool(later and _PRICE.search(later[-1])))
