"""A careless model: values from the page that are wrong for the field, each quoted with its line.

It is complete, not random: every other date, amount, number and organisation is offered once. The
right values are offered in the same way, to find those that the checks hold back needlessly.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from enum import StrEnum

from benchmarks.eval import page
from benchmarks.eval.corpus import CURRENCY, DUE, NUMBER, TOTAL, SampleDocument
from core.fields import FieldName, Money

_CONFIDENCE = 0.95
_OTHER_CURRENCY = "USD"
_LETTERS = 8
"""Minimum letters of a line that may be a quote."""


class Mistake(StrEnum):
    """What is wrong with an offered value."""

    NONE = "none"
    OTHER_DATE = "other date"
    SWAPPED = "day and month swapped"
    OTHER_NAME = "other name on the page"
    RECIPIENT = "recipient"
    TWIN = "twin name"
    OTHER_AMOUNT = "other amount"
    OTHER_CURRENCY = "other currency"
    OTHER_NUMBER = "other number"
    VAT_ID = "VAT id"


@dataclass(frozen=True, slots=True)
class OfferedValue:
    """A value for one field, as a model would answer, with an honest quote."""

    field: str
    value: str
    evidence: str
    mistake: Mistake = Mistake.NONE
    confidence: float = _CONFIDENCE


def offer_values(document: SampleDocument, names: Iterable[str]) -> tuple[OfferedValue, ...]:
    """Return everything that is offered for a document; `names` are the correspondents in use."""
    offered = [
        *_offer_right(document),
        *_offer_dates(document),
        *_offer_names_in_use(document, tuple(names)),
        *_offer_names_on_page(document),
        *_offer_amounts(document),
        *_offer_numbers(document),
    ]
    # The same value counts once, even if it is in several lines.
    distinct = {_key(value): value for value in reversed(offered)}
    return tuple(reversed(distinct.values()))


def misquote_values(document: SampleDocument, names: Iterable[str]) -> tuple[OfferedValue, ...]:
    """Return the same values, each with a line of words as its quote that does not show it."""
    lines = [line for line in page.lines_of(document.text) if _is_line_of_words(line)]
    misquoted = []
    for offered in offer_values(document, names):
        others = [line for line in lines if page.find_name(offered.value, line) is None]
        if others:
            misquoted.append(replace(offered, evidence=others[len(others) // 2]))
    return tuple(misquoted)


def _is_line_of_words(line: str) -> bool:
    return not any(map(str.isdigit, line)) and sum(map(str.isalpha, line)) >= _LETTERS


def _key(offered: OfferedValue) -> tuple[str, object]:
    is_name = offered.field == FieldName.CORRESPONDENT
    return offered.field, page.words_of(offered.value) if is_name else offered.value.casefold()


def _offer_right(document: SampleDocument) -> Iterator[OfferedValue]:
    truth, text = document.truth, document.text
    if truth.date is not None:
        line = _line_with(truth.date_quote or "", text)
        yield OfferedValue(str(FieldName.DATE), truth.date.isoformat(), line)
    if truth.correspondent is not None:
        line = truth.correspondent_quote or _line_with_name(truth.correspondent, text)
        yield OfferedValue(str(FieldName.CORRESPONDENT), truth.correspondent, line)
    if truth.invoice_number is not None:
        line = truth.invoice_number_quote or _line_with(truth.invoice_number, text)
        yield OfferedValue(NUMBER, truth.invoice_number, line)
    if truth.total is not None:
        line = truth.amount_quote or _line_with_amount(truth.total.amount, text)
        yield OfferedValue(TOTAL, _spell(truth.total), line)
    if truth.due_date is not None:
        line = truth.due_quote or _line_with_date(truth.due_date, text)
        yield OfferedValue(DUE, truth.due_date.isoformat(), line)


def _offer_dates(document: SampleDocument) -> Iterator[OfferedValue]:
    right = {str(FieldName.DATE): document.truth.date, DUE: document.truth.due_date}
    for found in page.find_dates(document.text):
        for field, day in right.items():
            # The right day and month may be in either order.
            swapped = _swap(day) if day else None
            if found.day not in (day, swapped):
                yield OfferedValue(field, found.day.isoformat(), found.line, Mistake.OTHER_DATE)
            elif swapped and found.is_numeric:
                yield OfferedValue(field, swapped.isoformat(), found.line, Mistake.SWAPPED)


def _offer_names_in_use(document: SampleDocument, names: tuple[str, ...]) -> Iterator[OfferedValue]:
    """Offer the other correspondents of the archive that the page names, and the twins."""
    right, text = document.truth.correspondent or "", document.text
    addressed = {
        page.words_of(found.text)
        for found in (*page.find_recipients(text), *page.find_addressees(text))
    }
    for name in names:
        words = page.words_of(name)
        longer = [other for other in names if set(words) < set(page.words_of(other))]
        if words == page.words_of(right):
            continue
        if line := page.find_other_lines(name, (*longer, right), text):
            mistake = Mistake.RECIPIENT if words in addressed else Mistake.OTHER_NAME
            yield OfferedValue(str(FieldName.CORRESPONDENT), name, line, mistake)
        elif words[:1] == page.words_of(right)[:1]:
            line = document.truth.correspondent_quote or _line_with_name(right, text)
            yield OfferedValue(str(FieldName.CORRESPONDENT), name, line, Mistake.TWIN)


def _offer_names_on_page(document: SampleDocument) -> Iterator[OfferedValue]:
    """Offer every recipient and every organisation as it is written, known or not."""
    right = page.words_of(document.truth.correspondent or "")
    for found, mistake in (
        *((found, Mistake.RECIPIENT) for found in page.find_recipients(document.text)),
        *((found, Mistake.OTHER_NAME) for found in page.find_organisations(document.text)),
    ):
        if not _is_same_party(page.words_of(found.text), right):
            yield OfferedValue(str(FieldName.CORRESPONDENT), found.text, found.line, mistake)


def _offer_amounts(document: SampleDocument) -> Iterator[OfferedValue]:
    right, found = document.truth.total, tuple(page.find_amounts(document.text))
    usual = (
        right.currency
        if right
        else next((amount.currency for amount in found if amount.currency), "")
    )
    for amount in found:
        if right is None or abs(amount.amount) != abs(right.amount):
            # A sign such as $ or kr stands for several currencies: the document's own is meant.
            currency = usual or amount.currency
            value = _spell(Money(amount.amount, currency))
            yield OfferedValue(TOTAL, value, amount.line, Mistake.OTHER_AMOUNT)
    if right is not None:
        line = document.truth.amount_quote or _line_with_amount(right.amount, document.text)
        wrong = CURRENCY if right.currency != CURRENCY else _OTHER_CURRENCY
        yield OfferedValue(TOTAL, _spell(Money(right.amount, wrong)), line, Mistake.OTHER_CURRENCY)
        if right.currency != CURRENCY:
            # Without a currency, the field's default currency would apply.
            yield OfferedValue(TOTAL, f"{right.amount}", line, Mistake.OTHER_CURRENCY)


def _offer_numbers(document: SampleDocument) -> Iterator[OfferedValue]:
    right = _letters(document.truth.invoice_number or "")
    for found in page.find_numbers(document.text):
        letters = _letters(found.text)
        if right and (right in letters or letters in right):
            continue
        mistake = Mistake.VAT_ID if page.is_vat_id(found.text) else Mistake.OTHER_NUMBER
        yield OfferedValue(NUMBER, found.text, found.line, mistake)


def _swap(day: date) -> date | None:
    """Return the date with day and month swapped; None if that is no other date."""
    if day.day > 12 or day.day == day.month:
        return None
    return day.replace(month=day.day, day=day.month)


def _is_same_party(words: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Return whether one of the names has all words of the other: the same, or a shorter form."""
    return set(words) <= set(right) or (bool(right) and set(right) <= set(words))


def _line_with(quote: str, text: str) -> str:
    return next((line for line in page.lines_of(text) if quote in line), quote)


def _line_with_name(name: str, text: str) -> str:
    return page.find_name(name, text) or page.find_nearest_line(name, text)


def _line_with_amount(amount: Decimal, text: str) -> str:
    lines = (found.line for found in page.find_amounts(text) if abs(found.amount) == abs(amount))
    return next(lines, "")


def _line_with_date(day: date, text: str) -> str:
    return next((found.line for found in page.find_dates(text) if found.day == day), "")


def _spell(money: Money) -> str:
    return f"{money.currency} {money.amount:.2f}".strip()


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
