"""Determine the role of each date in a text by the label beside or above it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import chain, islice

from core.calendar import DateOrder
from core.text import fold
from processor.analysis.date_places import (
    SENTENCE,
    WEEKDAY,
    DatePlace,
    count_words,
    is_short_title,
)
from processor.analysis.dates import FoundDate, detect_date_order, find_dates
from processor.analysis.document_kinds import is_reminder
from processor.analysis.layout import Cell, find_stacked_labels, fold_label, rows_of
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


_AFTER_WEEKDAY = re.compile(rf"(?:{any_of(dates.WEEKDAYS)}),? (?:den |the |le )?$")
_BETWEEN = (
    r"(?:\s*\([^)]*\))?[\s:.=*\x22]*"
    rf"{WEEKDAY}"
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
_JUST_OF_DAY = re.compile(rf"{_JUST_OF.pattern}{WEEKDAY}")
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
_E_MAIL = re.compile(rf"(?:{any_of(dates.SENT)}):\s*{WEEKDAY}\s*")
_E_MAIL_HEAD = re.compile(rf"(?:{any_of(dates.E_MAIL_HEAD)}) ?:")
_E_MAIL_DATE = re.compile(rf"(?:date|datum|data|fecha|dato|{any_of(dates.SENT)}) ?:")
_INVOICE_DATED = re.compile(
    rf"(?<![\w'])(?:{any_of(dates.OF_INVOICE)})[\s:.]{{1,20}}(?:\d|[a-z]{{3,9}}\.? \d)"
)
_MINUTES_OF = re.compile(
    rf"(?:{any_of(dates.MINUTES)})\b.{{4,70}}\b(?:vom|am|of|on|du|le|van|op|del|den|af)\s+"
)
"""Minutes name the day of the meeting in their title."""
_DELIVERY_NOTE = re.compile(any_of(dates.DELIVERY_NOTES))
_ORDER_CONFIRMATION = re.compile(any_of(dates.ORDER_CONFIRMATIONS))
_DELIVERED = _ends_with(dates.DELIVERED)
_NEXT_ONE = _ends_with(dates.NEXT, dates.OF_THE_READER)
_MEETING_DAY = _ends_with(dates.MEETING_DAY)
_MINUTES = re.compile(any_of(dates.MINUTES))
_MINUTES_TITLE = re.compile(rf"(?:{any_of(dates.MINUTES)})\D*")
_TITLE_ROWS = 8
"""Rows at the beginning in which a document says what it is."""
_THEN = re.compile(
    r"[^\W\d_]{3,} \w+ (?:am|on|le|op|il|el|em|den|dia)\s+$"
    r"|[^\W\d_]{4,} (?:am|on|op|il|el|em|dia)[\s:]+$"
)
"""Something happens on that day: the meeting is on."""
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
_BEFORE_AMOUNT = re.compile(r" ?: ?[a-z]{0,3}\W{0,3}\d")
"""After the date of an entry: estimate given on 18 May: £480."""
_UNLABELLED = frozenset({DateRole.UNKNOWN, DateRole.MENTIONED})
_BEGINNING = 3000
_REFERS_TO_AN_INVOICE = re.compile(
    r"mahnung|zahlungserinnerung|gutschrift|payment rem|\breminder\b|overdue|credit note|rappel"
    r"|\bavoir\b|herinnering|aanmaning|creditnota"
)
"""In such a document, the date of an invoice is not its own."""
_THING = 2
"""Minimum words before a label that is part of a sentence."""
_MAX_DATES = 1000
"""Limits the work for a text that consists of dates only."""
_A_SPAN = r"(?:bis|to|until|till|through|au|tot(?: en met)?|t/m|-)"
_SPAN_GOES_ON = re.compile(rf"\.?,? ?{_A_SPAN} ?(?:zum |dem |den |the |le )?\d")
_SPAN_CAME_BEFORE = re.compile(
    r"(?<![\w-])(?:\d{1,2}[./]\d{0,2}[./]?(?:\d{2,4})?|(?:19|20)\d\d) ?-\s*$"
    rf"|(?<![\w-])\d{{1,2}}(?:\.|st|nd|rd|th)?(?: [^\W\d_]{{3,}})? ?-\s*{WEEKDAY}$"
    r"|\b(?:between|zwischen|entre|tussen)\b.{0,30}\b(?:and|und|et|en)\s+$"
)
_IS_PAID_THEN = re.compile(
    r"[^.\d]{0,60}\b(?:abgebucht|eingezogen|fallig|debited|collected|due|preleve|afgeschreven)\b"
)
_NEXT = (_SPAN_GOES_ON, _IS_PAID_THEN)


def find_labelled_dates(text: str, order: DateOrder | None = None) -> Iterator[LabelledDate]:
    """Yield every date that is on one line of `text`, with its role; at most 1,000.

    `order` is what `detect_date_order` returns for the text, if that is known.
    """
    return islice(_find_all(text, order or detect_date_order(fold(text))), _MAX_DATES)


def _find_all(text: str, order: DateOrder) -> Iterator[LabelledDate]:
    context = _Context.of(text)
    rows = rows_of(text)
    stacked = find_stacked_labels(rows, text)
    for line, row in enumerate(rows):
        for column, cell in enumerate(row):
            if not any(map(str.isdigit, cell.text)):
                continue
            folded = fold_label(cell.text)
            for found in _find_in_order(folded, order):
                place = DatePlace.of(folded, found.start, found.end, rows, line, column)
                role = _determine_role(place, stacked.get(line), context)
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
    dates_an_invoice: bool
    """Whether the text labels a date as the invoice date."""

    @classmethod
    def of(cls, text: str) -> "_Context":
        beginning = text[:_BEGINNING]
        folded, in_reminder = fold_label(beginning), is_reminder(text)
        head = rows_of(beginning)[:_TITLE_ROWS]
        titles = [fold_label(cell.text) for row in head for cell in row]
        short = list(filter(is_short_title, titles))
        # A longer title counts if it begins with such a word and has no digits.
        opening = filter(_MINUTES_TITLE.fullmatch, titles)
        return cls(
            refers=in_reminder or _REFERS_TO_AN_INVOICE.search(folded) is not None,
            in_reminder=in_reminder,
            is_delivery_note=any(map(_DELIVERY_NOTE.search, short)),
            confirms_order=any(map(_ORDER_CONFIRMATION.search, short)),
            is_of_meeting=any(map(_MINUTES.search, [*short, *opening])),
            is_e_mail=any(map(_E_MAIL_HEAD.match, titles)),
            dates_an_invoice=_INVOICE_DATED.search(folded) is not None,
        )


def _find_in_order(folded: str, order: DateOrder) -> Iterator[FoundDate]:
    """Yield the dates, without readings that contradict the order that the text shows."""
    wrong = {DateOrder.DAY_FIRST, DateOrder.MONTH_FIRST} - {order}
    skipped = wrong if order is not DateOrder.DOCUMENT else frozenset()
    return (found for found in find_dates(folded) if found.order not in skipped)


def _determine_role(place: DatePlace, stacked: str | None, context: _Context) -> DateRole:
    """Return the role of a date; `stacked` is its label in a block of labels above."""
    role = _find_role(place, stacked, context)
    if _is_named_above(place, context):
        role = DateRole.NAMED
    if role is DateRole.ISSUED and _is_below_heading(place):
        role = DateRole.OTHER
    if place.is_entry or _is_event(role, place, context):
        return DateRole.OTHER
    if role is DateRole.ISSUED and _BEFORE_AMOUNT.match(place.after):
        return DateRole.MENTIONED
    if role is DateRole.ISSUED and _is_sent_with_invoice(place, context):
        return DateRole.PRODUCED
    if role in _UNLABELLED and not place.after and place.follows_town:
        return DateRole.ISSUED
    if _is_of_something_else(role, place, context):
        return DateRole.OTHER
    return _find_role_by_place(place) if role is DateRole.UNKNOWN else role


def _find_role(place: DatePlace, stacked: str | None, context: _Context) -> DateRole:
    before, after = _join_phrase(place), place.after
    if role := _find_role_by_phrase(before, after):
        return role
    for label in chain([place.before], [stacked] if stacked else [], place.find_labels()):
        if role := _find_role_by_label(label, after, context):
            return role
    in_sentence = count_words(before, after) >= SENTENCE or _THEN.search(before)
    is_mentioned = bool(in_sentence) or _OF_SOMETHING.search(before) is not None
    return DateRole.MENTIONED if is_mentioned else DateRole.UNKNOWN


def _join_phrase(place: DatePlace) -> str:
    """Return what is before a date, with the cells on its left if a gap splits a phrase."""
    if not place.column or not (_JUST_OF.fullmatch(place.before) or not place.before):
        return place.before
    joined = place.join_left()
    is_phrase = (
        _OF_SOMETHING.search(joined) or _THEN.search(joined) or _KIND_DATED.fullmatch(joined)
    )
    return joined if is_phrase else place.before


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
    count = count_words(words)
    if role is DateRole.PRODUCED:
        return count > 0 and count_words(words, after) >= SENTENCE
    return role is DateRole.ISSUED and count >= _THING and bool(after)


def _is_named_above(place: DatePlace, context: _Context) -> bool:
    """Return whether the title above a date shows that it is the document's own."""
    titles = [_MINUTES, *([_DELIVERY_NOTE] if context.is_delivery_note else [])]
    if _JUST_OF_DAY.fullmatch(place.before) and place.is_below_title(titles):
        return True
    # In the head of minutes, a day of the week and a time are those of the meeting.
    if not context.is_of_meeting or not place.is_on_top or _NEXT_ONE.search(place.before):
        return False
    return bool(_AFTER_WEEKDAY.search(place.before) and _AT_A_TIME.match(place.after))


