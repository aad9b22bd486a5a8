"""Determine what kind of document a text is: a bill, a reminder, a bank statement."""

import re
from collections.abc import Iterator

from core.text import fold
from processor.analysis.layout import SEARCHED, fold_label, rows_of
from processor.analysis.words import any_of, numbers

_BEGINNING = 2000
"""Characters at the beginning in which a document says what it is."""
_REMINDER = re.compile(any_of(numbers.REMINDER))
OF_A_REMINDER = re.compile(
    rf"(?:{any_of(numbers.REMINDER_WORD)})[\W_]{{0,3}}(?:{any_of(numbers.JUST_A_NUMBER)})[\s:.]*"
)
"""A label for the number of a reminder itself."""
_NAMED_NUMBER = re.compile(
    rf"(?:{any_of(numbers.INVOICE)})[\W_]{{0,3}}(?:(?:{any_of(numbers.JUST_A_NUMBER)})(?!\w)|\d)"
)
"""A label for the number of an invoice, or an invoice with its number."""
_STATEMENT = re.compile(any_of(numbers.ACCOUNT_STATEMENT))
_TILL = re.compile(any_of(numbers.TILL))
_NUMBERED_BILL = re.compile(
    rf"(?:{any_of(numbers.BILL)})[\W_]{{0,3}}(?:{any_of(numbers.JUST_A_NUMBER)})[\s:.]{{0,60}}"
    r"(?=\S{0,30}\d)"
)
_BILL_TITLE = re.compile(
    rf"(?<!\w)(?!\w*(?:ab|be|ver|vor)rechnung)\w*(?:{any_of(numbers.INVOICE)})"
)
_TITLE_WORDS = 5
"""Maximum words of a title."""
_HEADING = 60
"""Maximum characters of a heading."""


def is_reminder(text: str) -> bool:
    """Return whether a document is about an earlier invoice, whose number is the one to file."""
    headings = (fold(cell.text) for row in rows_of(text[:_BEGINNING]) for cell in row)
    short = (heading for heading in headings if len(heading) <= _HEADING)
    # Text recognition may read m as rn.
    return any(_REMINDER.search(heading.replace("rn", "m")) for heading in short)


def has_reminder_number(text: str) -> bool:
    """Return whether a reminder has a number of its own."""
    folded = fold_label(text[:_BEGINNING])
    found = OF_A_REMINDER.finditer(folded)
    return any(any(map(str.isdigit, folded[match.end() :].split(" ", 1)[0])) for match in found)


def is_bill(text: str) -> bool:
    """Return whether a heading says that a document asks for money, or confirms it."""
    return any(map(_BILL_TITLE.search, _find_titles(text)))


def is_till_receipt(text: str) -> bool:
    """Return whether a text has a word that is typical of till receipts."""
    return _TILL.search(fold_label(text[:_BEGINNING])) is not None


def is_account_statement(text: str) -> bool:
    """Return whether a heading calls a document a bank statement."""
    return any(map(_STATEMENT.match, _find_titles(text)))


def numbers_a_bill(text: str) -> bool:
    """Return whether a text labels a number as that of an invoice, rather than of a receipt."""
    return _NUMBERED_BILL.search(fold_label(text[:SEARCHED])) is not None


def names_a_number(text: str) -> bool:
    """Return whether a text labels any number as that of an invoice."""
    return _NAMED_NUMBER.search(fold_label(text[:SEARCHED])) is not None


def _find_titles(text: str) -> Iterator[str]:
    """Yield the cells at the beginning that are short enough for a title."""
    cells = (cell.text for row in rows_of(text[:_BEGINNING]) for cell in row)
    return (fold_label(cell) for cell in cells if len(cell.split()) <= _TITLE_WORDS)
