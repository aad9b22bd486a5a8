"""Find the days on which something is to be paid."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice

from processor.analysis.dates import find_dates, find_days_without_year
from processor.analysis.layout import SEARCHED, Cell, Page, fold_label, in_column_of, read_page
from processor.analysis.value_labels import PRICE
from processor.analysis.words import any_of, payments

_AROUND = 200
"""Characters before and after a day that say whether it is due."""
_MAX_DATES = 1000
"""Limits the work for a text that consists of dates only."""
_WEEKDAY = r"(?:\w+(?:day|tag|di|dag)|mittwoch|sonnabend|dimanche)"
_LABEL = re.compile(
    rf"(?:{any_of(payments.DUE)})(?: (?:in|en|{any_of(payments.BY)}|\w+ raten|\w+ fois))*[\s:.]*$"
)
_PAY = re.compile(any_of(payments.PAY))
_BY = re.compile(
    rf"\b(?:{any_of(payments.BY)})"
    rf"(?:,? (?:spatestens|latest|zum|dem|den|am|the|le|op|on|il|el"
    rf"|\d{{1,2}}(?:[.:]\d\d)? ?(?:am|pm|noon|uhr|h)|{_WEEKDAY}))*[\s,]+$"
)
"""By Friday, or: by 4 pm on."""
_UNTIL = re.compile(
    r"\W*(?:bis|spatestens|by|before|not? later|avant|au plus tard|jusqu|uiterlijk|voor|entro|antes"
    r"|hasta|ate|senast|senest|inden|innen|do)\b"
)
"""Begins a line that continues the one with the amount: entro il."""
_RECEIVED = re.compile(any_of(payments.RECEIVED))
_DAYS_FROM_NOW = re.compile(
    r"\b(?:days|tagen?|jours|dagen)\b[^.]{0,40}\b(?:that is|i\.e\.|also|d\.h\.|soit|dus)[\s,]+$"
)
"""Thirty days from today, that is."""
_ACCOUNT = re.compile(r"sort code|\biban\b|\b[a-z]{2}\d{2}(?: ?[\da-z]{4}){3}")
"""An account to pay to."""
_DEBITED = re.compile(rf"[^.\d]{{0,60}}\b(?:{any_of(payments.DEBITED)})\b")
_A_PERIOD = (
    r"(?:\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4})?|\b(?:19|20)\d\d)"
    r" ?(?:bis|to|until|au|tot|t/m|-)(?: (?:zum|the))?\s+$"
)
"""1 January to."""
_NOT_DUE = re.compile(f"{any_of(payments.NOT_DUE)}|{_A_PERIOD}")
_PAYSLIP = re.compile(any_of(payments.PAYSLIP))
_CREDIT_NOTE = re.compile(any_of(payments.CREDIT_NOTE))
_HEAD = 20
"""Rows at the beginning, one of which is the title."""
_BEGINNING = 1000
"""Characters at the beginning in which a document says what it is."""
_OTHER_THAN_MONEY = re.compile(any_of(payments.NOT_MONEY))
_WITH_DISCOUNT = re.compile(
    rf"[^.\d]{{0,20}}(?:\d{{1,2}}(?:[.,]\d{{1,2}})?)? ?%? ?(?:{any_of(payments.DISCOUNT)})"
)
_DISCOUNT = re.compile(any_of(payments.DISCOUNT))
_TERM = re.compile(rf"(?<![\d.,])(\d{{1,3}}) ?(?:{any_of(payments.DAYS)})\b|\bnet ?(\d{{1,3}})\b")
"""Within 30 days; net 30."""
_TERM_NEAR = 80
"""Characters around a term that say that it is one for paying."""
_CLAUSE_END = re.compile(
    r"[,;]| (?:und|and|et|en) |\. (?=(?:heeft|hebt|sollten?|falls|haben|wenn|if|have|si|avez|se)\b)"
)
"""What follows is about something else: pay by Monday and return the slip."""
_MISREAD = re.compile(r"(?<=[a-z])[01](?=[a-z])")
"""A digit that text recognition took for a letter: zah1bar."""
_GOES_ON = re.compile(r"[^\W\d_A-Z]$|,$")
"""The end of a line within a sentence."""
_LINE = 40
"""Minimum characters of a line of text that goes on in the next."""
_SENTENCE_END = re.compile(r"(?:(?<=[a-zäöüß)]{2})|(?<=\d{3}))(?:; |[.!?] (?=[A-ZÄÖÜÉÈÀ]))")
"""Not after the number of a day: 23. Mai."""


@dataclass(frozen=True, slots=True)
class _Around:
    """A row with what the rows above and below it say, and the label of a block above it."""

    row: Sequence[Cell]
    above: Sequence[Cell]
    stacked: str
    over: str
    """The end of the row above, folded."""
    begun: str
    """The sentence that the row above begins, if it goes on in this one."""
    rest: str
    """The rest of the last sentence, if it goes on in the row below."""
    is_settled: bool
    """Whether it has a date below a heading for payments received."""

    @classmethod
    def of(
        cls, row: Sequence[Cell], above: Sequence[Cell], below: Sequence[Cell], stacked: str
    ) -> "_Around":
        begun = _SENTENCE_END.split(above[0].text)[-1] if _goes_on(above) else ""
        rest = _SENTENCE_END.split(below[0].text)[0] if below and _goes_on(row) else ""
        return cls(
            row=row,
            above=above,
            stacked=fold_label(stacked),
            over=fold_label(" ".join(cell.text for cell in above))[-_AROUND:],
            begun=fold_label(begun),
            rest=fold_label(rest),
            is_settled=_is_settled(row, above),
        )


def find_due_dates(text: str, since: date | None = None) -> Iterator[tuple[date, Sequence[Cell]]]:
    """Yield every day on which the text says that something is due, with its row.

    A day without a year counts if it follows `since`, the document's own date.
    """
    if _PAYSLIP.search(fold_label(text[:_BEGINNING])):
        return
    page = read_page(text)
    titles = (row for row in page.rows[:_HEAD] if not PRICE.search(row[-1].text))
    if any(_CREDIT_NOTE.match(fold_label(cell.text)) for row in titles for cell in row):
        return
    for day, row, is_due in islice(_judge_dates(page, since), _MAX_DATES):
        if is_due:
            yield day, row


def find_payment_terms(text: str) -> frozenset[int]:
    """Return the numbers of days within which the text asks to pay, except for a discount."""
    folded = fold_label(text[:SEARCHED])
    found = set()
    for term in _TERM.finditer(folded):
        around = folded[max(0, term.start() - _TERM_NEAR) : term.end() + _TERM_NEAR]
        if _PAY.search(around) and not _DISCOUNT.search(around):
            found.add(int(term[1] or term[2]))
    return frozenset(found)


def _judge_dates(page: Page, since: date | None) -> Iterator[tuple[date, Sequence[Cell], bool]]:
    """Yield every date with its row, and whether something is due then."""
    below = [*page.rows[1:], []]
    for number, row in enumerate(page.rows):
        columns = [n for n, cell in enumerate(row) if any(map(str.isdigit, cell.text))]
        if not columns:
            continue
        above = page.rows[number - 1] if number else []
        around = _Around.of(row, above, below[number], page.stacked.get(number, ""))
        for column in columns:
            for day, is_due in _judge_cell(around, column, since):
                yield day, row, is_due


def _judge_cell(around: _Around, column: int, since: date | None) -> Iterator[tuple[date, bool]]:
    row = around.row
    left = fold_label(row[column - 1].text)[-_AROUND:] if column else ""
    over = None if around.is_settled else in_column_of(row[column], around.above)
    heading = fold_label(over.text)[-_AROUND:] if over else ""
    headings = (left, around.stacked, heading)
    sentences = [fold_label(sentence) for sentence in _SENTENCE_END.split(row[column].text)]
    for position, sentence in enumerate(sentences):
        without_year = find_days_without_year(sentence, since) if since else ()
        for found in (*find_dates(sentence), *without_year):
            before = sentence[max(0, found.start - _AROUND) : found.start]
            after = sentence[found.end : found.end + _AROUND]
            before = before.lstrip(" :")
            labels = (before,) if before else headings
            if _WITH_DISCOUNT.match(after):
                yield found.day, False
                continue
            if position == 0 and around.begun:
                before = f"{around.begun} {before}"[-_AROUND:]
            else:
                before = _complete(before, left, heading, around.over)
            if position == len(sentences) - 1 and around.rest:
                after = f"{after} {around.rest}"[:_AROUND]
            is_labelled = any(map(_is_label, labels)) and not _OTHER_THAN_MONEY.search(before)
            yield found.day, is_labelled or _is_deadline(before, after, left)


def _is_label(text: str) -> bool:
    """Return whether a text ends with a label for the day by which to pay."""
    # Most dates follow a number; then the long list of words need not be tried.
    last_word = text.rstrip(" :.").rpartition(" ")[2]
    return any(map(str.isalpha, last_word)) and _LABEL.search(text) is not None


def _complete(before: str, left: str, heading: str, over: str) -> str:
    """Return the text before a date; if there is none, the cell on its left or above it."""
    if not before.strip():
        return _row_before(left, over) if left else f"{heading} "
    if _UNTIL.match(before) and _BY.fullmatch(before):
        return _row_before(before.strip(), over)
    return before


def _row_before(left: str, over: str) -> str:
    """Return the cell before a date, with the row above if the cell only says "by"."""
    lead = f"{left} "
    return f"{over} {lead}"[-_AROUND:] if _BY.fullmatch(lead) else lead


def _is_settled(row: Sequence[Cell], above: Sequence[Cell]) -> bool:
    """Return whether a row has a date below a heading for payments received."""
    came = (in_column_of(over, row) for over in above if _RECEIVED.search(fold_label(over.text)))
    return any(cell and any(find_dates(fold_label(cell.text))) for cell in came)


def _goes_on(row: Sequence[Cell]) -> bool:
    """Return whether a row is a line of a sentence that goes on in the next line."""
    is_text = len(row) == 1 and len(row[0].text) >= _LINE
    return is_text and _GOES_ON.search(row[0].text) is not None


def _is_deadline(before: str, after: str, left: str) -> bool:
    before, after, left = (_MISREAD.sub(_to_letter, part) for part in (before, after, left))
    is_collected = _DEBITED.match(after) or (
        _DAYS_FROM_NOW.search(before) and _ACCOUNT.search(after)
    )
    # Checked first: these words are few and rare, while the words for paying are many.
    if not is_collected and not _BY.search(before):
        return False
    clause = _CLAUSE_END.split(after, maxsplit=1)[0]
    if not _PAY.search(f"{left} {before} {clause}"):
        # You must, not later than Monday, either pay or object.
        clause = _CLAUSE_END.split(after.lstrip(" ,;"), maxsplit=1)[0]
    if _NOT_DUE.search(before) or _NOT_DUE.search(clause) or _OTHER_THAN_MONEY.search(before):
        return False
    return bool(is_collected or _PAY.search(f"{left} {before} {clause}"))


def _to_letter(match: re.Match[str]) -> str:
    return "l" if match[0] == "1" else "o"