def _is_sent_with_invoice(place: DatePlace, context: _Context) -> bool:
    """Return whether a date is in the head of an e-mail that also labels an invoice date."""
    is_head = place.is_on_top and _E_MAIL_DATE.match(fold_label(place.row[0].text)) is not None
    return is_head and context.is_e_mail and context.dates_an_invoice and not context.in_reminder


def _is_below_heading(place: DatePlace) -> bool:
    """Return whether the label of a date is the heading of a column with a date in each line."""
    has_label = bool(place.left) and not any(map(str.isdigit, place.left))
    return not has_label and place.is_in_list


def _is_event(role: DateRole, place: DatePlace, context: _Context) -> bool:
    """Return whether a day of the week is named, and the next line begins with a time."""
    if context.is_of_meeting or not place.before.strip() or role is DateRole.BIRTH:
        return False
    return _AFTER_WEEKDAY.search(place.before) is not None and place.is_above_time


def _is_of_something_else(role: DateRole, place: DatePlace, context: _Context) -> bool:
    """Return whether the rest of its row shows that a date is not the document's own."""
    # In a reminder, a row with an amount is an invoice.
    is_of_invoice = context.refers and place.has_amount and not place.before
    match role:
        case DateRole.NAMED:
            # Earlier minutes are an item of the agenda.
            return context.refers or place.is_item
        case DateRole.ISSUED:
            return place.is_signed or is_of_invoice
        case DateRole.MENTIONED:
            return is_of_invoice
        case DateRole.UNKNOWN:
            return place.has_amount and count_words(place.before) > 0
    return False


def _find_role_by_place(place: DatePlace) -> DateRole:
    """Return the role of a date without a label."""
    if place.is_sent_at:
        return DateRole.ISSUED
    if not place.is_alone_in_cell:
        return DateRole.UNKNOWN
    if len(place.row) == 1 or place.begins_letterhead:
        return DateRole.ALONE
    if not place.is_signature and place.is_in_list:
        return DateRole.OTHER
    return DateRole.NAMED if place.is_beside_title else DateRole.UNKNOWN
